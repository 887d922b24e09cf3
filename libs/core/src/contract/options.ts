import type { AnswerMeaning, Units } from '../model/outcome.js';
import type { AnswerView, RequestView } from '../model/views.js';
import type { Classification, QuotaHeaderOptions, ReadingOptions } from '../reading/options.js';
import type { AuthOptions } from './auth-options.js';

export type { AnswerView, RequestView } from '../model/views.js';

/** Milliseconds as a number, or a text with its unit: `'500ms'`, `'5s'`, `'1m'`, `'36h'`, `'7d'`. */
export type Duration = number | `${number}${'ms' | 's' | 'm' | 'h' | 'd' | 'w'}`;

/** `enforce` acts; `observe` counts and judges but never delays, refuses or changes a call. */
export type Mode = 'enforce' | 'observe';

interface LimitCommon {
  /** Name in events, errors and `units`; the provider's readings refer to it by `reading.scopes`. Default: its kind, with a number where that is taken. */
  readonly name?: string;
  /** What is counted. Default: `requests`. */
  readonly unit?: string;
  /** Dimensions this limit is counted by. Default: all the contract names; `[]` = the whole provider. */
  readonly countedBy?: readonly string[];
  /** Names of routes this limit is for. Default: every request. */
  readonly routes?: readonly string[];
  /** Whether the provider counts requests it refused against this limit. Default: `count`. */
  readonly refusedCalls?: 'count' | 'free';
}

/** A burst `B` and a sustained rate `r` = `limit` per `per`. */
export interface TokenBucketOptions extends LimitCommon {
  readonly burst: number;
  readonly limit: number;
  readonly per: Duration;
}

/** At most `limit` in every window of length `per`, wherever it begins. Also right for a window of unknown kind. */
export interface SlidingWindowOptions extends LimitCommon {
  readonly limit: number;
  readonly per: Duration;
}

/** At most `limit` in each window of length `per`. */
export interface FixedWindowOptions extends LimitCommon {
  readonly limit: number;
  readonly per: Duration;
  /**
   * Where windows begin: `clock` = at multiples of `per` since 1970 UTC; `unknown` = counted as a sliding window until the
   * provider's reset times have shown it to within two seconds. Default: `unknown`.
   */
  readonly align?: 'clock' | 'unknown';
}

/** At most `limit` requests under way at once. */
export interface ConcurrencyOptions extends LimitCommon {
  readonly limit: number;
  /** How long the provider may go on working after we gave up on an attempt. Default: `0s`. */
  readonly worksAfterTimeout?: Duration;
}

/** At most `limit` in a calendar day or month. */
export interface QuotaOptions extends LimitCommon {
  readonly limit: number;
  readonly per: 'day' | 'month';
  /** IANA name of the zone whose midnight begins the period. Default: `UTC`. */
  readonly timeZone?: string;
  /** Share (0 to 1) of the quota that only the named lane may use: `{ interactive: 0.1 }`. Default: none. */
  readonly reserve?: Readonly<Record<string, number>>;
  /** Accept that the used amount is forgotten at a restart, where no store keeps it. Default: false. */
  readonly volatile?: boolean;
}

export type LimitOptions =
  | ({ readonly kind: 'token-bucket' } & TokenBucketOptions)
  | ({ readonly kind: 'sliding-window' } & SlidingWindowOptions)
  | ({ readonly kind: 'fixed-window' } & FixedWindowOptions)
  | ({ readonly kind: 'concurrency' } & ConcurrencyOptions)
  | ({ readonly kind: 'quota' } & QuotaOptions);

export interface LaneOptions {
  /** Tokens and permits of the provider-wide limits that other lanes may not touch: one number for all, or one by limit name. Default: 0. */
  readonly reserve?: number | Readonly<Record<string, number>>;
  /**
   * Share (0 to 1) of all that is granted, by its cost in the first provider-wide limit that has a rate, which this lane gets even while more urgent lanes want it all: out of their reserves
   * of tokens and permits where it must. Default: 0.
   */
  readonly guarantee?: number;
  /** The most this lane may start, whatever is free: a bucket that saves up one call, or what its rate makes in 200 ms; charged with first attempts. Default: none. */
  readonly ceiling?: { readonly limit: number; readonly per: Duration };
  /** Waiting calls of this lane. Default: `queue.maxSize`. */
  readonly maxQueued?: number;
  /** Longest wait in this lane's line. Default: `queue.maxWait`. */
  readonly maxWait?: Duration;
  /** Whether undecorated calls come here. Default: the last lane. */
  readonly default?: boolean;
  /** Default: the contract's `mode`. */
  readonly mode?: Mode;
}

export interface TenantOptions {
  /** Largest share (0 to 1) of permits and queue places one tenant may hold, never under one place. Default: 1. */
  readonly maxShare?: number;
  /** Waiting calls of one tenant. Default: `queue.maxSize`. */
  readonly maxQueued?: number;
  /** Weight of a tenant in the fair order. Default: 1 for each. */
  readonly weight?: (tenant: string) => number;
}

export interface QueueOptions {
  /** Waiting calls of the provider in this process. Default: 1,000. */
  readonly maxSize?: number;
  /** Longest wait for admission. Default: `3m`. */
  readonly maxWait?: Duration;
  /** `certain` refuses at once only what cannot start in time whatever happens; `likely` what would not by its position. Default: `certain`. */
  readonly refuse?: 'certain' | 'likely';
}

export interface TimeoutOptions {
  /** Lookup, connection and TLS. Default: `5s`. */
  readonly connect?: Duration;
  /** One attempt, from its grant to the last byte (streams: to the headers). Default: `10s`. */
  readonly attempt?: Duration;
  /** Longest silence within a streamed body. Default: `10s`. */
  readonly bodyIdle?: Duration;
  /** The whole call: waits, attempts and all. Default: `5m`. */
  readonly total?: Duration;
}

export interface RetryBudgetOptions {
  /** Largest share (0 to 1) of all requests in a minute that may be retries after failures. Default: 0.1. */
  readonly ratio?: number;
  /** The only period offered. Default: `1m`. */
  readonly per?: '1m';
  /** Retries a minute that are allowed however few the requests. Default: 4, so that a quiet provider's call gets its five attempts. */
  readonly floor?: number;
  /** What durable work does that finds the budget spent. Default: `wait`. */
  readonly onSpent?: 'wait' | 'dead-letter';
}

export interface RetryOptions {
  /** Attempts after failures, the first one included. Default: 5. */
  readonly maxAttempts?: number;
  /** Goes again after refusals by the provider are counted apart. */
  readonly throttled?: {
    /** Attempts that may be refused, the first one included. Default: 5. */
    readonly maxAttempts?: number;
  };
  /** Base of the full-jitter backoff: a wait of 0 to base x 2^k. Default: `1s`. */
  readonly baseDelay?: Duration;
  /** Cap of the backoff. Default: `30s`. */
  readonly maxDelay?: Duration;
  /** Longest wait before an attempt that a call in this process sits through. Default: `61s`. */
  readonly maxWait?: Duration;
  /** `full`: 0 to the cap (AWS Architecture Blog, "Exponential Backoff And Jitter"); `none` for tests. Default: `full`. */
  readonly jitter?: 'full' | 'none';
  /** `false` switches the budget off. */
  readonly budget?: RetryBudgetOptions | false;
}

export interface PauseOptions {
  /** Pause after a refusal without a hint. Default: `1m`. */
  readonly initial?: Duration;
  /** Default: 2. */
  readonly factor?: number;
  /** Default: `30m`. */
  readonly max?: Duration;
  /** Longest hint of the provider that is believed. Default: `7d`. */
  readonly maxHint?: Duration;
  /**
   * Longest wait on what has to be guessed: a reset or a moment whose unit only its size tells, where the contract does not
   * name it. The defaults of `initial`, `max` and `retry.maxDelay` are no longer than it. Default: none; such a reset is
   * believed up to `maxHint`.
   */
  readonly maxGuess?: Duration;
  /** Age at which durable work is flushed once a pause has lasted as long. Default: `36h`. */
  readonly flushAfter?: Duration;
}

export interface BreakerOptions {
  /** Failures in a row that open it. Default: 5, where no `failureRate` is given. */
  readonly consecutiveFailures?: number;
  /** Share (0 to 1) of failures among at least `minVolume` outcomes within `per` that opens it. */
  readonly failureRate?: { readonly share: number; readonly minVolume: number; readonly per: Duration };
  /** Time between probes while it is open. Default: `1m`. */
  readonly probeEvery?: Duration;
  /** What a call meets while it is open. Default: `refuse`. */
  readonly whileOpen?: 'refuse' | 'wait';
}

export interface IdempotencyOptions {
  /** Header that carries the key. Default: `Idempotency-Key`. */
  readonly header?: string;
  /** Field of a JSON body that carries it instead. */
  readonly bodyField?: string;
  /** How long the provider remembers a key. A repeat is never sent past it. Default: `24h`. */
  readonly retention?: Duration;
  /** Methods that accept a key: `['POST']`. Default: every write. */
  readonly methods?: readonly string[];
  /** Routes (names) or methods that accept a key, besides `methods`. Default: every write, where `methods` is not given either. */
  readonly accepts?: readonly string[];
}

export interface ReconcileOptions {
  /** How long after a write its effect can surely be looked up at the provider; `absent` counts when it is said twice, so far apart. Default: `1m`. */
  readonly settleTime?: Duration;
}

export interface DemandOptions {
  /** One flight for concurrent equal reads of one partition, tenant and authorisation; none from before a write's end for those after it. Default: true. */
  readonly singleFlight?: boolean;
  /** Reuse of an equal read's answer within one inbound request, until it writes to the same partition. Default: false. */
  readonly requestReuse?: boolean;
}

/** What `defineProvider` takes. */
export interface ProviderOptions {
  /** Names the provider in decorators, errors, events and keys: letters, digits, `-`, `_` and `.`. */
  readonly name: string;
  /** Defaults of the provider's HTTP client; any option of Axios. */
  readonly http?: { readonly baseURL?: string; readonly [option: string]: unknown };
  /** Names of what limits may be counted by. Default: none. */
  readonly dimensions?: readonly string[];
  readonly limits: readonly LimitOptions[];
  /** Templates: `{ contact: 'GET /contacts/:id' }`. They label, cost and limit. Default: none. */
  readonly routes?: Readonly<Record<string, string>>;
  /** What a request costs, before it is sent. Default: `{ requests: 1 }`. A unit it leaves out costs what `defaultUnits` says. */
  readonly units?: (request: RequestView) => Units;
  /** Cost of a unit that `units` does not name. Default: 1 of each unit a limit counts. */
  readonly defaultUnits?: Units;
  /** What it did cost, from its answer; corrects the charge once. */
  readonly settleUnits?: (answer: AnswerView) => Units | undefined;
  /** What may be repeated without harm: `'GET *'`, a route's name, `'POST /search'`. Default: `GET *`, `HEAD *`, `OPTIONS *`. */
  readonly safe?: readonly string[];
  /** Whether GraphQL query documents sent by POST are safe. Default: false. */
  readonly graphql?: boolean;
  /** First = most urgent. Default: one lane, `default`. */
  readonly lanes?: Readonly<Record<string, LaneOptions>>;
  readonly tenants?: TenantOptions;
  readonly queue?: QueueOptions;
  readonly timeouts?: TimeoutOptions;
  readonly retry?: RetryOptions;
  readonly pause?: PauseOptions;
  /** Default: off. */
  readonly breaker?: BreakerOptions | false;
  /** How the provider speaks: names, units and meaning of its headers and bodies. Default: the generic reading. */
  readonly reading?: ReadingOptions;
  /** Short form of `reading.windows` and `reading.scopes`: which headers tell of which limit. They come before those of `reading`. */
  readonly quotaHeaders?: readonly QuotaHeaderOptions[];
  /** Short form of `reading.rules`: what a status means, by its number. The rules of `reading` come before it. */
  readonly statuses?: Readonly<Record<number, AnswerMeaning>>;
  /**
   * What an answer means, where data cannot say it: asked first of all, once per answer; undefined = as the rules and the
   * status say. One that throws, or gives what is no meaning, is reported and changes nothing.
   */
  readonly classify?: (answer: AnswerView) => AnswerMeaning | Classification | undefined;
  readonly auth?: AuthOptions;
  /** Whether and how the provider honours idempotency keys. Default: it does not; `false` and `'unsupported'` say the same. */
  readonly idempotency?: IdempotencyOptions | 'unsupported' | false;
  /** When uncertain writes are looked up. It needs a durable store. */
  readonly reconcile?: ReconcileOptions;
  /** Last look at a request before it is sent, e.g. to sign it: returns headers to set. One that throws refuses the call unsent. */
  readonly beforeSend?: (
    request: RequestView,
  ) => Readonly<Record<string, string>> | void | Promise<Readonly<Record<string, string>> | void>;
  readonly demand?: DemandOptions;
  /** Share (0 to 1] of every limit that is ours where others use the account. Default: 1. */
  readonly ourShare?: number;
  /** Largest spread of the time from a grant to its arrival at the provider. Default: `100ms`. */
  readonly guard?: Duration;
  /** What happens when the shared store is away. Default: `local-share`. */
  readonly outage?: 'local-share' | 'closed' | 'open';
  /** Default: `enforce`. */
  readonly mode?: Mode;
}

/** What `RateLimitService.update` may change while calls are under way. */
export type ProviderPatch = Partial<
  Pick<
    ProviderOptions,
    | 'limits'
    | 'lanes'
    | 'tenants'
    | 'queue'
    | 'timeouts'
    | 'retry'
    | 'pause'
    | 'breaker'
    | 'ourShare'
    | 'guard'
    | 'mode'
  >
>;
