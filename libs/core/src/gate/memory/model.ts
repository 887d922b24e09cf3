/** What the gate keeps: stages, tickets that wait in them, leases that hold of them. Plain data; the rules are elsewhere. */
import type { AttemptKind } from '../../model/outcome.js';
import type { Head, WaitCause } from '../port.js';
import type { Book } from './books/book.js';
import type { Permits } from './books/permits.js';
import type { Dated } from './indexed-heap.js';
import type { Template } from './layout.js';
import { Entry, Line } from './line.js';
import { Pause } from './pause.js';

/** What one set of dimension values is counted by: the accounts of its limits, its pause, and one line of tickets. */
export class Stage implements Dated {
  books: Book[] = [];
  /** What it was made from. */
  template: Template | null = null;
  readonly pause = new Pause();
  readonly line = new Line<Waiter>();
  /** When to look whether it has become equal to a new one. */
  due = 0;
  slot = -1;
  order = 0;
  /** Listed with the gate; one that was idle has been dropped. */
  alive = true;
  /** Last step in which something of it became free. */
  freedIn = -1;
  /** It has changed since it was last written to a store. Without a store it is so from the start, and stays so. */
  unsaved = true;

  constructor(
    /** `*`, or `account=<hash>&user=<hash>`, and `route=a,b` where it counts some routes only. */
    readonly key: string,
    /** The whole provider: always there, always last. */
    readonly whole: boolean,
  ) {}

  /** From this moment on it equals a new stage; Infinity = somebody is in it. */
  idleAt(now: number, keepPauseUs: number): number {
    if (this.line.size > 0) return Infinity;
    let at = now;
    if (this.pause.active) at = Math.max(at, this.pause.until + keepPauseUs);
    for (const book of this.books) at = Math.max(at, book.idleAt(now));
    return at;
  }
}

/** How a ticket is judged and charged. */
export interface Plan {
  readonly version: number;
  readonly lane: number;
  readonly tenant: string;
  /** Partitions first, the whole provider last. */
  readonly stages: readonly Stage[];
  /** The accounts of each stage. */
  readonly books: readonly (readonly Book[])[];
  /** For each stage and each of its accounts, the position in `head.charges`. */
  readonly positions: readonly (readonly number[])[];
  /** Stages that a refusal may name, by index of limit. */
  readonly stageOf: ReadonlyMap<number, number>;
  /** The narrowest stage of a limit: the one a refusal without a name is taken for. */
  readonly narrowest: number;
  /** Its accounts of permits, of all its stages. */
  readonly permits: readonly Permits[];
}

/** Whether two plans of a ticket lead through the same lines and accounts. */
export function samePlan(one: Plan, other: Plan): boolean {
  if (one === other) return true;
  if (one.version !== other.version || one.lane !== other.lane || one.tenant !== other.tenant) return false;
  return one.stages.length === other.stages.length && one.stages.every((stage, i) => stage === other.stages[i]);
}

/** How long the provider may go on with a call of the plan after we gave it up. */
export function worksAfterUs({ permits }: Plan): number {
  let longest = 0;
  for (const { worksAfterUs: own } of permits) if (own > longest) longest = own;
  return longest;
}

/** A ticket as the gate keeps it while something waits behind it. */
export class Waiter implements Dated {
  /** Calls that wait behind it. */
  calls = 0;
  /** Those of them that are shown, best first; `head` is the index of the first not yet granted. */
  heads: readonly Head[] = [];
  head = 0;
  /** When its first and its newest call arrived. */
  arrived = 0;
  newest = 0;
  /** When its head can start, as last judged. */
  moment = 0;
  pollAt = 0;
  /** The stage that holds it up; null = none. */
  by: Stage | null = null;
  cause: WaitCause = 'line';
  /** Something of its own holds it up, not a stage: its retries wait for the budget. */
  aside = false;
  /** Retries among those shown that hold no place in the budget. */
  bare = 0;
  /** Calls that its partitions still admit, as last judged: all of them, or all but the one that holds it up. */
  eligible = 0;
  /** One of its shown calls may be repeated without harm. */
  safe = false;
  /** When it is forgotten unless its process asks again. */
  due = 0;
  slot = -1;
  order = 0;
  readonly lane: number;
  readonly tenant: string;
  /** One for each stage of its plan, in order. */
  readonly entries: readonly Entry<Waiter>[];

  constructor(
    readonly processId: string,
    readonly key: string,
    readonly plan: Plan,
    readonly weight: number,
  ) {
    this.lane = plan.lane;
    this.tenant = plan.tenant;
    this.entries = plan.stages.map(() => new Entry<Waiter>(this));
  }

  get inWhole(): boolean {
    return this.entries[this.entries.length - 1]?.state === 'in';
  }

  current(): Head | undefined {
    return this.heads[this.head];
  }
}

/** The right to one attempt, and what it holds until it ends. */
export class Lease implements Dated {
  slot = -1;
  order = 0;
  /** Settled; what it holds of permits it keeps until `due`. */
  settled = false;
  /** It is the probe of a stage's pause or of the breaker. */
  probe = false;
  constructor(
    readonly seq: number,
    readonly plan: Plan,
    readonly charges: readonly number[],
    readonly kind: AttemptKind,
    readonly lane: number,
    readonly grantedAt: number,
    /** When it expires. */
    public due: number,
  ) {}
}
