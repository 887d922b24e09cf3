import type { ResolvedContract } from '../../contract/resolved.js';

/** Which bound of the queue is reached. */
export type FullQueue =
  | { readonly whose: 'provider'; readonly size: number }
  | { readonly whose: 'lane'; readonly size: number; readonly lane: string }
  | { readonly whose: 'tenant'; readonly size: number };

/** The places of a provider's queue in this process: how many wait, in all, by lane and by tenant. */
export class Places {
  waiting = 0;
  private readonly byLane = new Map<number, number>();
  private readonly byTenant = new Map<string, number>();

  /** The bound that keeps a call from waiting; null = there is a place. */
  full(contract: ResolvedContract, lane: number, tenant: string): FullQueue | null {
    const { maxSize } = contract.queue;
    if (this.waiting >= maxSize) return { whose: 'provider', size: maxSize };
    const maxOfLane = contract.lanes[lane]?.maxQueued ?? maxSize;
    if (this.inLane(lane) >= maxOfLane) {
      return { whose: 'lane', size: maxOfLane, lane: contract.lanes[lane]?.name ?? String(lane) };
    }
    const maxOfTenant = Math.min(contract.tenants.maxQueued, shareOf(contract.tenants.maxShare, maxSize));
    if ((this.byTenant.get(tenant) ?? 0) >= maxOfTenant) return { whose: 'tenant', size: maxOfTenant };
    return null;
  }

  inLane(lane: number): number {
    return this.byLane.get(lane) ?? 0;
  }

  take(lane: number, tenant: string): void {
    this.add(lane, tenant, 1);
  }

  leave(lane: number, tenant: string): void {
    this.add(lane, tenant, -1);
  }

  private add(lane: number, tenant: string, by: 1 | -1): void {
    this.waiting += by;
    this.byLane.set(lane, this.inLane(lane) + by);
    const ofTenant = (this.byTenant.get(tenant) ?? 0) + by;
    if (ofTenant > 0) this.byTenant.set(tenant, ofTenant);
    else this.byTenant.delete(tenant);
  }
}

/** At most ceil(share x size) places, never under one. The small subtraction keeps 0.1 x 30 from becoming 4. */
function shareOf(share: number, size: number): number {
  return Math.max(1, Math.ceil(share * size - 1e-9));
}
