import { setMaxListeners } from 'node:events';
import type { Clock, Random } from '../../../core/src/index.js';
import { type Behaviour, behaviourOf, type SimulatedAnswer } from './answer.js';
import { BackgroundTraffic } from './background.js';
import { type Faults, faultAfterLimits, faultBeforeLimits, refusalByChance } from './faults.js';
import { KeyBook } from './idempotency.js';
import { Judge, type Judgement } from './judge.js';
import { millisOf } from './limits/counter.js';
import type { Arrival, Effect } from './log.js';
import type { SimulatorOptions } from './options.js';
import { ProviderTime } from './provider-time.js';
import { quotaView, refusal } from './refusal.js';
import { type RawRequest, type SimulatedRequest, toRequest } from './request.js';
import { createRouter, type Matched } from './routes.js';
import type { Script } from './script.js';
import { headersOf, toldOf } from './telling.js';

/** How the handling of a request ends for the one who sent it. */
export type Ending =
  | {
      readonly type: 'answer';
      readonly answer: SimulatedAnswer & { readonly headers: Readonly<Record<string, string>> };
    }
  | { readonly type: 'reset' }
  /** Nothing comes, ever. */
  | { readonly type: 'nothing' };

/** What is the same however the engine is reached, and may change while it runs. */
export interface EngineState {
  readonly log: Arrival[];
  readonly effects: Effect[];
  /** Requests of other programs: how many were let in and refused. */
  readonly others: { accepted: number; limited: number };
  faults: Faults;
  script: Script | null;
}

interface Plan {
  readonly behaviour: Behaviour;
  readonly judgement: Judgement | null;
  readonly delayMs: number;
  /** Quota headers. */
  readonly told: Readonly<Record<string, string>>;
}

const UNSAFE = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

/** The provider without a way to reach it: judges, works, answers, on a given clock. */
export class Engine {
  private readonly judge: Judge;
  private readonly route: (request: SimulatedRequest) => Matched;
  private readonly keys: KeyBook | null;
  private readonly others: BackgroundTraffic;
  private readonly time: ProviderTime;
  private stopped = new AbortController();

  constructor(
    readonly clock: Clock,
    private readonly options: SimulatorOptions,
    private readonly random: Random,
    private readonly state: EngineState,
  ) {
    // Each waiting request listens to it: many of them are no leak.
    setMaxListeners(0, this.stopped.signal);
    this.judge = new Judge(options.limits ?? []);
    this.route = createRouter(options.routes);
    this.keys = options.idempotency === undefined ? null : new KeyBook(options.idempotency);
    this.others = new BackgroundTraffic(options.others ?? []);
    this.time = new ProviderTime(clock);
  }

  /** Takes one request. `left` is aborted when its sender goes away before the end. */
  async handle(raw: RawRequest, left: AbortSignal): Promise<Ending> {
    const request = toRequest(raw);
    const matched = this.route(request);
    const arrival = this.record(request, matched);
    const plan = this.plan(request, arrival);
    try {
      return await this.work(plan, request, matched, arrival, left);
    } finally {
      plan.judgement?.release();
      arrival.endedAtMs = this.clock.monoMs();
    }
  }

  /** Lets go of everything that is under way. What was counted stays. */
  stop(): void {
    this.stopped.abort();
    this.stopped = new AbortController();
    setMaxListeners(0, this.stopped.signal);
  }

  private record(request: SimulatedRequest, { template }: Matched): Arrival {
    const atMs = this.clock.monoMs();
    const { method, path, query, headers, body } = request;
    const arrival: Arrival = {
      number: this.state.log.length + 1,
      atMs,
      wallMs: this.time.wallMsAt(atMs),
      method,
      path,
      query,
      headers,
      body,
      route: template,
      verdict: 'accepted',
      limitedBy: null,
      status: null,
      executed: false,
      endedAtMs: null,
      end: null,
    };
    this.state.log.push(arrival);
    return arrival;
  }

  /** Decides all of it at the moment of arrival. */
  private plan(request: SimulatedRequest, arrival: Arrival): Plan {
    const { state } = this;
    const faults = state.faults.applies?.(request) === false ? { clockSkewMs: state.faults.clockSkewMs } : state.faults;
    this.admitOthers(arrival.atMs);
    const down = faultBeforeLimits(faults);
    if (down !== null) return { behaviour: down, judgement: null, delayMs: down.slowMs ?? 0, told: {} };

    const style = this.options.quotaHeaders ?? 'none';
    const toldWallMs = arrival.wallMs + (faults.clockSkewMs ?? 0);
    const refuse = (by: string, waitMs: number | null, judgement: Judgement | null): Plan => {
      arrival.verdict = 'limited';
      arrival.limitedBy = by;
      const behaviour = { answer: refusal(this.options.refusal ?? {}, waitMs, toldWallMs) };
      return { behaviour, judgement, delayMs: 0, told: toldOf(style, judgement, toldWallMs, waitMs) };
    };
    const chanceMs = refusalByChance(faults, this.random);
    if (chanceMs !== null) return refuse('chance', chanceMs, null);
    const judgement = this.judge.judge(request, this.time.instantAt(arrival.atMs));
    const { limitedBy, waitUs } = judgement;
    if (limitedBy !== null) return refuse(limitedBy, waitUs === null ? null : millisOf(waitUs), judgement);

    const behaviour = state.script?.next(request) ?? faultAfterLimits(faults, this.random) ?? behaviourOf(200);
    const delayMs = this.latencyMs(request) + (behaviour.slowMs ?? 0) + (faults.slowMs ?? 0);
    return { behaviour, judgement, delayMs, told: toldOf(style, judgement, toldWallMs, null) };
  }

  private async work(
    plan: Plan,
    request: SimulatedRequest,
    matched: Matched,
    arrival: Arrival,
    left: AbortSignal,
  ): Promise<Ending> {
    const { behaviour } = plan;
    const executes =
      behaviour.executes ?? (behaviour.answer !== undefined || behaviour.ends === 'hang' ? 'never' : 'first');
    const known = executes === 'never' ? null : (this.keys?.look(request, arrival.atMs) ?? null);
    const key = known?.type === 'new' ? known.key : null;
    const remembered = known?.type === 'answer' ? known.answer : null;
    let own = remembered ?? (executes === 'first' ? this.execute(request, matched, arrival) : null);

    const gone = await this.pass(behaviour.ends === 'hang' ? null : plan.delayMs, left);
    if (own === null && executes === 'last' && !gone) own = this.execute(request, matched, arrival);
    if (arrival.executed && own !== null) this.keys?.executed(key, own);
    else this.keys?.dropped(key);

    if (gone || left.aborted) {
      arrival.end = 'client-left';
      return { type: 'nothing' };
    }
    if (behaviour.ends === 'reset') {
      arrival.end = 'reset';
      return { type: 'reset' };
    }
    const answer = behaviour.answer ?? own ?? { status: 200 };
    plan.judgement?.settle(answer, this.time.instantAt(this.clock.monoMs()));
    const told = this.toldInBody(answer, plan.judgement, request);
    arrival.end = 'answered';
    arrival.status = answer.status;
    return {
      type: 'answer',
      answer: {
        ...told,
        headers: headersOf(told, plan.told, this.time.wallMsAt(this.clock.monoMs()), this.state.faults),
      },
    };
  }

  private toldInBody(answer: SimulatedAnswer, judgement: Judgement | null, request: SimulatedRequest): SimulatedAnswer {
    const { quotaBody } = this.options;
    if (quotaBody === undefined || judgement === null || answer.parts !== undefined) return answer;
    const now = this.time.instantAt(this.clock.monoMs());
    const wallMs = millisOf(now.wallUs) + (this.state.faults.clockSkewMs ?? 0);
    return { ...answer, body: quotaBody(answer.body, quotaView(judgement.view(now), wallMs), request) };
  }

  private execute(
    request: SimulatedRequest,
    { handler, params, template }: Matched,
    arrival: Arrival,
  ): SimulatedAnswer {
    const atMs = this.clock.monoMs();
    arrival.executed = true;
    const given = handler(request, { params, wallMs: this.time.wallMsAt(atMs) });
    const answer = typeof given === 'number' ? { status: given } : given;
    if (UNSAFE.has(request.method) && answer.status < 400) {
      const { method, path, body } = request;
      this.state.effects.push({
        arrival: arrival.number,
        atMs,
        method,
        path,
        route: template,
        body,
        result: answer.body,
      });
    }
    return answer;
  }

  private latencyMs(request: SimulatedRequest): number {
    const { latencyMs = 0 } = this.options;
    return typeof latencyMs === 'function' ? latencyMs(request, this.random) : latencyMs;
  }

  private get finishes(): boolean {
    return this.options.afterDisconnect === 'finish';
  }

  /** Waits; null = until the client leaves. Resolves true when it was cut short. */
  private pass(ms: number | null, left: AbortSignal): Promise<boolean> {
    const signals = ms !== null && this.finishes ? [this.stopped.signal] : [this.stopped.signal, left];
    if (signals.some((signal) => signal.aborted)) return Promise.resolve(true);
    if (ms === 0) return Promise.resolve(false);
    return new Promise((resolve) => {
      const end = (cut: boolean): void => {
        cancel?.();
        for (const signal of signals) signal.removeEventListener('abort', onAbort);
        resolve(cut);
      };
      const onAbort = (): void => end(true);
      const cancel = ms === null ? null : this.clock.schedule(ms, () => end(false));
      for (const signal of signals) signal.addEventListener('abort', onAbort);
    });
  }

  private admitOthers(nowMs: number): void {
    for (const { atMs, request } of this.others.until(this.time.sinceStartMs(nowMs))) {
      const judgement = this.judge.judge(request, this.time.instantSinceStart(atMs));
      judgement.release();
      this.state.others[judgement.limitedBy === null ? 'accepted' : 'limited'] += 1;
    }
  }
}
