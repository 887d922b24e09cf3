import type { Clock } from '../../../core/src/index.js';
import { type Instant, microsOf } from './limits/counter.js';

/** The provider's own time. Its wall runs from the moment it was made and never steps with that of its clients. */
export class ProviderTime {
  private readonly startMonoMs: number;
  private readonly startWallMs: number;

  constructor(clock: Clock) {
    this.startMonoMs = clock.monoMs();
    this.startWallMs = clock.wallMs();
  }

  wallMsAt(monoMs: number): number {
    return this.startWallMs + (monoMs - this.startMonoMs);
  }

  sinceStartMs(monoMs: number): number {
    return monoMs - this.startMonoMs;
  }

  instantAt(monoMs: number): Instant {
    return { monoUs: microsOf(monoMs), wallUs: microsOf(this.wallMsAt(monoMs)) };
  }

  instantSinceStart(ms: number): Instant {
    return this.instantAt(this.startMonoMs + ms);
  }
}
