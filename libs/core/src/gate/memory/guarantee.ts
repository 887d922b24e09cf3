import type { ResolvedContract } from '../../contract/resolved.js';
import { type Guaranteed, guaranteedBy } from '../guaranteed.js';
import type { Head } from '../port.js';
import { type Book, EPSILON } from './books/book.js';
import { chargeOf } from './layout.js';
import type { Entry } from './line.js';
import { GRACE_US, type Owed, QUANTUM } from './owed.js';
import type { Plan, Stage, Waiter } from './model.js';

/** Of an account, no lane: nothing is kept from it for others. */
const NO_LANE = -1;

/** One that looked too early looks again after an eighth of the time from one call of its guarantee to the next, if no hint comes. */
const LOOKS = 8;

/** What a lane has had beyond its share of all that was granted since; at zero a call is due to it. */
class Claim {
  constructor(
    private readonly numbers: Guaranteed['lanes'][number],
    /** What is due to one that waits is saved up so far: by then the account that is shared out was empty once. */
    private readonly most: number,
    public had: number,
  ) {}

  get share(): number {
    return this.numbers.share;
  }

  /** `own`: the lane was granted it. What it got beyond its share is held against it until the others had what they reserved. */
  granted(cost: number, own: boolean, waits: boolean): void {
    const { share, reserved, permits } = this.numbers;
    if (own) {
      const first = share * Math.max(reserved, permits * cost);
      this.had = Math.min(this.had, first) + cost * (1 - share);
    } else this.had = Math.max(this.had - cost * share, waits ? -this.most : 0);
  }
}

/** Per lane, a share of all that is granted: while a call of it is due, the first of the lane stands before all others. */
export class Guarantees {
  private readonly claims: (Claim | null)[];
  /** Index of the provider-wide account that is shared out, and its rate per microsecond. */
  private readonly account: number;
  private readonly perUs: number;
  readonly any: boolean;

  constructor(contract: ResolvedContract, old: Guarantees | null = null) {
    const numbers = guaranteedBy(contract);
    this.account = numbers?.account ?? -1;
    this.perUs = numbers?.perUs ?? 0;
    this.claims = (numbers?.lanes ?? []).map((lane, index) => {
      if (lane.share <= 0) return null;
      return new Claim(lane, lane.share * (numbers?.size ?? 0), old?.claims[index]?.had ?? 0);
    });
    this.any = this.claims.some((claim) => claim !== null);
  }

  /** Whether the lane has one. */
  of(lane: number): boolean {
    return (this.claims[lane] ?? null) !== null;
  }

  private due(lane: number): boolean {
    return (this.claims[lane]?.had ?? Infinity) <= EPSILON;
  }

  private cost(plan: Plan, head: Pick<Head, 'charges' | 'kind'>): number {
    const positions = plan.positions[plan.positions.length - 1] as readonly number[];
    return chargeOf(head, positions[this.account] as number);
  }

  /** Whether the waiter is the first live one of a lane with a guarantee. */
  leads(stage: Stage, waiter: Waiter, now: number): boolean {
    return this.of(waiter.lane) && first(stage, waiter.lane, now)?.waiter === waiter;
  }

  /** When a call of its lane is due, if all is granted that the rate allows. */
  moment(waiter: Waiter, now: number): number {
    const claim = this.claims[waiter.lane] ?? null;
    if (claim === null) return Infinity;
    if (this.due(waiter.lane)) return now;
    const head = waiter.current();
    const least = head === undefined ? 0 : this.cost(waiter.plan, head) / LOOKS;
    return now + Math.ceil(Math.max(claim.had, least) / (claim.share * this.perUs));
  }

  /** So many calls like its first are due to the waiter, which is the first of its lane. */
  private calls(waiter: Waiter): number {
    const head = waiter.current();
    const cost = head === undefined ? 0 : this.cost(waiter.plan, head);
    const had = this.claims[waiter.lane]?.had ?? 0;
    return Math.min(waiter.calls, QUANTUM, cost > 0 ? 1 + Math.floor(-had / cost + EPSILON) : 1);
  }

  /**
   * Nothing is owed in front of one whose lane is due a call; to each other lane that is due one, so many are owed. True = it
   * is such a one: what is kept for other lanes is not kept from it. That it is due says that others were granted all else.
   */
  adjust(owed: Owed, stage: Stage, waiter: Waiter, now: number): boolean {
    if (!this.any) return false;
    if (this.due(waiter.lane) && this.leads(stage, waiter, now)) {
      owed.clear(stage.books.length);
      return true;
    }
    for (let lane = waiter.lane + 1; lane < this.claims.length; lane += 1) {
      const entry = this.due(lane) ? first(stage, lane, now) : undefined;
      if (entry !== undefined) owed.addClaim(stage, entry, this.calls(entry.waiter), now);
    }
    return false;
  }

  /** The first of each lane that is due a call, and how many are due to it: they stand before all others. */
  dueIn(stage: Stage, now: number): { readonly waiter: Waiter; readonly calls: number }[] {
    const found: { readonly waiter: Waiter; readonly calls: number }[] = [];
    for (let lane = 0; this.any && lane < this.claims.length; lane += 1) {
      const entry = this.due(lane) ? first(stage, lane, now) : undefined;
      if (entry !== undefined) found.push({ waiter: entry.waiter, calls: this.calls(entry.waiter) });
    }
    return found;
  }

  charge(plan: Plan, head: Pick<Head, 'charges' | 'kind'>): void {
    const cost = this.cost(plan, head);
    const { lanes } = (plan.stages[plan.stages.length - 1] as Stage).line;
    for (let lane = 0; lane < this.claims.length; lane += 1) {
      const waits = (lanes[lane]?.entries.length ?? 0) > 0;
      this.claims[lane]?.granted(cost, lane === plan.lane, waits);
    }
  }
}

/** The lane by which an account judges one that is `due` a call of its guarantee. A reserve that comes back with a new period only stays what it is. */
export function laneFor(book: Book, lane: number, due: boolean): number {
  return due && book.renews ? NO_LANE : lane;
}

function first(stage: Stage, lane: number, now: number): Entry<Waiter> | undefined {
  return stage.line.lanes[lane]?.entries.find((entry) => now <= entry.waiter.pollAt + GRACE_US);
}
