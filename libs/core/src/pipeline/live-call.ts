import { currentContext, runAsCurrent } from '../context/context.js';
import type { SluiceContext } from '../context/contexts.js';
import type { WhoLooks } from '../errors/unknown-outcome.js';
import type { AttemptKind, Safety } from '../model/outcome.js';
import { abortedOf } from '../time/bounded.js';
import { type EndingAttempts, judged, recordEnd } from './attempt-end.js';
import type { AttemptContext, AttemptEnd, AttemptOptions, AttemptResult, Call, CallSpec } from './call.js';
import { CallEnding } from './call-ending.js';
import { CallTrail } from './call-trail.js';
import type { CallEnv } from './call-env.js';
import { type CallPlan, keyOf, planRequest, type RequestPlan, withoutKey } from './call-plan.js';
import { CurrentAttempt } from './current-attempt.js';
import { giveBack, staleFromMono } from './give-back.js';
import type { Judgement } from './judge.js';
import { type DecidingCall, NO_NEW_CREDENTIALS, settled } from './next-step.js';
import { obtain, type Obtained } from './obtain.js';
import { prepare } from './prepare.js';
import { RecordedPart } from './recorded-part.js';
import { UNSENT } from './settlement.js';
import { count, type Pending, type Settled, type Started, type Tries, unlessGivenUp } from './started.js';
import { isStale, Wire, type WireEnd } from './wire.js';
import { bookOf } from './write-book.js';
import { WriteTrace } from './write-trace.js';

type Answered = Extract<AttemptResult, { type: 'answered' }>;
type Send = (context: AttemptContext) => Promise<AttemptResult>;

/** Its grant came too late to be used. */
const STALE = Symbol('stale');

const FIRST: Pending = { kind: 'first', waitMs: 0, place: null };
const NO_OPTIONS: AttemptOptions = Object.freeze({});

/** One enforced call: asks, sends, reads, settles, decides. */
export class LiveCall implements Call, DecidingCall, EndingAttempts {
  readonly callId: string;
  attempts = 0;
  waitedMs = 0;

  private readonly context: SluiceContext = currentContext();
  readonly ending: CallEnding;
  readonly plan: CallPlan;
  /** Null = no operation remembers what is written here. */
  readonly recorded: RecordedPart | null;
  readonly trail: CallTrail | null;
  /** Longest wait of a run or a lookup that holds a worker. */
  readonly maxHoldMs: number;
  readonly trace: WriteTrace;
  /** The same for all attempts. */
  private readonly key: string | null;
  readonly history: Tries;
  private pending: Pending = FIRST;
  /** When the key first left; the provider forgets it `retention` later. */
  private keySentMono: number | null = null;
  /** What the client said of the attempt. */
  private client: AttemptOptions = NO_OPTIONS;

  constructor(
    readonly env: CallEnv,
    plan: CallPlan,
    private readonly spec: CallSpec,
  ) {
    this.callId = env.newCallId();
    const { operation = null, lookup = null } = this.context.method ?? {};
    const trail = operation?.trail ?? lookup?.trail;
    const book = operation?.journal === undefined ? null : bookOf(env, plan, this.context);
    this.recorded = book === null || operation === null ? null : new RecordedPart(this, operation, book);
    this.trail = trail === undefined ? null : new CallTrail(trail, env.clock);
    this.maxHoldMs = (operation?.durable ?? lookup)?.maxHoldMs ?? Infinity;
    this.history = { failures: operation?.durable?.failures ?? 0, refusals: 0, unauthorised: 0 };
    this.key = book === null ? keyOf(plan, this.context) : book.key;
    this.plan = book?.keyless ? { ...plan, request: withoutKey(plan.request) } : plan;
    this.ending = new CallEnding(this, env, this.plan);
    this.trace = new WriteTrace(this.callId, env, this.plan, this.context);
  }

  get isRecorded(): boolean {
    return this.recorded !== null;
  }

  get safety(): Safety {
    return this.plan.request.safety;
  }

  get provider(): string {
    return this.env.contract.name;
  }

  get resendable(): boolean {
    return this.spec.resendable ?? true;
  }

  get whoLooks(): WhoLooks {
    return this.context.method?.operation?.whoLooks ?? 'caller';
  }

  get operationId(): string | null {
    return this.context.method?.operation?.id ?? null;
  }

  attempt(send: Send, options: AttemptOptions = NO_OPTIONS): Promise<AttemptEnd> {
    const kind = this.pending.kind === 'first' && this.trail?.owesRetry ? 'retry' : this.pending.kind;
    this.client = options;
    if (this.recorded !== null) {
      const request = options.hop === undefined ? this.plan.request : this.hopRequest(options.hop);
      const known = this.recorded.foreknown(request, options);
      if (known !== null) return Promise.resolve(known);
    }
    return this.once(send, options, kind, 0);
  }

  private async once(send: Send, options: AttemptOptions, kind: AttemptKind, staleGrants: number): Promise<AttemptEnd> {
    let started: Started;
    try {
      const starting = this.start(kind, options.hop, staleGrants);
      started = starting instanceof Promise ? await starting : starting;
    } catch (error) {
      return this.notSent(kind, error);
    }
    let wire: Wire;
    try {
      if (this.recorded !== null && started.request.safety !== 'safe') {
        started = await this.recorded.book.written(started, options, this.ending.scene());
      }
      const ready = prepare(
        this.env,
        this.plan,
        started,
        this.attempts + 1,
        options.hop?.sameOrigin ?? true,
        this.ending.scene(),
      );
      wire = ready instanceof Promise ? await ready : ready;
      if (started.written !== undefined) this.recorded?.book.checkOpen(this.ending.scene());
    } catch (error) {
      started.permit.settle(UNSENT);
      return this.notSent(kind, error);
    }
    const over = started.written === undefined ? undefined : this.recorded?.book.leaves();
    try {
      const running = this.send(started, wire, send);
      const { request } = started;
      const end = await (request.signals.length === 0 ? running : unlessGivenUp(request, wire, running));
      if (end === null) return this.left(started, wire, running);
      if (!isStale(end)) {
        const concluded = this.conclude(started, wire, end);
        return concluded instanceof Promise ? await concluded : concluded;
      }
    } finally {
      over?.();
    }
    const given = await this.giveBack(started, wire);
    return given === STALE ? this.once(send, options, kind, staleGrants + 1) : given;
  }

  async backoff(): Promise<AttemptEnd | null> {
    const { kind, waitMs, place } = this.pending;
    const { signals } = this.plan.request;
    if (waitMs <= 0 && abortedOf(signals) === undefined) return null;
    try {
      await this.env.sleepers.sleep(waitMs, signals);
      this.waitedMs += waitMs;
      return null;
    } catch (error) {
      this.dropPlace(place);
      return this.notSent(kind, error);
    }
  }

  private notSent(kind: AttemptKind, error: unknown): AttemptEnd | Promise<AttemptEnd> {
    return this.recorded === null ? this.ending.notSent(kind, error) : this.recorded.notSent(kind, error);
  }

  /** At once, where nothing is to be waited for. */
  private start(kind: AttemptKind, hop: AttemptOptions['hop'], staleGrants: number): Started | Promise<Started> {
    const { place } = this.pending;
    this.pending = FIRST;
    const request = hop === undefined ? this.plan.request : this.hopRequest(hop);
    const sameOrigin = hop?.sameOrigin ?? true;
    const wanted = { request, kind, place, sameOrigin, keyDeadlineMono: this.keyDeadlineMono() };
    const obtained = obtain(this, wanted);
    return obtained instanceof Promise
      ? obtained.then((given) => this.startedWith(request, kind, given, staleGrants))
      : this.startedWith(request, kind, obtained, staleGrants);
  }

  private startedWith(
    request: RequestPlan,
    kind: AttemptKind,
    { permit, held, waitedMs }: Obtained,
    staleGrants: number,
  ): Started {
    this.waitedMs += waitedMs;
    const staleMono = staleFromMono(permit, this.env.contract.resolved.guardMs, staleGrants);
    const key = request.safety === 'keyed' ? this.key : null;
    return { request, kind, permit, held, key, staleMono };
  }

  private send(started: Started, wire: Wire, send: Send): Promise<WireEnd> {
    const { request, kind } = started;
    const { clock } = this.env;
    this.attempts += 1;
    if (started.key !== null) this.keySentMono ??= clock.monoMs();
    this.trace.left(request.safety);
    this.trail?.goesOn();
    this.trail?.leaves();
    this.ending.events.attemptStarted(kind, wire.number);
    const current = new CurrentAttempt(this.env, this.plan, wire, started.key, this.operationId);
    return wire.run(() => runAsCurrent(this.context, current, () => send(wire)), current);
  }

  /** The caller is gone; the books are kept in the background. */
  private left(started: Started, wire: Wire, running: Promise<WireEnd>): AttemptEnd {
    const { request } = started;
    if (request.safety !== 'safe') this.trail?.sent();
    const late = running.then((end) => recordEnd(this, started, wire, end));
    this.recorded?.book.goesOn(late);
    return this.ending.cancelled(abortedOf(request.signals)?.reason);
  }

  /** It was not sent, and is asked for anew as if it had not been granted. */
  private async giveBack({ request, kind, permit }: Started, wire: Wire): Promise<AttemptEnd | typeof STALE> {
    this.attempts -= 1;
    this.trace.ended(request.safety, 'refused');
    this.ending.events.attemptEnded(kind, wire.number, 'refused', null, wire.runsMs);
    try {
      this.pending = { kind, waitMs: 0, place: await giveBack(this, permit, kind, request) };
      return STALE;
    } catch (error) {
      return this.notSent(kind, error);
    }
  }

  private conclude(started: Started, wire: Wire, end: WireEnd): AttemptEnd | Promise<AttemptEnd> {
    const judgement = judged(this, started, wire, end);
    const told = this.recorded?.told(started, end, judgement) ?? null;
    if (end.result.type === 'answered') this.ending.lastAnswer = end.result;
    const { failures } = this.history;
    count(this.history, judgement, started.permit, this.env.contract.resolved.breaker);
    if (this.history.failures > failures) this.trail?.countFailure();
    const settling = settled(this, started, end, judgement);
    const waits = settling instanceof Promise || told !== null;
    return waits
      ? this.decidedAfter(started, wire, end, judgement, settling, told)
      : this.decided(end, judgement, settling);
  }

  private async decidedAfter(
    started: Started,
    wire: Wire,
    end: WireEnd,
    judgement: Judgement,
    settling: Settled | Promise<Settled>,
    told: Promise<void> | null,
  ): Promise<AttemptEnd> {
    let known: Settled | null = null;
    try {
      known = await settling;
      if (told !== null) await this.recorded?.heard(told, started.request);
    } catch (error) {
      this.dropPlace(known?.place ?? null);
      wire.abandon(error);
      return this.notSent(started.kind, error);
    }
    return this.decided(end, judgement, known);
  }

  private decided(end: WireEnd, judgement: Judgement, { verdict, place }: Settled): AttemptEnd | Promise<AttemptEnd> {
    const { result } = end;
    if (verdict.action !== 'retry') {
      const going = result.type === 'answered' ? this.client.goesOn?.(result) : null;
      if (going) return this.ending.goesOn(going, result as Answered, judgement.outcome, 'permanent');
      return this.ending.stopped(end, judgement, verdict.action === 'stop' ? verdict : NO_NEW_CREDENTIALS);
    }
    this.pending = { kind: verdict.kind, waitMs: verdict.waitMs, place };
    return this.ending.retry(result, judgement, verdict);
  }

  /** The key stays with the provider's own origin: elsewhere a write is a bare one. */
  private hopRequest({ request, sameOrigin }: NonNullable<AttemptOptions['hop']>): RequestPlan {
    const { contract, report } = this.env;
    const plan = planRequest(contract.resolved, request, this.plan.options, this.spec, this.context, report);
    return sameOrigin && !this.recorded?.book.keyless ? plan : withoutKey(plan);
  }

  /** A key is never sent when the provider may have forgotten it. */
  keyDeadlineMono(): number {
    const { idempotency } = this.env.contract.resolved;
    if (this.recorded !== null) return this.recorded.book.keyDeadlineMono();
    return this.keySentMono === null || idempotency === null ? Infinity : this.keySentMono + idempotency.retentionMs;
  }

  private dropPlace(place: string | null): void {
    if (place !== null) this.env.admission.releasePlace(place);
  }
}
