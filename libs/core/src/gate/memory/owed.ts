import type { Head } from '../port.js';
import { chargeOf } from './layout.js';
import type { Entry } from './line.js';
import type { Stage, Waiter } from './model.js';

/** Grants a ticket gets in one step, and the most that is owed to one in the fair order. */
export const QUANTUM = 8;

/** As many calls as a ticket may have. */
export const ALL = 255;

/** A ticket whose process is later than this holds nobody up. */
export const GRACE_US = 20_000;

/** Tickets that are looked at in front of one; what stands beyond is taken to be like them. */
const SCAN = 32;

/** What is owed, in a stage, to those who stand in front of a ticket: by account of the stage. */
export class Owed {
  readonly amounts: number[] = [];
  /** The part of it that is owed to better lanes. */
  readonly better: number[] = [];
  /** Late tickets that may still be parked in this step: bounds a step's work. */
  visits = 0;

  clear(books: number): void {
    for (let i = 0; i < books; i += 1) {
      this.amounts[i] = 0;
      this.better[i] = 0;
    }
  }

  /** Adds up what is owed before `waiter`, which is in the line of its stage number `index`. */
  gather(stage: Stage, index: number, waiter: Waiter, now: number): void {
    const books = stage.books.length;
    this.clear(books);
    const own = waiter.entries[index] as Entry<Waiter>;
    let seen = 0;
    for (let lane = 0; lane <= waiter.lane && lane < stage.line.lanes.length; lane += 1) {
      if (lane === waiter.lane) for (let j = 0; j < books; j += 1) this.better[j] = this.amounts[j] as number;
      const entries = stage.line.lanes[lane]?.entries as Entry<Waiter>[];
      const end = lane === waiter.lane ? this.position(stage, own) : entries.length;
      seen = this.gatherLane(stage, index, entries, end, waiter, seen, now);
    }
  }

  private position(stage: Stage, own: Entry<Waiter>): number {
    return stage.line.lane(own.waiter.lane).indexOf(own.rank, own.no);
  }

  private gatherLane(
    stage: Stage,
    index: number,
    entries: Entry<Waiter>[],
    end: number,
    waiter: Waiter,
    before: number,
    now: number,
  ): number {
    let seen = before;
    let i = 0;
    let last = end;
    while (i < last) {
      if (seen >= SCAN) {
        this.extrapolate(stage.books.length, (seen + last - i) / seen);
        return seen + last - i;
      }
      const entry = entries[i] as Entry<Waiter>;
      if (now > entry.waiter.pollAt + GRACE_US && this.visits > 0) {
        this.visits -= 1;
        stage.line.park(entry);
        last -= 1;
        continue;
      }
      seen += 1;
      i += 1;
      if (now <= entry.waiter.pollAt + GRACE_US) {
        this.add(stage, entry, callsBefore(entry, waiter, index), now);
      }
    }
    return seen;
  }

  private extrapolate(books: number, factor: number): void {
    for (let j = 0; j < books; j += 1) this.amounts[j] = (this.amounts[j] as number) * factor;
  }

  /** What is owed for `calls` of the entry's ticket: all, or only a place at its moment where something else holds it up. */
  add(stage: Stage, entry: Entry<Waiter>, calls: number, now: number): void {
    const { waiter } = entry;
    const head = waiter.current();
    // Whom only the retry budget holds up takes no place: it may not come for long.
    if (head === undefined || waiter.aside) return;
    const standing = waiter.inWhole;
    const here = waiter.by === stage || waiter.by === null;
    let count = calls;
    // Of one that this partition holds up, no more is owed than the others would let pass.
    if (standing ? stage.whole || !here : waiter.by === stage) count = Math.min(count, waiter.eligible);
    else if (!here) count = 1;
    this.addFor(stage, waiter, head, count, here, standing, now);
  }

  /** Adds calls owed to one who stands before all others. They take nothing of a reserve that does not renew itself. */
  addClaim(stage: Stage, entry: Entry<Waiter>, calls: number, now: number): void {
    const before = [...this.amounts];
    this.add(stage, entry, calls, now);
    for (let j = 0; j < stage.books.length; j += 1) {
      if (stage.books[j]?.renews === true) continue;
      this.better[j] = (this.better[j] as number) + ((this.amounts[j] as number) - (before[j] as number));
    }
  }

  private addFor(
    stage: Stage,
    waiter: Waiter,
    head: Head,
    count: number,
    here: boolean,
    standing: boolean,
    now: number,
  ): void {
    const positions = waiter.plan.positions[waiter.plan.stages.indexOf(stage)] as readonly number[];
    for (let j = 0; j < stage.books.length; j += 1) {
      const book = stage.books[j] as (typeof stage.books)[number];
      const cost = count * chargeOf(head, positions[j] as number);
      let owed = cost;
      if (!here) owed = book.certain ? book.place(now, waiter.moment, cost) : standing ? cost : 0;
      this.amounts[j] = (this.amounts[j] as number) + owed;
    }
  }
}

/** How many of the entry's calls stand before the head of `waiter`. */
function callsBefore(entry: Entry<Waiter>, waiter: Waiter, index: number): number {
  const other = entry.waiter;
  if (entry.span > 0) {
    if (other.lane < waiter.lane) return Math.min(other.calls, QUANTUM);
    if (other.tenant === waiter.tenant) return Math.min(cameBefore(other, waiter), QUANTUM);
    // Fair order: its head, and the next of its calls whose tags lie before.
    const own = waiter.entries[index] as Entry<Waiter>;
    const next = Math.ceil((own.rank - entry.rank) / entry.span);
    return Math.max(1, Math.min(other.calls, QUANTUM, next));
  }
  return other.lane < waiter.lane ? other.calls : cameBefore(other, waiter);
}

/** How many of the calls of a ticket came before the head of another: one at least, for it stands in front. */
function cameBefore(other: Waiter, waiter: Waiter): number {
  const span = other.newest - other.arrived;
  if (span <= 0) return other.calls;
  const share = (waiter.arrived - other.arrived) / span;
  return Math.max(1, other.calls * (share > 1 ? 1 : share));
}
