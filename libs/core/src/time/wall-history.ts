/** When something written down by the wall clock happened, by our own monotonic one, though the wall clock stepped since. */
import type { Clock } from './clock.js';

/** What two readings may lie apart without a step, in ms: rounding, and a clock that is being slewed. */
export const WALL_SLACK_MS = 20;
/** Steps that are remembered. */
const MAX_STRETCHES = 64;

/** A time in which the wall clock did not step. */
interface Stretch {
  /** Wall time less monotonic time. */
  readonly offsetMs: number;
  /** When it began at the earliest, in monotonic ms. */
  readonly fromMono: number;
  /** When it was seen last. */
  seenMono: number;
  /** When another one was seen first. */
  untilMono: number;
}

export class WallHistory {
  private readonly stretches: Stretch[] = [];

  constructor(private readonly clock: Clock) {
    this.note();
  }

  /** To be called often: between two calls a step may have come at any moment. */
  note(): void {
    const nowMono = this.clock.monoMs();
    const offsetMs = this.clock.wallMs() - nowMono;
    const last = this.stretches.at(-1);
    if (last !== undefined && Math.abs(offsetMs - last.offsetMs) <= WALL_SLACK_MS) {
      last.seenMono = nowMono;
      return;
    }
    if (last !== undefined) last.untilMono = nowMono;
    // What was before we looked is believed to have gone by the first reading.
    const fromMono = last?.seenMono ?? -Infinity;
    this.stretches.push({ offsetMs, fromMono, seenMono: nowMono, untilMono: Infinity });
    if (this.stretches.length > MAX_STRETCHES) this.stretches.shift();
  }

  /** The latest monotonic time at which the wall clock may have shown it; now, where it never did. */
  monoOf(wallMs: number): number {
    this.note();
    const nowMono = this.clock.monoMs();
    let latestMono = -Infinity;
    for (const { offsetMs, fromMono, untilMono } of this.stretches) {
      const mono = wallMs - offsetMs;
      if (mono >= fromMono - WALL_SLACK_MS && mono <= Math.min(untilMono, nowMono) + WALL_SLACK_MS) {
        latestMono = Math.max(latestMono, mono);
      }
    }
    return latestMono === -Infinity ? nowMono : Math.min(latestMono, nowMono);
  }
}
