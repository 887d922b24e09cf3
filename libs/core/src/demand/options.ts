import type { Partition } from '../model/outcome.js';
import type { Shelves } from './reuse.js';

/** One use of a value that others may want at the same moment. */
export interface ShareRequest<T> {
  /** From `DemandKeys`: equal keys mean the same answer for the same eyes. What is kept of it longer than a flight is its hash. */
  readonly key: string;
  /** Index of the lane; 0 = most urgent. */
  readonly lane: number;
  /** Monotonic ms after which this member wants nothing any more; Infinity = none. */
  readonly deadlineMono: number;
  readonly signal: AbortSignal | null;
  /** Whose answer it is: a write of the same partition ends the flight for those who come after it. Default: of none. */
  readonly partition?: Partition;
  /** Answers of the inbound request and partition, which they do not outlive; null = no inbound request. */
  readonly reuse: Map<string, unknown> | null;
  /** A body that can be read once only: it is never shared. */
  readonly streams: boolean;
  /** Whether a later equal read of the same inbound request may have this answer. Default: every answer. */
  readonly reusable?: (value: T) => boolean;
  /** What a member gets that gives up. Default: it is rejected with its signal's reason. */
  readonly givenUp?: (reason: unknown) => T;
  /** An error of its own for each member. Default: a shallow copy. */
  readonly copyError?: (error: unknown) => unknown;
}

/** The shared work, as the one who does it sees it. What it returns may change as members come and go. */
export interface Flight {
  /** Aborted when the last member has left. Undefined where the first one has no signal: then the deadline alone ends it. */
  readonly signal: AbortSignal | undefined;
  /** Latest deadline of its members, in monotonic ms; -Infinity once all have left. */
  deadlineMono(): number;
  /** Best lane of its members. */
  lane(): number;
}

/** Fewer requests for the same answers. One object per provider and application. */
export interface DemandLayer {
  /** Flights under way; 0 when nobody waits. */
  readonly flights: number;
  /**
   * Gives the value of `start`, of a flight that is under way, or of an earlier equal read of the same inbound request.
   * A flight runs in the root async context and its members go on in their own; each gets a copy of its own.
   *
   * @throws SluiceError DEADLINE_EXCEEDED at the member's own deadline; the signal's reason when it is aborted, unless the request
   *   says what it gets then; what `start` throws.
   */
  share<T>(request: ShareRequest<T>, start: (flight: Flight) => Promise<T>, copy: (value: T) => T): Promise<T>;
  /**
   * A write of this partition left, or is over: reads from now on get nothing that was asked before. `kept` holds the answers
   * of its inbound request.
   */
  wrote(partition: Partition, kept: Shelves | null): void;
}
