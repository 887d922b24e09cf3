/** A first-in, first-out queue whose ends cost the same however long it is (`Array.shift` moves all that is left). */
export class Fifo<T> {
  private items: (T | undefined)[] = [];
  private head = 0;

  get size(): number {
    return this.items.length - this.head;
  }

  push(item: T): void {
    this.items.push(item);
  }

  shift(): T | undefined {
    if (this.head === this.items.length) return undefined;
    const item = this.items[this.head];
    this.items[this.head] = undefined;
    this.head += 1;
    if (this.head === this.items.length) {
      this.items = [];
      this.head = 0;
    } else if (this.head > 1024 && this.head * 2 > this.items.length) {
      this.items = this.items.slice(this.head);
      this.head = 0;
    }
    return item;
  }

  /** The first `max` items, in order, taken out. */
  take(max: number): T[] {
    // What is taken one by one leaves the array its room for the next.
    if (this.head === 0 && this.items.length === 1 && max > 0) return [this.items.pop() as T];
    if (this.head === 0 && this.items.length <= max) {
      const all = this.items as T[];
      this.items = [];
      return all;
    }
    const taken: T[] = [];
    while (taken.length < max && this.size > 0) taken.push(this.shift() as T);
    return taken;
  }
}
