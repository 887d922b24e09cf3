import type { Cancel, Clock } from '../time/clock.js';
import { arm } from '../time/timers.js';

/** After a step that failed the next comes so much later, doubled each time, in ms. */
const FIRST_BACKOFF_MS = 250;
const LONGEST_BACKOFF_MS = 30_000;

/** What one step found out: when the next makes sense at the latest; null = only when it is woken. */
export type StepEnd = number | null;

/**
 * Does one step at a time, over and over: when it is woken, when the step before asked for it, and at the latest after
 * `pollMs`. One timer at most, in no caller's async context; none once it is stopped.
 */
export class Loop {
  private cancel: Cancel | null = null;
  private armedMono = Infinity;
  private stepping: Promise<void> | null = null;
  private isWoken = false;
  private isRunning = false;
  private failures = 0;

  constructor(
    private readonly clock: Clock,
    private readonly pollMs: number,
    /** Rejects where the store is away. */
    private readonly step: () => Promise<StepEnd>,
    private readonly failed: (error: unknown) => void,
  ) {}

  start(): void {
    this.isRunning = true;
    this.wake();
  }

  /** There may be something to do now. */
  wake(): void {
    if (this.stepping !== null) this.isWoken = true;
    else if (this.failures === 0) this.arm(0);
  }

  /** No further step; resolves when the one under way is over. */
  async stop(): Promise<void> {
    this.isRunning = false;
    this.disarm();
    await this.stepping;
  }

  private arm(delayMs: number): void {
    if (!this.isRunning) return;
    const dueMono = this.clock.monoMs() + delayMs;
    if (this.armedMono <= dueMono) return;
    this.disarm();
    this.armedMono = dueMono;
    this.cancel = arm(this.clock, delayMs, () => {
      this.disarm();
      this.stepping = this.once();
    });
  }

  private disarm(): void {
    this.cancel?.();
    this.cancel = null;
    this.armedMono = Infinity;
  }

  /** Never rejects. */
  private async once(): Promise<void> {
    this.isWoken = false;
    let nextMs: StepEnd;
    try {
      nextMs = await this.step();
      this.failures = 0;
    } catch (error) {
      if (this.failures === 0) this.failed(error);
      nextMs = Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** this.failures);
      this.failures += 1;
    }
    this.stepping = null;
    if (this.failures > 0) this.arm(nextMs ?? this.pollMs);
    else this.arm(this.isWoken ? 0 : Math.min(nextMs ?? this.pollMs, this.pollMs));
  }
}
