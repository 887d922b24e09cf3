import type { Cancel, Clock } from '../../time/clock.js';
import { arm } from '../../time/timers.js';
import type { Engine } from './engine.js';

/** What is left over is swept after this long: a hundred thousand idle partitions take some seconds, and nobody notices. */
const PAUSE_MS = 50;

/** Cleans up where no call comes that would: one timer, armed only while something is kept that will become idle. */
export class Sweeper {
  private cancel: Cancel | null = null;
  private armedFor = Infinity;

  constructor(
    private readonly clock: Clock,
    /** The gate's time. */
    private readonly now: () => number,
    private readonly engine: Engine,
    private readonly swept: () => void,
  ) {}

  /** To be called whenever the engine has worked. */
  look(): void {
    const { sweepAt } = this.engine;
    if (sweepAt < this.armedFor) this.arm(sweepAt, 0);
    else if (sweepAt === Infinity && this.cancel !== null) this.stop();
  }

  stop(): void {
    this.cancel?.();
    this.cancel = null;
    this.armedFor = Infinity;
  }

  private arm(at: number, leastMs: number): void {
    this.stop();
    if (at === Infinity) return;
    this.armedFor = at;
    this.cancel = arm(this.clock, Math.max((at - this.now()) / 1000, leastMs), () => this.sweep());
  }

  private sweep(): void {
    this.stop();
    this.engine.sweep(this.now());
    this.swept();
    this.arm(this.engine.sweepAt, PAUSE_MS);
  }
}
