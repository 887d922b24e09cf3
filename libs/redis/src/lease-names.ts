/** What Redis calls the leases that were granted without it, or that it had lost, as long as they are out. */
import type { LeaseId } from '../../core/src/index.js';
import type { Load } from './steps.js';

/** Begins the names of leases and places that Redis knows nothing of. */
export const AWAY = 'away:';

/** A lease of an outage that Redis has no name for: older than all of its own. */
const NOBODYS_LEASE = 0;

export class LeaseNames {
  private readonly names = new Map<LeaseId, LeaseId>();
  private used = false;

  /** From now on names without a meaning to Redis may come. */
  expect(): void {
    this.used = true;
  }

  add(names: ReadonlyMap<LeaseId, LeaseId>): void {
    for (const [lease, name] of names) {
      this.used = true;
      this.names.set(lease, name);
    }
  }

  /** Leases and places as Redis knows them, or as nobody's. */
  translated({ settles, asks, commands }: Load): Load {
    if (!this.used) return { settles, asks, commands };
    return {
      settles: settles.map((settle) => ({ ...settle, leaseId: this.nameOf(settle.leaseId) })),
      asks: asks.map((ask) => ({
        ...ask,
        heads: ask.heads.map((head) => (isAway(head.place) ? { ...head, place: null } : head)),
      })),
      commands: commands.filter((command) => command.type !== 'release-place' || !isAway(command.place)),
    };
  }

  private nameOf(leaseId: LeaseId): LeaseId {
    const name = this.names.get(leaseId);
    this.names.delete(leaseId);
    return name ?? (isAway(leaseId) ? NOBODYS_LEASE : leaseId);
  }
}

function isAway(name: LeaseId | null): boolean {
  return typeof name === 'string' && name.startsWith(AWAY);
}
