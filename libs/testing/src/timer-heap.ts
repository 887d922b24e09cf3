export interface TimerEntry {
  readonly dueMs: number;
  /** Arming order: breaks ties of `dueMs`. */
  readonly seq: number;
  readonly fn: () => void;
  live: boolean;
}

const isBefore = (a: TimerEntry, b: TimerEntry): boolean => a.dueMs < b.dueMs || (a.dueMs === b.dueMs && a.seq < b.seq);

/** Below this number of cancelled entries tidying up costs more than it frees. */
const MIN_CANCELLED_TO_COMPACT = 1_000;

/** A binary heap of armed timers by due time, then by arming order. Cancelled ones stay until they surface or outnumber the living. */
export class TimerHeap {
  private entries: TimerEntry[] = [];
  private liveCount = 0;

  /** Timers that are armed and not cancelled. */
  get size(): number {
    return this.liveCount;
  }

  push(entry: TimerEntry): void {
    this.liveCount += 1;
    this.entries.push(entry);
    this.siftUp(this.entries.length - 1);
  }

  cancel(entry: TimerEntry): void {
    if (!entry.live) return;
    entry.live = false;
    this.liveCount -= 1;
    const cancelled = this.entries.length - this.liveCount;
    if (cancelled > this.liveCount && cancelled >= MIN_CANCELLED_TO_COMPACT) this.compact();
  }

  /** The next living timer, left in place. */
  peek(): TimerEntry | undefined {
    for (;;) {
      const top = this.entries[0];
      if (top === undefined || top.live) return top;
      this.removeTop();
    }
  }

  /** Takes the next living timer out; it counts as no longer armed. */
  pop(): TimerEntry | undefined {
    const top = this.peek();
    if (top === undefined) return undefined;
    this.removeTop();
    top.live = false;
    this.liveCount -= 1;
    return top;
  }

  private removeTop(): void {
    const last = this.entries.pop();
    if (last === undefined || this.entries.length === 0) return;
    this.entries[0] = last;
    this.siftDown(0);
  }

  private compact(): void {
    this.entries = this.entries.filter((entry) => entry.live);
    for (let i = (this.entries.length >> 1) - 1; i >= 0; i -= 1) this.siftDown(i);
  }

  private siftUp(start: number): void {
    let i = start;
    while (i > 0) {
      const parent = (i - 1) >> 1;
      if (!isBefore(this.at(i), this.at(parent))) return;
      this.swap(i, parent);
      i = parent;
    }
  }

  private siftDown(start: number): void {
    let i = start;
    for (;;) {
      let first = i;
      for (const child of [2 * i + 1, 2 * i + 2]) {
        if (child < this.entries.length && isBefore(this.at(child), this.at(first))) first = child;
      }
      if (first === i) return;
      this.swap(i, first);
      i = first;
    }
  }

  private at(i: number): TimerEntry {
    return this.entries[i] as TimerEntry;
  }

  private swap(i: number, j: number): void {
    [this.entries[i], this.entries[j]] = [this.at(j), this.at(i)];
  }
}
