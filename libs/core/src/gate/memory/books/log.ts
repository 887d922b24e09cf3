import type { Entry } from './saved.js';

/** Of what has left the window, so many parts of a span are told apart. */
const LAPSES = 16;

/** What was charged when, oldest first; what is older than the span is forgotten. Entries are three numbers in a ring: first and last moment, and cost. */
export class ChargeLog {
  private firsts: number[] = [];
  private times: number[] = [];
  private costs: number[] = [];
  private head = 0;
  private size = 0;
  total = 0;
  /** What has left the window of late, oldest first; that of one part of a span is dated by the latest. */
  private lapsed: Entry[] = [];

  /** @param limitEntries beyond so many, charges within a thousandth of the span become one, dated by the latest */
  constructor(private readonly limitEntries = 1024) {}

  get length(): number {
    return this.size;
  }

  private slot(i: number): number {
    const at = this.head + i;
    return at < this.times.length ? at : at - this.times.length;
  }

  timeAt(i: number): number {
    return this.times[this.slot(i)] as number;
  }

  costAt(i: number): number {
    return this.costs[this.slot(i)] as number;
  }

  /** Forgets what was charged at `horizon` or before, but for what `lapsedAfter` tells of it. */
  forget(horizon: number, span: number): void {
    while (this.size > 0 && (this.times[this.head] as number) <= horizon) {
      const cost = this.costs[this.head] as number;
      this.total -= cost;
      if (cost > 0) this.note(this.times[this.head] as number, cost, span);
      this.head = this.head + 1 === this.times.length ? 0 : this.head + 1;
      this.size -= 1;
    }
    if (this.size === 0) this.total = 0;
  }

  /** What was charged after `moment` and has left the window; a span later it is not known any more. */
  lapsedAfter(moment: number): number {
    let sum = 0;
    for (const { time, cost } of this.lapsed) if (time > moment) sum += cost;
    return sum;
  }

  private note(time: number, cost: number, span: number): void {
    const { lapsed } = this;
    const last = lapsed[lapsed.length - 1];
    const grain = span / LAPSES;
    if (last !== undefined && Math.floor(last.time / grain) === Math.floor(time / grain)) {
      lapsed[lapsed.length - 1] = { time, cost: last.cost + cost };
      return;
    }
    lapsed.push({ time, cost });
    while ((lapsed[0] as Entry).time <= time - span) lapsed.shift();
  }

  add(time: number, cost: number, span: number): void {
    this.total += cost;
    if (this.size > 0) {
      const last = this.slot(this.size - 1);
      const lastTime = this.times[last] as number;
      const grain = this.size < this.limitEntries ? 0 : span / 1000;
      if (lastTime === time || (grain > 0 && Math.floor(lastTime / grain) === Math.floor(time / grain))) {
        this.times[last] = time;
        this.costs[last] = (this.costs[last] as number) + cost;
        return;
      }
    }
    if (this.size === this.times.length) this.grow();
    const at = this.slot(this.size);
    this.firsts[at] = time;
    this.times[at] = time;
    this.costs[at] = cost;
    this.size += 1;
  }

  /** All of it, oldest first; what was charged within the same `grain` as one, dated by the latest. */
  entries(grain: number): Entry[] {
    const found: Entry[] = [];
    for (let i = this.size - 1; i >= 0; i -= 1) {
      const last = found[found.length - 1];
      if (last !== undefined && last.time - this.timeAt(i) < grain) {
        found[found.length - 1] = { time: last.time, cost: last.cost + this.costAt(i) };
      } else found.push({ time: this.timeAt(i), cost: this.costAt(i) });
    }
    return found.reverse();
  }

  /** @param entries oldest first */
  replace(entries: readonly Entry[], span: number): void {
    this.size = 0;
    this.total = 0;
    this.lapsed = [];
    for (const { time, cost } of entries) this.add(time, cost, span);
  }

  private grow(): void {
    const firsts: number[] = [];
    const times: number[] = [];
    const costs: number[] = [];
    for (let i = 0; i < this.size; i += 1) {
      firsts.push(this.firsts[this.slot(i)] as number);
      times.push(this.timeAt(i));
      costs.push(this.costAt(i));
    }
    const capacity = Math.max(8, this.size * 2);
    while (times.length < capacity) {
      firsts.push(0);
      times.push(0);
      costs.push(0);
    }
    this.firsts = firsts;
    this.times = times;
    this.costs = costs;
    this.head = 0;
  }

  /** Takes `cost` back from the entry that holds the charge made at `time`, as far as it is still there. */
  takeBack(time: number, cost: number): void {
    let low = 0;
    let high = this.size;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.timeAt(middle) < time) low = middle + 1;
      else high = middle;
    }
    if (low === this.size) return;
    const at = this.slot(low);
    if ((this.firsts[at] as number) > time) return;
    const there = this.costs[at] as number;
    const taken = there < cost ? there : cost;
    this.costs[at] = there - taken;
    this.total -= taken;
  }
}
