import type { Permit, Settlement } from '../admission.js';
import type { Grant, LeaseId, Ticket, WaitCause } from '../port.js';

/** How long a retry sleeps, and the longest it then stands in line. */
export interface PlannedRetry {
  readonly afterMs: number;
  readonly keepMs: number;
}

/** Who is told of the ends of permits. */
export interface PermitOwner {
  /** `sleep` null = no place in the retry budget is asked for. `onPlace` is called exactly once where it is given. */
  ended(
    permit: AdmittedPermit,
    settlement: Settlement,
    sleep: PlannedRetry | null,
    onPlace: ((place: string | null) => void) | null,
  ): void;
  endedTwice(): void;
  limitName(limit: number | null): string | null;
}

const NO_WAIT: readonly never[] = [];

/** The permit as the client loop knows it: which ticket it was granted under, and what it was charged. */
export class AdmittedPermit implements Permit {
  leaseId: LeaseId = '';
  probe = false;
  probesBreaker = false;
  shadow: Permit['shadow'] = null;
  waitedMs = 0;
  waitedFor: readonly { readonly cause: WaitCause; readonly limitName: string | null; readonly ms: number }[] = NO_WAIT;
  /** An observed call that has left before the gate answered: its end is held until its lease is known. */
  awaitsLease = false;
  held: {
    readonly settlement: Settlement;
    readonly sleep: PlannedRetry | null;
    readonly onPlace: ((place: string | null) => void) | null;
  } | null = null;
  private over = false;

  constructor(
    private readonly owner: PermitOwner,
    readonly ticket: Ticket | null,
    /** What this attempt costs, by position in `ticket.limits`. */
    readonly charges: readonly number[],
    /** What the gate has charged: more than it costs, where the call it was asked for is gone. */
    readonly charged: readonly number[],
    readonly grantedMono: number,
  ) {}

  /** Takes over the lease that the gate has granted. */
  leasedAs(grant: Grant): void {
    this.leaseId = grant.leaseId;
    this.probe = grant.probe;
    this.probesBreaker = grant.probesBreaker;
    if (grant.shadow !== null) {
      const { cause, limit, waitUs } = grant.shadow;
      const limitName = this.owner.limitName(limit);
      this.shadow = { cause, limitName, waitMs: waitUs === null ? null : waitUs / 1000 };
    }
  }

  settle(settlement: Settlement): void {
    if (this.endOnce()) this.owner.ended(this, settlement, null, null);
  }

  settleForRetry(settlement: Settlement, afterMs: number, keepMs: number): Promise<string | null> {
    if (!this.endOnce()) return Promise.resolve(null);
    return new Promise((resolve) => this.owner.ended(this, settlement, { afterMs, keepMs }, resolve));
  }

  private endOnce(): boolean {
    if (this.over) {
      this.owner.endedTwice();
      return false;
    }
    this.over = true;
    return true;
  }
}
