import type { Safety, StopReason } from '../model/outcome.js';
import { type BackoffRules, type WaitChance, waitBefore } from './backoff.js';
import type { Trouble } from './trouble.js';

/** The contract's part of the question. */
export interface RetryRules extends BackoffRules {
  readonly maxAttempts: number;
  readonly throttledMaxAttempts: number;
  readonly maxWaitMs: number;
}

/** The attempts of the call so far, the one in question included, by class: a run of failures never eats the goes meant for refusals. */
export interface History {
  readonly failures: number;
  readonly refusals: number;
  readonly unauthorised: number;
}

export interface RetryQuestion {
  readonly trouble: Trouble;
  /** False where the answer says that the same request cannot succeed later. */
  readonly retryable: boolean;
  readonly safety: Safety;
  /** False = the body can be read once only. */
  readonly resendable: boolean;
  /** The provider's hint, already found usable and capped. */
  readonly hintMs: number | null;
  /** What is put on the hint does not make the wait longer than this. Default: no bound. */
  readonly longestHintMs?: number;
  readonly history: History;
  /** Until the call's deadline. */
  readonly remainingMs: number;
  /** What must be left of it when the next attempt starts. */
  readonly needMs: number;
  /** How long the provider still knows the key; Infinity where there is none. */
  readonly keyLeftMs: number;
  /** Whether new credentials can be had. */
  readonly refreshable: boolean;
  /** The retry budget was asked for a place and had none, and the call does not wait for one. */
  readonly budgetSpent: boolean;
  readonly chance: WaitChance;
}

export type RetryVerdict =
  | { readonly action: 'stop'; readonly reason: StopReason | null; readonly waitMs: number | null }
  | {
      readonly action: 'retry';
      /** `retry` is a bet that the budget must allow; `repeat` goes again after a refusal. */
      readonly kind: 'retry' | 'repeat';
      readonly waitMs: number;
      readonly waitReason: 'retry-after' | 'backoff';
    }
  /** Get new credentials, then go again at once. */
  | { readonly action: 'refresh' };

/**
 * What to do after an attempt. A pure function; the table it follows:
 *
 * | trouble               | safe, keyed                  | unkeyed write        |
 * |-----------------------|------------------------------|----------------------|
 * | none                  | done                         | done                 |
 * | limited, locked       | wait, repeat                 | wait, repeat: it did not run |
 * | overloaded            | wait, repeat                 | never: it may have run |
 * | failure, no-answer    | back off, retry              | never: it may have run |
 * | not-sent              | back off, retry              | back off, retry      |
 * | auth                  | refresh once, repeat         | refresh once, repeat |
 * | permanent             | never                        | never                |
 */
export function decide(question: RetryQuestion, rules: RetryRules): RetryVerdict {
  const { trouble, history } = question;
  switch (trouble) {
    case 'none':
      return stop(null);
    case 'permanent':
      return stop('permanent');
    case 'auth':
      return history.unauthorised === 1 && question.refreshable && question.resendable
        ? { action: 'refresh' }
        : stop('auth');
    case 'overloaded':
      return question.safety === 'unkeyed' ? stop('unsafe', question.hintMs) : again(question, rules);
    case 'limited':
    case 'locked':
      return again(question, rules);
    case 'failure':
    case 'no-answer':
      if (question.safety === 'unkeyed') return stop('unsafe');
      return bet(question, rules);
    case 'not-sent':
      return bet(question, rules);
  }
}

function again(question: RetryQuestion, rules: RetryRules): RetryVerdict {
  if (!question.retryable) return stop('permanent');
  if (question.history.refusals >= rules.throttledMaxAttempts) return stop('attempts-exhausted', question.hintMs);
  return afterWaiting('repeat', question, rules);
}

function bet(question: RetryQuestion, rules: RetryRules): RetryVerdict {
  if (question.history.failures >= rules.maxAttempts) return stop('attempts-exhausted', question.hintMs);
  if (question.budgetSpent) return stop('budget-exhausted', question.hintMs);
  return afterWaiting('retry', question, rules);
}

/** A wait that the call cannot or may not sit through is refused at once, never slept through. */
function afterWaiting(kind: 'retry' | 'repeat', question: RetryQuestion, rules: RetryRules): RetryVerdict {
  if (!question.resendable) return stop('unsafe', question.hintMs);
  const tries = question.history.failures + question.history.refusals;
  const { waitMs, waitReason } = waitBefore(tries, question.hintMs, rules, question.chance, question.longestHintMs);
  const toldMs = waitReason === 'retry-after' ? question.hintMs : waitMs;
  if (waitMs > rules.maxWaitMs) return stop('wait-too-long', toldMs);
  if (waitMs >= question.remainingMs || waitMs + question.needMs > question.remainingMs)
    return stop('deadline', toldMs);
  if (waitMs >= question.keyLeftMs) return stop('unsafe', null);
  return { action: 'retry', kind, waitMs, waitReason };
}

function stop(reason: StopReason | null, waitMs: number | null = null): RetryVerdict {
  return { action: 'stop', reason, waitMs };
}
