import type { Random } from '../../core/src/index.js';

/** Chance that repeats itself: the mulberry32 generator, the same sequence for the same seed on every machine. */
export class SeededRandom implements Random {
  private state: number;

  /** @param seed an integer; its lowest 32 bits count. */
  constructor(seed: number) {
    this.state = seed | 0;
  }

  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let t = this.state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 0x1_0000_0000;
  }
}
