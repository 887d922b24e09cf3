/** What a {@link Heap} holds: ordered by `at`; `slot` is its place in the heap, -1 outside. An item is in one heap at most. */
export interface HeapItem {
  readonly at: number;
  slot: number;
}

/** A binary heap whose items know their place, so that any of them can be moved or taken out in logarithmic time. */
export class Heap<T extends HeapItem> {
  private readonly items: T[] = [];

  get size(): number {
    return this.items.length;
  }

  /** The item with the smallest `at`, left where it is. */
  peek(): T | undefined {
    return this.items[0];
  }

  push(item: T): void {
    item.slot = this.items.length;
    this.items.push(item);
    this.up(item);
  }

  /** Takes an item out; one that is not in the heap is left alone. */
  remove(item: T): void {
    const { slot } = item;
    if (slot < 0) return;
    item.slot = -1;
    const last = this.items.pop() as T;
    if (last === item) return;
    this.items[slot] = last;
    last.slot = slot;
    this.settle(last);
  }

  /** Puts an item whose `at` has changed in its place, and one that had no place in. */
  place(item: T): void {
    if (item.slot < 0) this.push(item);
    else this.settle(item);
  }

  private settle(item: T): void {
    this.up(item);
    this.down(item);
  }

  private up(item: T): void {
    let slot = item.slot;
    while (slot > 0) {
      const above = (slot - 1) >> 1;
      const parent = this.items[above] as T;
      if (parent.at <= item.at) break;
      this.items[slot] = parent;
      parent.slot = slot;
      slot = above;
    }
    this.items[slot] = item;
    item.slot = slot;
  }

  private down(item: T): void {
    const { length } = this.items;
    let slot = item.slot;
    for (;;) {
      let below = 2 * slot + 1;
      if (below >= length) break;
      if (below + 1 < length && (this.items[below + 1] as T).at < (this.items[below] as T).at) below += 1;
      const child = this.items[below] as T;
      if (child.at >= item.at) break;
      this.items[slot] = child;
      child.slot = slot;
      slot = below;
    }
    this.items[slot] = item;
    item.slot = slot;
  }
}
