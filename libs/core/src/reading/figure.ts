import type { Guess } from './guess.js';
import type { ReadingKind } from './reading.js';

/** What an answer tells about one window, bucket or policy. */
export interface Figure {
  readonly scope: string | null;
  readonly unit: string | null;
  readonly remaining: number | null;
  readonly limit: number | null;
  /** The moment of the reset as the provider states it, in ms since 1970. */
  readonly resetAtMs: number | null;
  /** Time from the answer to the reset or to the next free place, without the difference of the clocks. */
  readonly waitMs: number | null;
  /** Name of the place that the two are read from; null = they are worked out. */
  readonly from: string | null;
  /** What the two are guessed from, if they are. */
  readonly guess: Guess | null;
  /** In seconds. */
  readonly window: number | null;
  readonly perSecond: number | null;
  readonly kind: ReadingKind | null;
  /** Not enough is left for one more request. */
  readonly exhausted: boolean;
}

/** The moments an answer is read against, in ms since 1970. */
export interface Moments {
  /** Local wall time at which it came. */
  readonly receivedMs: number;
  /** The provider's clock at that moment: its `Date`, or the local wall time. */
  readonly serverMs: number;
}

/** The one that decides: an exhausted one with the longest wait, else the one with the smallest share left. */
export function deciding(figures: readonly Figure[]): Figure | null {
  let best: Figure | null = null;
  for (const figure of figures) if (best === null || before(figure, best)) best = figure;
  return best;
}

function before(a: Figure, b: Figure): boolean {
  if (a.exhausted !== b.exhausted) return a.exhausted;
  if (a.exhausted) return (a.waitMs ?? -1) > (b.waitMs ?? -1);
  if (a.limit && b.limit) return share(a) < share(b);
  return (a.remaining ?? Infinity) < (b.remaining ?? Infinity);
}

function share(figure: Figure): number {
  return figure.remaining === null || !figure.limit ? Infinity : figure.remaining / figure.limit;
}
