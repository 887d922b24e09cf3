import type { WaitCause } from '../../port.js';
import type { Lapse, Saved } from './saved.js';

/** Rounding of doubles that is forgiven when a cost just fits. */
export const EPSILON = 1e-9;

/** Reset times are told in whole seconds, rounded either way. */
export const RESET_ROUNDING_US = 1_000_000;

/** A reset may be told so much later than it is: rounded up, and reckoned from an answer's Date, which is rounded down. */
export const RESET_LATE_US = 2_000_000;

/** How long a waiter for something whose moment is unknown sleeps before it looks again, if no hint comes. */
export const FALLBACK_US = 1_000_000;

/** What a provider says is left, as it begins to answer. */
export interface Figure {
  readonly remaining: number;
  /** What was charged by calls that reached it later, and that it has not counted. */
  readonly later: number;
  readonly resetInUs: number | null;
  /** When the call that it answers was granted. */
  readonly grantedAt: number;
  /** Calls granted from then on reached it later for certain. */
  readonly laterFrom: number;
}

/**
 * The account of one limit in one stage. Costs are in the limit's own unit; moments are microseconds of the gate's clock.
 * All state is numbers and is brought up to `now` by whoever looks at it.
 */
export interface Book {
  /** Index of its limit in the contract; -1 = made from a lane's or the tenants' options. */
  limit: number;
  readonly cause: WaitCause;
  /** Whether the moment it names is a promise. A permit's return is not. */
  readonly certain: boolean;
  /** The earliest moment from `start` on at which `owed` and then `cost` fit; Infinity = `lane` can never have so much. */
  moment(now: number, start: number, lane: number, owed: number, cost: number): number;
  /** What is used of it comes back by itself, all the time: so does a reserve of it. Absent = it does not, or it has no reserves. */
  readonly renews?: boolean;
  /** What is left of the lane's own reserve: nobody else can have it, whoever stands in front. Absent = there are no reserves. */
  ownLeft?(now: number, lane: number): number;
  /** How many calls of `cost` fit now. */
  admits(now: number, lane: number, cost: number): number;
  /** What a place for `cost` at `moment` takes from what is there now: the rest has come back by then. */
  place(now: number, moment: number, cost: number): number;
  charge(now: number, lane: number, cost: number): void;
  /** Takes back a charge of `grantedAt` whose call never reached the provider. */
  refund(now: number, lane: number, cost: number, grantedAt: number): void;
  /** Corrects a charge by `extra` (negative: it cost less). */
  correct(now: number, lane: number, extra: number, grantedAt: number): void;
  /** The provider refused for this limit: nothing is left. */
  empty(now: number): void;
  /** The provider says what is left: what has come back since its call was granted is no news. True = the rest was. */
  lower(now: number, figure: Figure): boolean;
  /** The longest time to a reset that this limit can have. */
  longestResetUs(now: number): number;
  /** The provider said that nothing is left until then: a longer window than this one's is spent. */
  shutUntil: number;
  /** Used at `now`, for an operator. */
  used(now: number): number;
  readonly capacity: number;
  /** From this moment on it equals a new book. */
  idleAt(now: number): number;
  /** What must outlive the process. */
  save(now: number): Saved;
  /**
   * Of a new book: holds at least what was saved (null = nothing), and `more` that may have been used until `now`; Infinity
   * = as much as it holds. What it holds already is not added to: the larger counts.
   *
   * @throws TypeError when `saved` is not what such a book saves.
   */
  restore(now: number, saved: Saved | null, lapse: Lapse, more: number): void;
  /** How long it takes at most until all that it holds is free again. */
  refillUs(now: number): number;
}
