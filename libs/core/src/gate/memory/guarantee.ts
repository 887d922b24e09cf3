import type { ResolvedContract } from '../../contract/resolved.js';
import type { Head } from '../port.js';
import { chargeOf } from './layout.js';
import type { Entry } from './line.js';
import { GRACE_US, type Owed } from './owed.js';
import type { Plan, Stage, Waiter } from './model.js';

/** A guarantee saves up so much of its rate. */
const BURST_US = 200_000;

/** What a lane has had of its guarantee, drained at its rate. */
class Claim {
  private level = 0;
  private at = 0;

  constructor(
    private readonly rate: number,
    old: Claim | null,
  ) {
    this.level = old?.level ?? 0;
    this.at = old?.at ?? 0;
  }

  private room(cost: number): number {
    return Math.max(this.rate * BURST_US, cost);
  }

  private now(now: number): number {
    this.level = Math.max(0, this.level - (now - this.at) * this.rate);
    this.at = now;
    return this.level;
  }

  moment(now: number, cost: number): number {
    const need = this.now(now) + cost - this.room(cost);
    return need <= 1e-9 ? now : now + Math.ceil(need / this.rate);
  }

  charge(now: number, cost: number): void {
    this.level = Math.min(this.room(cost), this.now(now) + cost);
  }
}

/** Per lane, a bucket of its guaranteed rate: while it holds a call, the first of the lane stands before all others. */
export class Guarantees {
  private readonly buckets: (Claim | null)[];
  /** Index of the provider-wide account whose rate is shared out. */
  private readonly account: number;
  readonly any: boolean;

  constructor(contract: ResolvedContract, old: Guarantees | null = null) {
    const wide = contract.limits.filter((limit) => limit.countedBy.length === 0 && limit.routes === null);
    this.account = wide.findIndex((limit) => limit.kind !== 'concurrency' && limit.kind !== 'quota');
    const rate = wide[this.account];
    const perUs = rate !== undefined && 'perMs' in rate ? rate.limit / (rate.perMs * 1000) : 0;
    this.buckets = contract.lanes.map((lane) => {
      if (lane.guarantee <= 0 || perUs <= 0) return null;
      return new Claim(lane.guarantee * perUs, old?.buckets[lane.index] ?? null);
    });
    this.any = this.buckets.some((bucket) => bucket !== null);
  }

  private cost(waiter: Waiter): number {
    const head = waiter.current();
    const positions = waiter.plan.positions[waiter.plan.positions.length - 1] as readonly number[];
    return head === undefined ? 1 : chargeOf(head, positions[this.account] as number);
  }

  /** Whether the waiter is the first live one of a lane with a guarantee. */
  leads(stage: Stage, waiter: Waiter, now: number): boolean {
    return (this.buckets[waiter.lane] ?? null) !== null && first(stage, waiter.lane, now)?.waiter === waiter;
  }

  moment(waiter: Waiter, now: number): number {
    return this.buckets[waiter.lane]?.moment(now, this.cost(waiter)) ?? Infinity;
  }

  /** Nothing is owed in front of one whose guarantee holds; one call is owed to each other lane whose guarantee holds. */
  adjust(owed: Owed, stage: Stage, waiter: Waiter, now: number): void {
    if (!this.any) return;
    if (this.leads(stage, waiter, now) && this.moment(waiter, now) <= now) return owed.clear(stage.books.length);
    for (let lane = waiter.lane + 1; lane < this.buckets.length; lane += 1) {
      if ((this.buckets[lane] ?? null) === null) continue;
      const entry = first(stage, lane, now);
      if (entry !== undefined && this.moment(entry.waiter, now) <= now) owed.addClaim(stage, entry, now);
    }
  }

  /** The first of each lane whose guarantee holds: they stand before all others. */
  claims(stage: Stage, now: number): Entry<Waiter>[] {
    const claims: Entry<Waiter>[] = [];
    for (let lane = 0; this.any && lane < this.buckets.length; lane += 1) {
      const entry = (this.buckets[lane] ?? null) === null ? undefined : first(stage, lane, now);
      if (entry !== undefined && this.moment(entry.waiter, now) <= now) claims.push(entry);
    }
    return claims;
  }

  charge(plan: Plan, head: Pick<Head, 'charges' | 'kind'>, now: number): void {
    const bucket = this.buckets[plan.lane] ?? null;
    if (bucket === null) return;
    const positions = plan.positions[plan.positions.length - 1] as readonly number[];
    bucket.charge(now, chargeOf(head, positions[this.account] as number));
  }
}

function first(stage: Stage, lane: number, now: number): Entry<Waiter> | undefined {
  return stage.line.lanes[lane]?.entries.find((entry) => now <= entry.waiter.pollAt + GRACE_US);
}
