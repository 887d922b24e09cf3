import type { GateView } from '../gate-view.js';
import type { ResolvedContract } from '../../contract/resolved.js';
import { configError } from '../../errors/config-error.js';
import type { Cancel, Clock } from '../../time/clock.js';
import type { Gate, GateEnv, ProviderGate, StepInput, StepReply } from '../port.js';
import { Engine } from './engine.js';
import { Keeper } from './keep/keeper.js';
import { partOf } from './processes.js';
import { Sweeper } from './sweeper.js';

export interface MemoryGateOptions {
  /**
   * Processes that use the provider at the same time and do not share their state: each gets its part of every limit.
   * Default: 1. With a durable store each keeps a book of its own in it, and one that starts begins from the most that any of
   * those before or beside it has used.
   */
  readonly processes?: number;
}

/**
 * The gate of one process, in its memory. Every `open` has a state of its own.
 *
 * @throws SluiceError CONFIG when `processes` is not a whole number of at least 1.
 */
export function memoryGate(options: MemoryGateOptions = {}): Gate {
  const processes = options.processes ?? 1;
  if (!Number.isSafeInteger(processes) || processes < 1) {
    throw configError(null, 'memoryGate({ processes })', processes, 'a whole number of at least 1');
  }
  return {
    kind: 'memory',
    open: (contract, env) => new MemoryProviderGate(contract, env, processes),
  };
}

type WakeListener = (ticketKeys: readonly string[]) => void;

/** Gives the engine the time, and its hints to those who listen. */
class MemoryProviderGate implements ProviderGate {
  private readonly engine: Engine;
  private readonly timeAt: (mono: number) => number;
  private readonly now: () => number;
  private readonly sweeper: Sweeper;
  private readonly listeners = new Set<WakeListener>();
  private readonly keeper: Keeper | null;

  constructor(
    contract: ResolvedContract,
    private readonly env: GateEnv,
    private readonly processes: number,
  ) {
    this.engine = new Engine(partOf(contract, processes));
    this.timeAt = gateTime(env.clock);
    this.now = () => this.timeAt(env.clock.monoMs());
    this.sweeper = new Sweeper(env.clock, this.now, this.engine, () => {
      this.tell();
      this.keeper?.look();
    });
    const { clock, used, processId, report } = env;
    const { engine, now } = this;
    this.keeper = used
      ? new Keeper({
          engine,
          used,
          clock,
          now,
          owner: processId,
          alone: processes === 1,
          report: report ?? (() => undefined),
          told: () => this.tell(),
        })
      : null;
    // Whoever asks for it is told why it failed, and the report was.
    this.keeper?.start().catch(() => undefined);
  }

  step(input: StepInput, nowMono?: number): StepReply | Promise<StepReply> {
    const { keeper } = this;
    if (keeper !== null && !keeper.ready) return keeper.whenReady().then(() => this.stepAt(this.now(), input));
    return this.stepAt(nowMono === undefined ? this.now() : this.timeAt(nowMono), input);
  }

  private stepAt(time: number, input: StepInput): StepReply {
    const reply = this.engine.step(time, input);
    if (this.engine.state.hints.length > 0) this.tell();
    this.sweeper.look();
    if (this.keeper !== null) this.keeper.look();
    return reply;
  }

  /** Hints for other processes have no listener here: their own poll finds them. */
  private tell(): void {
    const own = this.engine.state.hints.filter((hint) => hint.processId === this.env.processId);
    this.engine.state.hints.length = 0;
    if (own.length === 0) return;
    const keys = own.map((hint) => hint.ticketKey);
    for (const listener of this.listeners) listener(keys);
  }

  onWake(listener: WakeListener): Cancel {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  update(contract: ResolvedContract): void {
    this.engine.update(partOf(contract, this.processes));
    this.tell();
    this.sweeper.look();
    this.keeper?.look();
  }

  inspect(): GateView | Promise<GateView> {
    const { keeper } = this;
    // What was paused before a restart is paused now.
    if (keeper !== null && !keeper.ready) return keeper.whenReady().then(() => this.inspectNow());
    return this.inspectNow();
  }

  private inspectNow(): GateView {
    const view = this.engine.inspect(this.now());
    this.sweeper.look();
    return view;
  }

  async close(): Promise<void> {
    this.sweeper.stop();
    this.listeners.clear();
    await this.keeper?.close();
  }
}

/** Wall time as it was at the start, moved on by the monotonic clock: no step of the wall clock is felt. */
function gateTime(clock: Clock): (mono: number) => number {
  const anchor = clock.wallMs() * 1000;
  const start = clock.monoMs();
  return (mono) => Math.round(anchor + (mono - start) * 1000);
}
