/** In place of Redis: the memory engine, a round trip away, which takes its steps one after the other, each for as long as it takes. */
import type { Clock, ResolvedContract } from '../../libs/core/src/index.js';
import { Engine } from '../../libs/core/src/gate/memory/engine.js';
import type { GateEnv, ProviderGate, StepInput, StepReply } from '../../libs/core/src/gate/port.js';

const US_PER_MS = 1_000;
/** To Redis and back, from the model of the figures. */
const ROUND_TRIP_MS = 1;
/** A reply that is not there by then is taken for silence, as by the gate in Redis (`gateTimeout`). */
const TIMEOUT_MS = 100;
/** So many of those who stand in front does a step read. */
const MOST_READ = 64;

/** What a step takes of the one core that Redis has; zero = nothing. */
export interface StepTime {
  readonly eachMs: number;
  readonly askMs: number;
  readonly settleMs: number;
  /** For each of those who stand in front of all, as far as they are read. */
  readonly standingMs: number;
}

export const NO_TIME: StepTime = { eachMs: 0, askMs: 0, settleMs: 0, standingMs: 0 };

export class ModelledStore {
  steps = 0;
  hints = 0;
  /** Most steps in a second. */
  peak = 0;
  /** Steps whose reply did not come in time. */
  silent = 0;
  /** The longest that a process waited for a reply. */
  slowestMs = 0;
  /** Time spent in steps. */
  busyMs = 0;
  private readonly engine: Engine;
  private readonly listeners = new Map<string, (ticketKeys: readonly string[]) => void>();
  private second = 0;
  private stepsThisSecond = 0;
  private working = false;
  /** Steps that have come while another is taken. */
  private readonly queue: (() => void)[] = [];

  constructor(
    contract: ResolvedContract,
    private readonly clock: Clock,
    private readonly takes: StepTime,
  ) {
    this.engine = new Engine(contract);
  }

  gateOf({ processId }: GateEnv): ProviderGate {
    return {
      step: (input) => this.answer(input),
      onWake: (listener) => {
        this.listeners.set(processId, listener);
        return () => this.listeners.delete(processId);
      },
      update: (contract) => this.engine.update(contract),
      inspect: () => this.engine.inspect(Math.round(this.clock.wallMs() * US_PER_MS)),
      close: () => undefined,
    };
  }

  private answer(input: StepInput): Promise<StepReply> {
    const { clock } = this;
    const sentMono = clock.monoMs();
    return new Promise((resolve, reject) => {
      const stopWaiting = clock.schedule(TIMEOUT_MS, () => {
        this.silent += 1;
        reject(new Error('The store is silent.'));
      });
      const arrived = (): void => this.inTurn(() => this.step(input), resolved);
      const resolved = (reply: StepReply): void => {
        clock.schedule(ROUND_TRIP_MS / 2, () => {
          stopWaiting();
          this.slowestMs = Math.max(this.slowestMs, clock.monoMs() - sentMono);
          resolve(reply);
        });
      };
      clock.schedule(ROUND_TRIP_MS / 2, arrived);
    });
  }

  /** Does the work when all that came before is done, and tells its result when it has taken its time. */
  private inTurn(work: () => { reply: StepReply; tookMs: number }, done: (reply: StepReply) => void): void {
    if (this.working) {
      this.queue.push(() => this.inTurn(work, done));
      return;
    }
    const { reply, tookMs } = work();
    if (tookMs === 0) return done(reply);
    this.working = true;
    this.busyMs += tookMs;
    this.clock.schedule(tookMs, () => {
      this.working = false;
      done(reply);
      this.queue.shift()?.();
    });
  }

  private step(input: StepInput): { reply: StepReply; tookMs: number } {
    this.count();
    const { eachMs, askMs, settleMs, standingMs } = this.takes;
    const standing = Math.min(MOST_READ, this.engine.state.stages.whole.line.size);
    const tookMs = eachMs + askMs * input.asks.length + settleMs * input.settles.length + standingMs * standing;
    const reply = this.engine.step(Math.round(this.clock.wallMs() * US_PER_MS), input);
    // The engine uses its lists again.
    const copy = {
      ...reply,
      grants: [...reply.grants],
      waits: [...reply.waits],
      denials: [...reply.denials],
      wake: [...reply.wake],
    };
    for (const { processId, ticketKey } of this.engine.state.hints.splice(0)) {
      this.hints += 1;
      this.clock.schedule(tookMs + ROUND_TRIP_MS / 2, () => this.listeners.get(processId)?.([ticketKey]));
    }
    return { reply: copy, tookMs };
  }

  private count(): void {
    const second = Math.floor(this.clock.monoMs() / 1_000);
    if (second !== this.second) [this.second, this.stepsThisSecond] = [second, 0];
    this.steps += 1;
    this.stepsThisSecond += 1;
    this.peak = Math.max(this.peak, this.stepsThisSecond);
  }
}
