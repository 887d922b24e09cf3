import { isSluiceError } from '../errors/sluice-error.js';
import { type WhoLooks, whatNow } from '../errors/unknown-outcome.js';
import type { Permit } from '../gate/admission.js';
import { isBudgetRefusal } from '../gate/client/refusals.js';
import type { AttemptKind, Outcome, StopReason } from '../model/outcome.js';
import type { Reading } from '../reading/reading.js';
import type { RetryVerdict } from '../retry/decide.js';
import { dateOf } from '../time/dates.js';
import { GaveUp } from '../time/bounded.js';
import type { AttemptEnd, AttemptResult } from './call.js';
import type { CallEnv } from './call-env.js';
import { CallEvents } from './call-events.js';
import type { CallPlan } from './call-plan.js';
import type { CallTrail } from './call-trail.js';
import { failure, type FailureScene, reasonOfRefusal, withScene } from './failures.js';
import type { Judgement } from './judge.js';
import type { WireEnd } from './wire.js';

type Answered = Extract<AttemptResult, { type: 'answered' }>;
type Verdict<A extends RetryVerdict['action']> = Extract<RetryVerdict, { action: A }>;

/** What is asked of a call by its ending. */
interface EndingCall {
  readonly callId: string;
  readonly attempts: number;
  readonly operationId: string | null;
  readonly whoLooks: WhoLooks;
  /** Absent = its operation asks for none. */
  readonly trail?: CallTrail | null;
}

/** Turns what happened into the end that the client is told, and into the call's last events. */
export class CallEnding {
  readonly events: CallEvents;
  /** The caller gets the last answer that came, whatever happened after it. */
  lastAnswer: Answered | null = null;
  /** How the last attempt failed that brought no answer: the cause of a refusal that ends the call. */
  private lastFailure: unknown;
  private readonly startedMono: number;
  private askedMono: number | null = null;
  private firstAskedMono: number | null = null;

  constructor(
    private readonly call: EndingCall,
    private readonly env: CallEnv,
    private readonly plan: CallPlan,
  ) {
    const { route, method } = plan.request.view;
    this.events = new CallEvents(env.report, { callId: call.callId, lane: plan.laneName, route, method });
    this.startedMono = env.clock.monoMs();
  }

  /** The gate is asked: until it grants, the call waits. */
  asked(kind: AttemptKind): void {
    this.askedMono = this.env.clock.monoMs();
    this.firstAskedMono ??= this.askedMono;
    this.events.asked(kind);
  }

  /** When it asked for the first time: by this it stands in line, however often it asks. Null = it has not. */
  get arrivedMono(): number | null {
    return this.firstAskedMono;
  }

  granted(kind: AttemptKind, permit: Permit): void {
    this.askedMono = null;
    this.events.granted(kind, permit);
  }

  scene(): FailureScene {
    const { route, method } = this.plan.request.view;
    const { attempts, operationId, whoLooks } = this.call;
    const { name, resolved } = this.env.contract;
    const known = route === null && resolved.routes.length === 0 ? undefined : route;
    const lane = resolved.lanes.length > 1 ? this.plan.laneName : null;
    return { provider: name, method, route: known, site: this.plan.site, lane, attempts, operationId, whoLooks };
  }

  retry(result: AttemptResult, { outcome }: Judgement, verdict: Verdict<'retry'>): AttemptEnd {
    if (result.type === 'failed') this.lastFailure = result.error;
    this.events.decision('retry', verdict.kind, verdict.waitMs, verdict.waitReason);
    return { decision: 'retry', result, outcome, waitMs: verdict.waitMs };
  }

  stopped({ result }: WireEnd, judgement: Judgement, { reason, waitMs }: Verdict<'stop'>): AttemptEnd {
    const nowMs = this.env.clock.wallMs();
    const retryAt = waitMs === null ? null : dateOf(nowMs + waitMs);
    const { trouble } = judgement;
    const uncertain =
      reason === 'unsafe' && (trouble === 'failure' || trouble === 'overloaded' || trouble === 'no-answer');
    const outcome = uncertain ? 'unknown' : judgement.outcome;
    if (outcome === 'unknown') this.events.outcomeUnknown(this.call.operationId);
    else this.call.trail?.stopped(reason, trouble, waitMs);
    if (result.type === 'answered' && judgement.reading !== null) {
      this.end('deliver', reason ?? 'done', outcome);
      return { decision: 'deliver', result, outcome, reading: judgement.reading, reason, retryAt };
    }
    const cause = result.type === 'failed' ? result.error : undefined;
    const error = outcome === 'unknown' ? this.unknown(cause) : this.failed(result, cause);
    this.end('raise', reason ?? outcome, outcome);
    return {
      decision: 'raise',
      result,
      outcome,
      reason,
      error,
      cancelled: false,
      // Whatever was answered before: that this attempt may have happened is what the caller must hear.
      lastAnswer: outcome === 'unknown' ? null : this.lastAnswer,
      retryAt,
    };
  }

  /** The client follows a redirect. That is no answer for its caller, whatever becomes of the next hop. */
  async goesOn(
    going: Promise<void>,
    result: Answered,
    outcome: Outcome,
    reason: StopReason | null,
  ): Promise<AttemptEnd> {
    try {
      await going;
      this.lastAnswer = null;
      return { decision: 'retry', result, outcome, waitMs: 0 };
    } catch (error) {
      this.end('raise', 'redirect', 'failed');
      return {
        decision: 'raise',
        result,
        outcome: 'failed',
        reason,
        error,
        cancelled: false,
        lastAnswer: null,
        retryAt: null,
      };
    }
  }

  /** As it came: whether it is an error is the client's to say. */
  observed(result: AttemptResult, outcome: Outcome, reading: Reading | null): AttemptEnd {
    if (result.type === 'answered' && reading !== null) {
      this.end('deliver', 'observed', outcome);
      return { decision: 'deliver', result, outcome, reading, reason: null, retryAt: null };
    }
    this.end('raise', 'observed', outcome);
    return {
      decision: 'raise',
      result,
      outcome,
      reason: null,
      error: result.type === 'failed' ? result.error : undefined,
      cancelled: outcome === 'cancelled',
      lastAnswer: null,
      retryAt: null,
    };
  }

  /** Nothing was sent: the gate, the credentials or the contract's `beforeSend` refused, or the caller gave up. */
  notSent(kind: AttemptKind, error: unknown): AttemptEnd {
    if (error instanceof GaveUp) return this.cancelled(error.reason);
    const known = isSluiceError(error) ? withScene(error, this.scene(), this.lastFailure) : error;
    const code = isSluiceError(known) ? known.code : 'CONFIG';
    const budgetSpent = isBudgetRefusal(error);
    const reason: StopReason | null = budgetSpent ? 'budget-exhausted' : reasonOfRefusal(code);
    if (isSluiceError(known)) this.call.trail?.refused(code, budgetSpent, known.retryAfterMs);
    const waitedMs = this.askedMono === null ? 0 : this.env.clock.monoMs() - this.askedMono;
    this.events.refused(kind, code, waitedMs);
    this.end('raise', code, 'refused');
    return {
      decision: 'raise',
      result: null,
      outcome: 'refused',
      reason,
      error: known,
      cancelled: false,
      lastAnswer: reason === null ? null : this.lastAnswer,
      retryAt: isSluiceError(known) ? known.retryAt : null,
    };
  }

  /** An earlier run got this answer. */
  remembered(result: Answered, reading: Reading): AttemptEnd {
    this.end('deliver', 'answered-before', 'succeeded');
    return { decision: 'deliver', result, outcome: 'succeeded', reading, reason: null, retryAt: null };
  }

  /** An earlier run may have done it, and it may not be repeated. */
  unknownBefore(error: unknown): AttemptEnd {
    this.events.outcomeUnknown(this.call.operationId);
    this.end('raise', 'unsafe', 'unknown');
    return {
      decision: 'raise',
      result: null,
      outcome: 'unknown',
      reason: 'unsafe',
      error: isSluiceError(error) ? withScene(error, this.scene()) : error,
      cancelled: false,
      lastAnswer: null,
      retryAt: null,
    };
  }

  cancelled(reason: unknown): AttemptEnd {
    this.end('raise', 'cancelled', 'cancelled');
    return {
      decision: 'raise',
      result: null,
      outcome: 'cancelled',
      reason: null,
      error: reason,
      cancelled: true,
      lastAnswer: null,
      retryAt: null,
    };
  }

  private unknown(cause: unknown): unknown {
    const what =
      `it was sent and no trustworthy answer came, so it may have happened. ${whatNow(this.call.whoLooks)} ` +
      'What may be repeated says so: `idempotency` where the provider honours a key, or `safe`.';
    return failure('OUTCOME_UNKNOWN', this.scene(), what, { cause });
  }

  private failed(result: AttemptResult, cause: unknown): unknown {
    if (isSluiceError(cause)) return withScene(cause, this.scene());
    const code = result.type === 'failed' ? result.code : null;
    if (code === 'CONNECT_TIMEOUT') {
      return failure(code, this.scene(), 'no connection within timeouts.connect; nothing was sent.', { cause });
    }
    if (code === 'BODY_TIMEOUT') {
      return failure(code, this.scene(), 'the answer stopped within its body for timeouts.bodyIdle.', { cause });
    }
    return cause;
  }

  private end(decision: 'deliver' | 'raise', reason: string, outcome: AttemptEnd['outcome']): void {
    this.events.decision(decision, reason);
    this.events.ended(this.call.attempts, outcome, this.env.clock.monoMs() - this.startedMono);
  }
}
