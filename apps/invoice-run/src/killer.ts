import type { ChildProcess } from 'node:child_process';
import { setTimeout as later } from 'node:timers/promises';
import type { Random } from 'nestjs-sluice';
import type { RunEnd, RunProcess } from './run-process.js';

/** When a process is ended: so many requests after it began to send, and so many milliseconds after the last of them. */
export interface Moment {
  readonly requests: number;
  readonly delayMs: number;
}

/** Moments by chance, of which no two runs with the same seed differ. */
export function momentsOf(random: Random, count: number, maxRequests: number, maxDelayMs: number): Moment[] {
  return Array.from({ length: count }, () => ({
    requests: 1 + Math.floor(random.next() * maxRequests),
    delayMs: Math.floor(random.next() * maxDelayMs),
  }));
}

/** Ends the run again and again, at the given moments, and starts it again until it is through. */
export class Killer {
  /** How often a process of it ended by our signal, or gave way to it. */
  kills = 0;
  private requests = 0;
  private victim: ChildProcess | null = null;

  constructor(
    private readonly moments: readonly Moment[],
    private readonly signal: 'SIGKILL' | 'SIGTERM' = 'SIGKILL',
  ) {}

  /** To be called with every request that reaches the provider. */
  saw(): void {
    this.requests += 1;
    const moment = this.moments[this.kills];
    const { victim } = this;
    if (victim === null || moment === undefined || this.requests < moment.requests) return;
    this.victim = null;
    void later(moment.delayMs).then(() => victim.kill(this.signal));
  }

  /** @param onEnd Called after each process that was ended. */
  async until(start: () => RunProcess, onEnd: () => Promise<void> | void = () => undefined): Promise<RunEnd> {
    for (;;) {
      const run = start();
      this.requests = 0;
      this.victim = run.process;
      const end = await run.ended;
      this.victim = null;
      const gaveWay = end.signal === this.signal || (this.signal === 'SIGTERM' && end.code === 0);
      if (end.report !== null || !gaveWay) return end;
      this.kills += 1;
      await onEnd();
    }
  }
}
