/** Everything that can be observed, as one typed stream. No event carries a credential, a body, a URL or a raw partition value. */
import type { WaitCause } from '../gate/port.js';
import type { AttemptKind, Decision, Outcome } from '../model/outcome.js';
import type { OperationState, TransitionCause } from '../operations/states.js';
import type { Reading } from '../reading/reading.js';

interface EventBase {
  readonly provider: string;
  /** Wall time in ms. */
  readonly at: number;
}

interface CallEventBase extends EventBase {
  /** Tells calls of one process apart; random, no meaning outside it. */
  readonly callId: string;
  readonly lane: string;
  /** Route template's name; null = unmatched. */
  readonly route: string | null;
  readonly method: string;
}

export type SluiceEvent =
  | (CallEventBase & { readonly type: 'asked'; readonly kind: AttemptKind })
  | (CallEventBase & {
      readonly type: 'granted';
      readonly kind: AttemptKind;
      readonly waitedMs: number;
      readonly waitedFor: readonly {
        readonly cause: WaitCause;
        readonly limitName: string | null;
        readonly ms: number;
      }[];
      readonly probe: boolean;
      /** Observe mode: what would have been. */
      readonly shadow: {
        readonly cause: WaitCause;
        readonly limitName: string | null;
        readonly waitMs: number | null;
      } | null;
    })
  | (CallEventBase & {
      readonly type: 'refused';
      readonly kind: AttemptKind;
      readonly code: string;
      readonly waitedMs: number;
    })
  | (CallEventBase & { readonly type: 'attempt-started'; readonly kind: AttemptKind; readonly attempt: number })
  | (CallEventBase & {
      readonly type: 'attempt-ended';
      readonly kind: AttemptKind;
      readonly attempt: number;
      readonly outcome: Outcome;
      readonly status: number | null;
      readonly durationMs: number;
    })
  | (CallEventBase & { readonly type: 'reading'; readonly reading: Reading })
  | (CallEventBase & {
      readonly type: 'decision';
      readonly decision: Decision;
      readonly reason: string;
      /** Wait before the next attempt; equals the gap that follows. */
      readonly waitMs: number | null;
      readonly waitReason: 'retry-after' | 'backoff' | null;
    })
  | (CallEventBase & {
      readonly type: 'call-ended';
      readonly attempts: number;
      readonly outcome: Outcome;
      readonly durationMs: number;
    })
  | (CallEventBase & { readonly type: 'outcome-unknown'; readonly operationId: string | null })
  | (EventBase & {
      readonly type: 'pause';
      readonly state: 'started' | 'ended';
      /** Names of the limit's dimensions, never their values. */
      readonly countedBy: readonly string[];
      readonly untilMs: number | null;
      readonly step: number;
    })
  | (EventBase & { readonly type: 'breaker'; readonly state: 'open' | 'closed' })
  /** The shared store of the gate stopped answering, or answers again: `outage` of the contract applies in between. */
  | (EventBase & { readonly type: 'outage'; readonly state: 'began' | 'ended' })
  | (EventBase & { readonly type: 'budget'; readonly state: 'spent' })
  | (EventBase & {
      readonly type: 'quota-seen';
      readonly limitName: string;
      readonly remaining: number | null;
      readonly applied: boolean;
    })
  | (EventBase & { readonly type: 'auth'; readonly state: 'refreshed' | 'failed' })
  /** A stored operation moved, by the hand of this process: one event for each move. To `dead` it needs a person. */
  | (EventBase & {
      readonly type: 'operation';
      readonly id: string;
      /** `@Durable({ name })`, else `Class.method`. */
      readonly name: string;
      /** null = it did not exist. */
      readonly from: OperationState | null;
      readonly to: OperationState;
      readonly cause: TransitionCause;
    })
  /** Something was not said and a default was taken, or a function of the contract failed. */
  | (EventBase & { readonly type: 'guess'; readonly about: string; readonly taken: string })
  | (EventBase & { readonly type: 'hook-failed'; readonly hook: string; readonly error: string });

export type SluiceEventType = SluiceEvent['type'];
export type SluiceListener = (event: SluiceEvent) => void;

/** Where events go. `emit` is called with a function so that nothing is built when nobody listens. */
export interface EventSink {
  readonly active: boolean;
  /** `trouble`: the event is a `guess` or a `hook-failed`, which may be listened to when nothing else is. */
  emit(build: () => SluiceEvent, trouble?: 'trouble'): void;
}
