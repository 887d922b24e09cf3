import { RESET_LATE_US, RESET_ROUNDING_US } from './book.js';

/** Known once the edge lies within so much. */
const KNOWN_WITHIN_US = 2_000_000;

/** Learns where the windows of a provider begin, from its reset times: the edge lies in what all the reported intervals share. */
export class EdgeLearner {
  private low = 0;
  private high = Infinity;

  constructor(
    private readonly length: number,
    private readonly guardUs: number,
  ) {}

  get known(): boolean {
    return this.high - this.low < KNOWN_WITHIN_US;
  }

  /** A moment at which a window begins. */
  get phase(): number {
    return (this.low + this.high) / 2;
  }

  /** How far the true edge may lie from it, on either side. */
  get doubt(): number {
    return (this.high - this.low) / 2;
  }

  /** An answer that was read now told of a reset at `edge`. True when that changed what is known. */
  see(edge: number): boolean {
    // The answer was written up to J before it was read.
    let low = edge - RESET_LATE_US - this.guardUs;
    let high = edge + RESET_ROUNDING_US;
    if (this.high === Infinity) {
      this.low = low;
      this.high = high;
      return this.known;
    }
    const shift = Math.round((this.phase - edge) / this.length) * this.length;
    low += shift;
    high += shift;
    const before = this.known;
    const sharedLow = Math.max(low, this.low);
    const sharedHigh = Math.min(high, this.high);
    const changed = sharedLow !== this.low || sharedHigh !== this.high;
    // They share nothing: the windows have moved, or the figures are not what they seemed. Begin anew.
    this.low = sharedLow < sharedHigh ? sharedLow : low;
    this.high = sharedLow < sharedHigh ? sharedHigh : high;
    return changed && (before || this.known);
  }
}
