import { atLeast0, type Correction, type Counter, type Instant } from './counter.js';

/** Where the window of a moment begins and how long it still lasts; `key` tells windows apart. */
export interface WindowPlace {
  readonly key: number;
  readonly leftUs: number;
}

/** How windows follow one another. `charged` tells a window that may begin with a charge. */
export interface Windows {
  at(now: Instant): WindowPlace;
  charged(now: Instant): void;
}

/** At most `limit` in each of the windows it is given. */
export class WindowCounter implements Counter {
  private key = Number.NaN;
  private used = 0;

  constructor(
    private readonly limit: number,
    private readonly windows: Windows,
  ) {}

  waitUs(now: Instant, cost: number): number | null {
    const { leftUs } = this.enter(now);
    if (this.used + cost <= this.limit) return 0;
    return cost > this.limit ? null : leftUs;
  }

  charge(now: Instant, cost: number): Correction {
    this.windows.charged(now);
    const { key } = this.enter(now);
    this.used += cost;
    return (later, actual) => {
      if (this.enter(later).key === key) this.used += actual - cost;
    };
  }

  remaining(now: Instant): number {
    this.enter(now);
    return atLeast0(this.limit - this.used);
  }

  resetUs(now: Instant): number {
    return this.enter(now).leftUs;
  }

  private enter(now: Instant): WindowPlace {
    const place = this.windows.at(now);
    if (place.key !== this.key) {
      this.key = place.key;
      this.used = 0;
    }
    return place;
  }
}

/** Windows at multiples of the period on the provider's wall clock. */
export function clockWindows(perUs: number): Windows {
  return {
    at({ wallUs }) {
      const key = Math.floor(wallUs / perUs);
      return { key, leftUs: (key + 1) * perUs - wallUs };
    },
    charged: () => undefined,
  };
}

/** A window begins with the first charge after the last one is over. */
export function firstCallWindows(perUs: number): Windows {
  let startUs: number | null = null;
  const isOver = (monoUs: number): boolean => startUs === null || monoUs >= startUs + perUs;
  return {
    at({ monoUs }) {
      if (startUs === null || isOver(monoUs)) return { key: -1, leftUs: 0 };
      return { key: startUs, leftUs: startUs + perUs - monoUs };
    },
    charged({ monoUs }) {
      if (isOver(monoUs)) startUs = monoUs;
    },
  };
}

const US_PER_MS = 1_000;

/** Calendar days or months, UTC. */
export function calendarWindows(per: 'day' | 'month'): Windows {
  return {
    at({ wallUs }) {
      const date = new Date(Math.floor(wallUs / US_PER_MS));
      const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
      const startMs = Date.UTC(year, month, per === 'day' ? day : 1);
      const endMs = per === 'day' ? Date.UTC(year, month, day + 1) : Date.UTC(year, month + 1, 1);
      return { key: startMs, leftUs: endMs * US_PER_MS - wallUs };
    },
    charged: () => undefined,
  };
}
