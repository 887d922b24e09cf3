import type { Book } from './books/book.js';
import type { IndexedHeap } from './indexed-heap.js';
import type { Lease } from './model.js';

/** Leases that are looked at: what they do not show, the fallback finds. */
const LOOKED_AT = 64;

/** When the `count`-th permit of an account certainly comes back, by the expiry of leases; Infinity = not before `before`. */
export function permitsBack(leases: IndexedHeap<Lease>, account: Book, count: number, before: number): number {
  const found: number[] = [];
  const next = [0];
  for (let looked = 0; looked < LOOKED_AT; looked += 1) {
    const at = next.pop();
    if (at === undefined) break;
    if (at >= leases.size) continue;
    const lease = leases.at(at);
    // Those below it in the heap expire later still.
    if (lease.due >= before) continue;
    if (lease.plan.books.some((books) => books.includes(account))) found.push(lease.due);
    next.push(2 * at + 2, 2 * at + 1);
  }
  if (found.length < count) return Infinity;
  return found.sort((a, b) => a - b)[count - 1] as number;
}
