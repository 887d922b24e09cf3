import { currentContext, runAsCurrent } from '../context/context.js';
import type { SluiceContext } from '../context/contexts.js';
import type { WhoLooks } from '../errors/unknown-outcome.js';
import type { Permit } from '../gate/admission.js';
import type { Safety } from '../model/outcome.js';
import { admissionRequest } from './admission-request.js';
import { onAbort } from '../time/bounded.js';
import type { AttemptContext, AttemptEnd, AttemptOptions, AttemptResult, Call, CallSpec } from './call.js';
import { CallEnding } from './call-ending.js';
import type { CallEnv } from './call-env.js';
import { type CallPlan, planRequest, type RequestPlan, withoutKey } from './call-plan.js';
import { CurrentAttempt } from './current-attempt.js';
import { hadFairTime } from './fair-time.js';
import { judge } from './judge.js';
import { Wire, type WireEnd } from './wire.js';
import { WriteTrace } from './write-trace.js';

const OBSERVING = {
  kind: 'first',
  deadlineMono: Infinity,
  place: null,
  observe: true,
  signal: undefined,
} as const;

/** A permit, or why there is none: an observed call does not mind. */
type Observed = Permit | null;

/**
 * One observed call: sent at once and unchanged, with neither credentials nor time limits nor retries of ours; charged,
 * judged and told of all the same. Nothing that the gate does or fails to do reaches the caller.
 */
export class ObservedCall implements Call {
  readonly callId: string;
  attempts = 0;
  readonly waitedMs = 0;
  readonly isRecorded = false;

  private readonly context: SluiceContext = currentContext();
  private readonly ending: CallEnding;
  private readonly trace: WriteTrace;

  constructor(
    private readonly env: CallEnv,
    private readonly plan: CallPlan,
    private readonly spec: CallSpec,
  ) {
    this.callId = env.newCallId();
    this.ending = new CallEnding(this, env, plan);
    this.trace = new WriteTrace(this.callId, env, plan, this.context);
  }

  /** Nothing of ours keeps back a request of it: redirects are followed as the client alone would. */
  get safety(): Safety {
    return 'safe';
  }

  get provider(): string {
    return this.env.contract.name;
  }

  get whoLooks(): WhoLooks {
    return this.context.method?.operation?.whoLooks ?? 'caller';
  }

  get operationId(): string | null {
    return this.context.method?.operation?.id ?? null;
  }

  async attempt(
    send: (context: AttemptContext) => Promise<AttemptResult>,
    options: AttemptOptions = {},
  ): Promise<AttemptEnd> {
    const { hop } = options;
    const request = withoutKey(hop === undefined ? this.plan.request : this.hopRequest(hop.request));
    const permit = this.ask(request);
    this.attempts += 1;
    const wire = unlimitedWire(this.env, this.attempts);
    const current = new CurrentAttempt(this.env, this.plan, wire, null, this.operationId);
    this.trace.left(request.safety);
    const trail = this.context.method?.operation?.trail;
    if (request.safety !== 'safe' && trail !== undefined) trail.sent = true;
    this.ending.events.attemptStarted('first', wire.number);
    const startedMono = this.env.clock.monoMs();
    const unlisten = onAbort(request.signals, (reason) => wire.cut('cancelled', reason));
    const end = await wire.run(() => runAsCurrent(this.context, current, () => send(wire)), current);
    unlisten();
    return this.conclude(request, permit, this.unlessHasty(end, wire.runsMs), startedMono, options);
  }

  backoff(): Promise<AttemptEnd | null> {
    return Promise.resolve(null);
  }

  private ask(request: RequestPlan): Observed | Promise<Observed> {
    const { events } = this.ending;
    const failed = (error: unknown): null => {
      this.env.report.hookFailed('gate', error);
      return null;
    };
    const granted = (permit: Permit): Permit => {
      events.granted('first', permit);
      return permit;
    };
    events.asked('first');
    try {
      const given = this.env.admission.admit(
        admissionRequest(this.plan, request, { ...OBSERVING, maxWaitMs: this.plan.laneWaitMs }),
      );
      return 'then' in given ? given.then(granted, failed) : granted(given);
    } catch (error) {
      return failed(error);
    }
  }

  private conclude(
    request: RequestPlan,
    permit: Observed | Promise<Observed>,
    end: WireEnd,
    startedMono: number,
    client: AttemptOptions,
  ): AttemptEnd | Promise<AttemptEnd> {
    const { contract, clock, report } = this.env;
    const { result } = end;
    const judgement = judge(contract, request, end, clock.wallMs(), report);
    const status = result.type === 'answered' ? result.status : null;
    const outcome = end.cut === 'cancelled' && status === null ? 'cancelled' : judgement.outcome;
    this.trace.ended(request.safety, outcome);
    this.ending.events.attemptEnded('first', this.attempts, outcome, status, clock.monoMs() - startedMono);
    if (judgement.reading !== null) this.ending.events.reading(judgement.reading);
    const settle = (given: Observed): void => given?.settle(judgement.settlement);
    if (permit instanceof Promise) void permit.then(settle);
    else if (result.type === 'answered' && result.rest !== undefined) void result.rest.then(() => settle(permit));
    else settle(permit);
    const going = result.type === 'answered' ? client.goesOn?.(result) : null;
    if (!going || result.type !== 'answered') return this.ending.observed(result, outcome, judgement.reading);
    return this.ending.goesOn(going, result, outcome, null);
  }

  /** The client ended it by the caller's own timeout: that tells nothing of the provider where it was a short one. */
  private unlessHasty(end: WireEnd, ranMs: number): WireEnd {
    const { timeoutMs = 0 } = this.spec;
    const isHasty = timeoutMs > 0 && ranMs >= timeoutMs && !hadFairTime(this.env.contract.resolved, ranMs);
    return isHasty && end.result.type === 'failed' && end.cut === null ? { ...end, cut: 'early' } : end;
  }

  private hopRequest(view: RequestPlan['view']): RequestPlan {
    return planRequest(this.env.contract.resolved, view, this.plan.options, this.spec, this.context, this.env.report);
  }
}

function unlimitedWire({ clock }: CallEnv, number: number): Wire {
  return new Wire({
    staleMono: Infinity,
    clock,
    number,
    headers: {},
    bodyFields: {},
    connectMs: 0,
    bodyIdleMs: 0,
    observed: true,
    limit: null,
  });
}
