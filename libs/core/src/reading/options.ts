/**
 * How a provider speaks, as data: where its figures stand, in which unit, and what its statuses and bodies mean. What a
 * contract leaves out is read in the generic way: `Retry-After`, the IETF `RateLimit` fields in all their drafts, and the
 * `X-RateLimit-*` families.
 */
import type { AnswerMeaning } from '../model/outcome.js';
import type { AnswerView } from '../model/views.js';
import type { ReadingKind } from './reading.js';

/**
 * Where a value stands. A plain text is the name of a header. A body path goes by dots; `[]` stands for any element of a
 * list: `errors[].extensions.code`. A body that comes as a text is read as JSON; of one over 65,536 characters the first
 * 32,768 are read, and of the last 16,384 the members of the outermost object that begin there. With `pattern`, the first
 * group of the match in the first 1,024 characters is the value (the whole match where there is no group); with `index`, one
 * item of a comma-separated header.
 */
export type ValueSource =
  | string
  | { readonly header: string; readonly pattern?: Pattern; readonly index?: number }
  | { readonly body: string; readonly pattern?: Pattern };

/** A regular expression; as a text, which can be written as JSON, it takes letters in any case. */
export type Pattern = RegExp | string;

/**
 * How a time is written. `auto`: a number under 1e7 is seconds from now, from 1e9 to 1e11 seconds since 1970, from 1e11 on
 * milliseconds since 1970, between 1e7 and 1e9 unreadable; a text is an HTTP date, an ISO 8601 date (no zone = UTC), a
 * date as JavaScript prints it, or a duration like `6m0s`. The other forms fix what a number means (with `date`: nothing);
 * texts stay readable.
 */
export type TimeForm = 'auto' | 'seconds' | 'milliseconds' | 'epoch-seconds' | 'epoch-milliseconds' | 'date';

/** A time, and how it is written where `auto` would misread it. */
export type TimeSource = ValueSource | { readonly from: ValueSource; readonly as: TimeForm };

/** The name of a limit: fixed, or taken from the answer. */
export type ScopeSource =
  | string
  | {
      readonly from: ValueSource;
      /** Put before the value. Default: nothing. */
      readonly prefix?: string;
    };

/** One window, bucket or policy of which the provider gives figures. Figures that are missing are null. */
export interface WindowOptions {
  /** The provider's name for it; `ReadingOptions.scopes` maps it to a limit. Default: none. */
  readonly scope?: ScopeSource;
  /** What it counts. Default: not said, taken as requests. */
  readonly unit?: string;
  /** What is left. */
  readonly remaining?: ValueSource;
  /** What is used, where `remaining` is not given: left = limit - used, never under 0. */
  readonly used?: ValueSource;
  readonly limit?: ValueSource;
  /** When it is full again. */
  readonly reset?: TimeSource;
  /** Seconds until it is full again (or `as: 'milliseconds'`), where both are given: beats `reset` for the wait, as no clock has a part in it. */
  readonly resetAfter?: TimeSource;
  /** It begins anew at multiples of this many ms since 1970 UTC, where no reset is given. */
  readonly alignedMs?: number;
  /** It refills by this much a second (a number, or where the answer says so) instead of resetting. */
  readonly perSecond?: number | ValueSource;
  /** Its length in seconds (a number, or where the answer says so). */
  readonly windowSeconds?: number | ValueSource;
  /** Kind of a refusal that this window explains. Default: `rate`. */
  readonly kind?: ReadingKind;
}

/** An exact value (texts in any case), a pattern, or whether there is a value at all. */
export type ValueMatch =
  string | number | boolean | RegExp | { readonly matches: Pattern } | { readonly present: boolean };

/** What an answer must look like: all that is named must hold. */
export interface AnswerMatch {
  readonly status?: number | readonly number[];
  /** By header name. */
  readonly headers?: Readonly<Record<string, ValueMatch>>;
  /** By body path; where the path has `[]`, one element that matches is enough. */
  readonly body?: Readonly<Record<string, ValueMatch>>;
  /** Whether the provider tells a wait of more than nothing. */
  readonly hinted?: boolean;
  /** `none`: a window with figures has nothing left; `some`: figures are given and all have something left. */
  readonly remaining?: 'none' | 'some';
}

/** What an answer means that its status alone does not tell. What is left out follows from the status and the figures. */
export interface AnswerRule {
  readonly when: AnswerMatch;
  /** In place of the status's meaning, and of `limited` and `retryable`. */
  readonly means?: AnswerMeaning;
  /** Refused for a limit, though it may not have a 429. */
  readonly limited?: boolean;
  readonly retryable?: boolean;
  readonly kind?: ReadingKind;
  readonly scope?: ScopeSource;
  /** Wait in ms where the answer tells none, as the provider's documentation says. */
  readonly waitMs?: number;
}

/** What `classify` says of an answer: what a rule says, without its `when`. */
export interface Classification extends Omit<AnswerRule, 'when' | 'scope'> {
  /** The provider's name for the limit spoken of. */
  readonly scope?: string;
}

/** Headers that tell of one limit of the contract. At least one of `remaining`, `used` and `reset`. */
export interface QuotaHeaderOptions {
  /** Name of the limit in this contract. */
  readonly limit: string;
  /** Header that tells what is left. */
  readonly remaining?: string;
  /** Header that tells what is used, where none tells what is left; needs `limitHeader`. */
  readonly used?: string;
  /** Header that tells the limit itself. */
  readonly limitHeader?: string;
  /** Header that tells when it is full again. */
  readonly reset?: string;
  /** How `reset` is written: seconds or milliseconds from now, or since 1970, or a date. Default: by its size and form. */
  readonly unit?: 's' | 'ms' | 'epoch-s' | 'epoch-ms' | 'date';
}

export interface ReadingOptions {
  /** Which limit (its name in the contract) a scope of the provider means: `{ core: 'hourly' }`. Scopes left out mean none in particular. */
  readonly scopes?: Readonly<Record<string, string>>;
  /** Where the wait is told; the first that is readable counts. Default: `Retry-After`, numbers being seconds. */
  readonly waits?: readonly TimeSource[];
  /** `longest`: of several readable waits the longest counts. Default: `first`. */
  readonly pickWait?: 'first' | 'longest';
  /** Windows in fields of the provider's own. Given, the generic fields are read only where `fields` names them. */
  readonly windows?: readonly WindowOptions[];
  /** Names of structured fields as the IETF drafts define them. Default: `RateLimit` with `RateLimit-Policy`, unless `windows` is given. */
  readonly fields?: readonly { readonly header: string; readonly policy?: string }[];
  /** Meanings beyond the status; the first that matches decides. The generic ones come after them. */
  readonly rules?: readonly AnswerRule[];
  /** What this request did cost; the first that is readable counts. */
  readonly cost?: ValueSource | readonly ValueSource[];
  /**
   * Unit of `cost`: the charge in it is corrected, where the contract has no `settleUnits`. Default: the unit of the figures
   * shown, else the only one besides requests that limits count.
   */
  readonly costUnit?: string;
  /** The provider's warning that little is left. */
  readonly nearLimit?: { readonly from: ValueSource; readonly is: ValueMatch };
  /** A list of answers within the answer (paths within each element), each read by itself into `parts`. */
  readonly batch?: {
    readonly list: string;
    readonly id?: string;
    readonly status: string;
    readonly headers?: string;
    readonly body?: string;
  };
}

/** The vocabulary with a contract's short forms compiled into it. */
export interface ContractReading extends ReadingOptions {
  readonly classify?: (answer: AnswerView) => AnswerMeaning | Classification | undefined;
}
