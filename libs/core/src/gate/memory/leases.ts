import type { LeaseId } from '../port.js';
import type { Lease } from './model.js';

/** Places found by number alone; a power of two. */
const PLACES = 1024;

/** The leases that are out, by sequence number. All but those that outlive a thousand others are found without hashing. */
export class Leases {
  private readonly places: (Lease | null)[] = Array.from({ length: PLACES }, () => null);
  private readonly longer = new Map<LeaseId, Lease>();

  size = 0;

  get(id: LeaseId): Lease | undefined {
    if (typeof id !== 'number') return undefined;
    const lease = this.places[id & (PLACES - 1)];
    if (lease && lease.seq === id) return lease;
    return this.longer.size > 0 ? this.longer.get(id) : undefined;
  }

  add(lease: Lease): void {
    const at = lease.seq & (PLACES - 1);
    this.size += 1;
    if (this.places[at] === null) this.places[at] = lease;
    else this.longer.set(lease.seq, lease);
  }

  delete(id: LeaseId): void {
    if (typeof id !== 'number') return;
    const at = id & (PLACES - 1);
    if (this.places[at]?.seq === id) this.places[at] = null;
    else if (!this.longer.delete(id)) return;
    this.size -= 1;
  }
}
