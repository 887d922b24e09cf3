/** Tickets of one tenant that one of them passes at most when it is put in order: bounds a step's work. */
const MOST_PASSED = 16;

/** What stands in a line. */
export interface Queued {
  readonly lane: number;
  readonly tenant: string;
  readonly weight: number;
  /** When its first call arrived. */
  readonly arrived: number;
}

/** A waiter's place in the line of one stage. */
export class Entry<W extends Queued> {
  rank = 0;
  /** Order of arrival in the line: breaks ties. */
  no = 0;
  /** How far its tag has moved its tenant on, 0 where its cost is not known; -1 = it has no tag. */
  span = -1;
  state: 'out' | 'in' | 'parked' = 'out';
  constructor(readonly waiter: W) {}
}

/** A tenant's part of a lane. Its tags are the tenant's: the first of them is its earliest call's, in whatever ticket that stands. */
interface Member<W extends Queued> {
  /** The tag at which its next call starts. */
  finish: number;
  /** Its tickets by rank, the parked ones among them. */
  readonly entries: Entry<W>[];
}

/** The tickets of one lane in the line of one stage, by rank: arrival, or a start tag of fair queueing where tenants take part. */
export class LaneLine<W extends Queued> {
  readonly entries: Entry<W>[] = [];
  /** Virtual time: the tag last served. */
  virtual = 0;
  readonly tenants = new Map<string, Member<W>>();

  /** Index of the first entry that stands behind `(rank, no)`, or at it. */
  indexOf(rank: number, no: number): number {
    let low = 0;
    let high = this.entries.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const entry = this.entries[middle] as Entry<W>;
      if (entry.rank < rank || (entry.rank === rank && entry.no < no)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Gives an entry its tenant's next tag. */
  tag(entry: Entry<W>, span: number): void {
    const { tenant } = entry.waiter;
    let member = this.tenants.get(tenant);
    if (member === undefined) {
      member = { finish: this.virtual, entries: [] };
      this.tenants.set(tenant, member);
    }
    entry.span = span;
    entry.rank = Math.max(member.finish, this.virtual);
    member.finish = entry.rank + span;
    member.entries.push(entry);
  }

  /** Takes an entry out of its tenant's order. One that leaves unserved gives a tag back, the last, so that it never pushed its tenant behind. */
  untag(entry: Entry<W>, served: boolean): void {
    const member = this.tenants.get(entry.waiter.tenant);
    if (member === undefined) return;
    const at = member.entries.indexOf(entry);
    if (at < 0) return;
    if (served) {
      if (entry.rank > this.virtual) this.virtual = entry.rank;
      member.entries.splice(at, 1);
      return;
    }
    this.pass(member, at, 1, () => true);
    member.entries.splice(member.entries.indexOf(entry), 1);
    member.finish = Math.max(member.finish, this.virtual) - entry.span;
    if (member.finish <= this.virtual && member.entries.length === 0) this.tenants.delete(entry.waiter.tenant);
  }

  /** Puts an entry where its arrival belongs among its tenant's. */
  order(entry: Entry<W>): void {
    const member = this.tenants.get(entry.waiter.tenant);
    if (member === undefined || member.entries.length < 2) return;
    const at = member.entries.indexOf(entry);
    if (at < 0) return;
    const { arrived } = entry.waiter;
    this.pass(member, at, -1, (other) => other.waiter.arrived > arrived);
    this.pass(member, member.entries.indexOf(entry), 1, (other) => other.waiter.arrived < arrived);
  }

  forgetIfEmpty(parked: number): void {
    if (this.entries.length > 0 || parked > 0) return;
    this.tenants.clear();
    this.virtual = 0;
  }

  /** Exchanges an entry's tag with its neighbour's, again and again, as long as it is to pass them. */
  private pass({ entries }: Member<W>, from: number, by: 1 | -1, passes: (other: Entry<W>) => boolean): void {
    const entry = entries[from] as Entry<W>;
    for (let at = from, passed = 0; passed < MOST_PASSED; at += by, passed += 1) {
      const other = entries[at + by];
      if (other === undefined || !passes(other)) return;
      this.exchange(entry, other);
      entries[at] = other;
      entries[at + by] = entry;
    }
  }

  private exchange(one: Entry<W>, other: Entry<W>): void {
    const places = [one, other].map((entry) => (entry.state === 'in' ? this.indexOf(entry.rank, entry.no) : -1));
    const [at, otherAt] = places as [number, number];
    const { rank, no } = one;
    one.rank = other.rank;
    one.no = other.no;
    other.rank = rank;
    other.no = no;
    if (at >= 0 && otherAt >= 0) {
      this.entries[at] = other;
      this.entries[otherAt] = one;
    } else if (at >= 0) this.move(one, at);
    else if (otherAt >= 0) this.move(other, otherAt);
  }

  private move(entry: Entry<W>, from: number): void {
    this.entries.splice(from, 1);
    this.entries.splice(this.indexOf(entry.rank, entry.no), 0, entry);
  }
}

/** The line of a stage. */
export class Line<W extends Queued> {
  readonly lanes: LaneLine<W>[] = [];
  /** Entries in it, the parked ones not among them. */
  size = 0;
  parked = 0;
  private issued = 0;

  lane(index: number): LaneLine<W> {
    while (this.lanes.length <= index) this.lanes.push(new LaneLine<W>());
    return this.lanes[index] as LaneLine<W>;
  }

  /** Puts an entry in: a parked one where it was, another where its arrival or its tenant's tag belongs. */
  enter(entry: Entry<W>, cost: number, fair: boolean): void {
    if (entry.state === 'in') return;
    const { waiter } = entry;
    const lane = this.lane(waiter.lane);
    const isNew = entry.state === 'out';
    if (isNew) {
      this.issued += 1;
      entry.no = this.issued;
      this.rank(entry, lane, cost, fair);
    } else this.parked -= 1;
    entry.state = 'in';
    lane.entries.splice(lane.indexOf(entry.rank, entry.no), 0, entry);
    this.size += 1;
    if (isNew && fair) lane.order(entry);
  }

  /** Its first call is another one than it was. */
  headChanged(entry: Entry<W>, fair: boolean): void {
    if (entry.state === 'out') return;
    if (fair) return this.lane(entry.waiter.lane).order(entry);
    const standing = entry.state === 'in';
    this.leave(entry, false);
    if (standing) this.enter(entry, 0, false);
  }

  /** The first tenant has come: who stood in order of arrival becomes one tenant of the fair order, in that order. */
  makeFair(costOf: (waiter: W) => number): void {
    for (const lane of this.lanes) {
      lane.tenants.clear();
      lane.virtual = 0;
      for (const entry of lane.entries) {
        // Numbers as in the order of the tags: a tenant's tickets stand in the order of their numbers.
        this.issued += 1;
        entry.no = this.issued;
        this.rank(entry, lane, costOf(entry.waiter), true);
      }
    }
  }

  private rank(entry: Entry<W>, lane: LaneLine<W>, cost: number, fair: boolean): void {
    const { waiter } = entry;
    if (!fair) {
      entry.rank = waiter.arrived;
      entry.span = -1;
      return;
    }
    lane.tag(entry, cost / waiter.weight);
  }

  /** Takes an entry out. */
  leave(entry: Entry<W>, served: boolean): void {
    if (entry.state === 'out') return;
    const lane = this.lane(entry.waiter.lane);
    if (entry.span >= 0) lane.untag(entry, served);
    if (entry.state === 'in') this.unlink(lane, entry);
    else this.parked -= 1;
    entry.state = 'out';
    lane.forgetIfEmpty(this.parked);
  }

  /** Its owner is late: it holds nobody up, and keeps its rank. */
  park(entry: Entry<W>): void {
    this.unlink(this.lane(entry.waiter.lane), entry);
    entry.state = 'parked';
    this.parked += 1;
  }

  private unlink(lane: LaneLine<W>, entry: Entry<W>): void {
    lane.entries.splice(lane.indexOf(entry.rank, entry.no), 1);
    this.size -= 1;
  }
}
