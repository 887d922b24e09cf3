import { IndexedHeap } from './indexed-heap.js';

const SLICE_US = 5_000_000;
const MINUTE_US = 60_000_000;
/** A minute touches so many slices. */
const SLICES = 13;

/** A provisional place is kept for so long beyond its holder's own bounds: what it does between sleep and line takes time too. */
const PLACE_KEPT_US = 60_000_000;

interface Place {
  readonly id: string;
  due: number;
  slot: number;
  order: number;
}

/**
 * Retries after failures, as a share of all first attempts and retries: in the calendar minute so far and in the minute
 * that ends now. Counted when granted. First attempts count only where their slice lies wholly inside the minute, retries
 * wherever it touches it, so that the error is on the careful side. For the floor the moments themselves are kept: one retry
 * a minute is to be one a minute, not one in 65 seconds.
 */
export class RetryBudget {
  private readonly slice = new Float64Array(SLICES).fill(-1);
  private readonly firsts = new Float64Array(SLICES);
  private readonly retries = new Float64Array(SLICES);
  private minute = -1;
  private firstsInMinute = 0;
  private retriesInMinute = 0;
  private readonly places = new Map<string, Place>();
  private readonly expiry = new IndexedHeap<Place>();
  private issued = 0;
  /** When the retries of the last minute were granted, oldest first. One that was never sent is taken out again: the others must still be known. */
  private readonly latest: number[] = [];

  constructor(
    public ratio: number,
    public floor: number,
  ) {}

  private at(now: number): number {
    const minute = Math.floor(now / MINUTE_US);
    if (minute !== this.minute) {
      this.minute = minute;
      this.firstsInMinute = 0;
      this.retriesInMinute = 0;
    }
    const slice = Math.floor(now / SLICE_US);
    const at = slice % SLICES;
    if (this.slice[at] !== slice) {
      this.slice[at] = slice;
      this.firsts[at] = 0;
      this.retries[at] = 0;
    }
    return at;
  }

  count(now: number, kind: 'first' | 'retry', place: string | null): void {
    const at = this.at(now);
    if (kind === 'first') {
      this.firsts[at] = (this.firsts[at] as number) + 1;
      this.firstsInMinute += 1;
    } else {
      this.retries[at] = (this.retries[at] as number) + 1;
      this.retriesInMinute += 1;
      this.latest.push(now);
      while ((this.latest[0] as number) <= now - MINUTE_US) this.latest.shift();
      if (place !== null) this.release(place);
    }
  }

  /** One that was counted at `grantedAt` was never sent. */
  uncount(now: number, kind: 'first' | 'retry', grantedAt: number): void {
    this.at(now);
    const slice = Math.floor(grantedAt / SLICE_US);
    const counts = kind === 'first' ? this.firsts : this.retries;
    const at = slice % SLICES;
    if (this.slice[at] === slice) counts[at] = (counts[at] as number) - 1;
    const last = kind === 'retry' ? this.latest.lastIndexOf(grantedAt) : -1;
    if (last >= 0) this.latest.splice(last, 1);
    if (Math.floor(grantedAt / MINUTE_US) !== this.minute) return;
    if (kind === 'first') this.firstsInMinute -= 1;
    else this.retriesInMinute -= 1;
  }

  firstsLastMinute(now: number): number {
    return this.sum(now, this.firsts, 1);
  }

  retriesLastMinute(now: number): number {
    return this.sum(now, this.retries, 0);
  }

  private sum(now: number, counts: Float64Array, skip: 0 | 1): number {
    const oldest = Math.floor((now - MINUTE_US) / SLICE_US) + skip;
    let sum = 0;
    for (let i = 0; i < SLICES; i += 1) if ((this.slice[i] as number) >= oldest) sum += counts[i] as number;
    return sum;
  }

  /** retries <= ratio * (retries + firsts) */
  private fits(retries: number, firsts: number): boolean {
    return retries * (1 - this.ratio) <= this.ratio * firsts + 1e-9;
  }

  /** Whether `more` retries fit the minute that ends now. */
  private fitsTrailing(now: number, more: number): boolean {
    while (this.latest.length > 0 && (this.latest[0] as number) <= now - MINUTE_US) this.latest.shift();
    if (this.latest.length + more <= this.floor) return true;
    return this.fits(this.retriesLastMinute(now) + more, this.firstsLastMinute(now));
  }

  private fitsCalendar(more: number): boolean {
    const retries = this.retriesInMinute + more;
    return retries <= this.floor || this.fits(retries, this.firstsInMinute);
  }

  /** Whether a retry may be granted now. One that holds no place stands behind all who do. */
  admits(now: number, place: string | null): boolean {
    this.at(now);
    this.expire(now);
    const sleepers = place !== null && this.places.has(place) ? 0 : this.places.size;
    return this.fitsTrailing(now, sleepers + 1) && this.fitsCalendar(sleepers + 1);
  }

  holds(now: number, place: string | null): boolean {
    this.expire(now);
    return place !== null && this.places.has(place);
  }

  /** A place for one that comes within `withinUs`, so that no more sleep than would fit; null = the budget is spent. */
  reserve(now: number, withinUs: number): string | null {
    this.at(now);
    this.expire(now);
    if (!this.fitsTrailing(now, this.places.size + 1)) return null;
    this.issued += 1;
    const place: Place = { id: `p${this.issued}`, due: now + withinUs + PLACE_KEPT_US, slot: -1, order: 0 };
    this.places.set(place.id, place);
    this.expiry.push(place);
    return place.id;
  }

  release(id: string): void {
    const place = this.places.get(id);
    if (place === undefined) return;
    this.places.delete(id);
    this.expiry.remove(place);
  }

  private expire(now: number): void {
    for (let first = this.expiry.peek(); first !== undefined && first.due <= now; first = this.expiry.peek()) {
      this.release(first.id);
    }
  }

  placesHeld(now: number): number {
    this.expire(now);
    return this.places.size;
  }

  /** When a retry that does not fit now is worth another try: as the oldest counted ones leave, which a minute's end is too. */
  retryAt(now: number): number {
    const nextSlice = (Math.floor(now / SLICE_US) + 1) * SLICE_US;
    const oldest = this.latest[0];
    const floorAgain = oldest === undefined ? nextSlice : oldest + MINUTE_US;
    return floorAgain > now && floorAgain < nextSlice ? floorAgain : nextSlice;
  }
}
