import type { AnswerMeaning, HeaderBag } from '../model/outcome.js';
import type { RequestView } from '../model/views.js';
import type { Guess } from './guess.js';

/** What kind of limit, or of other trouble, an answer speaks of. */
export type ReadingKind =
  | 'none'
  | 'rate'
  | 'concurrency'
  | 'cost'
  | 'quota'
  | 'secondary'
  | 'overload'
  | 'poll'
  | 'redirect'
  | 'auth'
  | 'permission'
  | 'unknown'
  | (string & {});

/** One policy or window of an answer that names several. */
export interface ReadingPart {
  readonly scope: string | null;
  readonly unit?: string;
  readonly remaining: number | null;
  readonly limit: number | null;
  readonly resetAt: Date | null;
  readonly window?: number;
  /** Time from the answer to the reset, in ms, without the difference of the clocks. */
  readonly resetInMs?: number;
  /** What the reset is guessed from, if it is. */
  readonly resetGuess?: Guess;
  /** Refill per second, where the answer or the contract tells. */
  readonly perSecond?: number;
  /** Of an answer within a batch: its id, and what `limited` and `waitMs` of a reading mean. */
  readonly id?: string;
  readonly limited?: boolean;
  readonly waitMs?: number | null;
}

/** What an answer says about limits. Figures that are absent or unreadable are null; what only their look tells is said to be a guess. */
export interface Reading {
  /** Refused by the provider for a limit. */
  readonly limited: boolean;
  /** Whether the same request may succeed later, as far as the answer tells. */
  readonly retryable: boolean;
  readonly kind: ReadingKind;
  /** What the contract says that the answer means, where it says so. */
  readonly means?: AnswerMeaning;
  /** How long to wait before the next request, in ms; 0 = none; null = wait, but it is not said how long. */
  readonly waitMs: number | null;
  readonly retryAt: Date | null;
  /** Where a wait of more than an hour is told: the name of a header, or a place in the body. */
  readonly waitFrom?: string;
  /** What `waitMs` is guessed from, if it is: a pipeline does not wait longer for it than `pause.maxGuess`. */
  readonly waitGuess?: Guess;
  /** What makes it a refusal though neither the status nor the contract says so, if anything does. */
  readonly meaningGuess?: Guess;
  readonly remaining: number | null;
  readonly limit: number | null;
  readonly resetAt: Date | null;
  /** Time from the answer to the reset, in ms, without the difference of the clocks. */
  readonly resetInMs?: number;
  /** What the reset is guessed from, if it is. */
  readonly resetGuess?: Guess;
  /** What the figures count, where the answer or the contract tells; else requests. */
  readonly unit?: string;
  /** The provider's name for the limit spoken of. */
  readonly scope: string | null;
  /** True cost of this request, where the answer tells. */
  readonly cost?: number;
  readonly parts?: readonly ReadingPart[];
  /** Refill per second, where the answer tells. */
  readonly perSecond?: number;
  /** The provider warns that little is left. */
  readonly nearLimit?: boolean;
  /** Length of the window, in seconds. */
  readonly window?: number;
  /** `waitMs` is beyond what a date can hold or anyone would wait. */
  readonly overflow?: boolean;
}

/** What `readAnswer` takes. */
export interface Answer {
  readonly status: number;
  readonly headers: HeaderBag;
  readonly body?: unknown;
  /** Local wall time at which the answer came. */
  readonly receivedAt: Date;
  /** What was asked, for `classify`. Default: a request of which nothing is known. */
  readonly request?: RequestView;
}
