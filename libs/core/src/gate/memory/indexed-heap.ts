/** What a heap holds: it knows its own place, so that it can be taken out. */
export interface Dated {
  /** When it falls due. */
  due: number;
  /** Its index in the heap; -1 = in none. */
  slot: number;
  /** Tells which of equal times comes first: the one that was put in first. */
  order: number;
}

/** Binary heap by due time, and of equal times by the order in which they were put in. */
export class IndexedHeap<T extends Dated> {
  private items: T[] = [];
  private issued = 0;

  get size(): number {
    return this.items.length;
  }

  peek(): T | undefined {
    return this.items[0];
  }

  at(i: number): T {
    return this.items[i] as T;
  }

  push(item: T): void {
    this.issued += 1;
    item.order = this.issued;
    item.slot = this.items.length;
    this.items.push(item);
    this.up(item.slot);
  }

  remove(item: T): void {
    const slot = item.slot;
    if (slot < 0) return;
    item.slot = -1;
    const last = this.items.pop() as T;
    if (last === item) return;
    this.items[slot] = last;
    last.slot = slot;
    this.up(slot);
    this.down(last.slot);
  }

  /** Gives `item` another due time. */
  move(item: T, due: number): void {
    item.due = due;
    if (item.slot < 0) return this.push(item);
    this.up(item.slot);
    this.down(item.slot);
  }

  /** Gives back the room of what has been taken out. */
  shrink(): void {
    this.items = this.items.slice();
  }

  private up(from: number): void {
    const items = this.items;
    const item = items[from] as T;
    let slot = from;
    while (slot > 0) {
      const parent = (slot - 1) >> 1;
      const above = items[parent] as T;
      if (isBefore(above, item)) break;
      items[slot] = above;
      above.slot = slot;
      slot = parent;
    }
    items[slot] = item;
    item.slot = slot;
  }

  private down(from: number): void {
    const items = this.items;
    const item = items[from] as T;
    let slot = from;
    for (;;) {
      let child = 2 * slot + 1;
      if (child >= items.length) break;
      if (child + 1 < items.length && isBefore(items[child + 1] as T, items[child] as T)) child += 1;
      const below = items[child] as T;
      if (isBefore(item, below)) break;
      items[slot] = below;
      below.slot = slot;
      slot = child;
    }
    items[slot] = item;
    item.slot = slot;
  }
}

function isBefore(one: Dated, other: Dated): boolean {
  return one.due < other.due || (one.due === other.due && one.order < other.order);
}
