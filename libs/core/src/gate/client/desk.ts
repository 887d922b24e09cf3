/** Hands out permits and takes their ends: the link between the loop's replies and its outbox. */
import { limitNameOf } from '../../contract/limit-name.js';
import type { ResolvedContract } from '../../contract/resolved.js';
import type { Settlement } from '../admission.js';
import type { Grant, Ticket } from '../port.js';
import type { Line, Waiter } from './line.js';
import type { Lines } from './lines.js';
import type { Outbox } from './outbox.js';
import { AdmittedPermit, type PermitOwner, type PlannedRetry } from './permit.js';
import type { ReplyOwner } from './replies.js';
import type { Reports } from './reports.js';
import type { SentStep } from './sent-step.js';
import { givenBack, settleOf } from './settlements.js';

export interface DeskDeps {
  readonly lines: Lines;
  readonly outbox: Outbox;
  readonly reports: Reports;
  readonly contract: () => ResolvedContract;
  /** Whether everything is to be sent at once: others wait at a shared gate, or the end is near. */
  readonly pressing: () => { readonly shared: boolean; readonly draining: boolean };
  /** When an end that comes now is to reach the gate at the latest. */
  readonly flushMono: () => number;
  /** Something was put into the outbox. */
  readonly posted: () => void;
}

export class Desk implements PermitOwner, ReplyOwner {
  /** Permits that are out. */
  active = 0;

  constructor(private readonly deps: DeskDeps) {}

  get contract(): ResolvedContract {
    return this.deps.contract();
  }

  limitName(limit: number | null): string | null {
    return limitNameOf(this.contract, limit);
  }

  permitFor(
    waiter: Waiter,
    line: Line,
    grant: Grant,
    charged: readonly number[],
    step: SentStep,
    nowMono: number,
  ): AdmittedPermit {
    const permit = new AdmittedPermit(this, line.ticket, waiter.charges, charged, step.sentMono);
    permit.leasedAs(grant);
    permit.waitedMs = nowMono - waiter.arrivedMono;
    permit.waitedFor = line.heldUpFor(waiter.arrivedMono, nowMono);
    this.active += 1;
    return permit;
  }

  /** The permit of a call that was granted as it came. */
  permitAtOnce(charges: readonly number[], ticket: Ticket, grant: Grant, nowMono: number): AdmittedPermit {
    const permit = new AdmittedPermit(this, ticket, charges, charges, nowMono);
    permit.leasedAs(grant);
    this.active += 1;
    return permit;
  }

  /** The permit of a call that is sent whatever the gate says. Without a waiter it is never charged. */
  freePermit(waiter: Waiter | null, nowMono: number): AdmittedPermit {
    const charges = waiter?.charges ?? [];
    const permit = new AdmittedPermit(this, waiter?.line?.ticket ?? null, charges, charges, nowMono);
    permit.awaitsLease = waiter !== null;
    this.active += 1;
    return permit;
  }

  observedGranted(waiter: Waiter, grant: Grant | null): void {
    const permit = waiter.observed;
    if (permit === null) return;
    waiter.observed = null;
    permit.awaitsLease = false;
    if (grant !== null) permit.leasedAs(grant);
    const { held } = permit;
    permit.held = null;
    if (held !== null) this.post(permit, held.settlement, held.sleep, held.onPlace);
  }

  giveBack(grant: Grant, line: Line): void {
    this.deps.outbox.addSettle(givenBack(grant.leaseId, line.ticket), true, this.deps.flushMono);
  }

  ended(
    permit: AdmittedPermit,
    settlement: Settlement,
    sleep: PlannedRetry | null,
    onPlace: ((place: string | null) => void) | null,
  ): void {
    this.active -= 1;
    if (permit.awaitsLease) permit.held = { settlement, sleep, onPlace };
    else this.post(permit, settlement, sleep, onPlace);
    this.deps.posted();
  }

  endedTwice(): void {
    this.deps.reports.fault('permit', new RangeError('A permit was ended twice; the second ending does nothing.'));
  }

  private post(
    permit: AdmittedPermit,
    settlement: Settlement,
    sleep: PlannedRetry | null,
    onPlace: ((place: string | null) => void) | null,
  ): void {
    const { ticket } = permit;
    if (ticket === null || permit.leaseId === '') {
      onPlace?.(null);
      return;
    }
    const { outbox, flushMono } = this.deps;
    if (onPlace !== null && this.deps.pressing().draining) {
      // Nothing starts any more: there is no retry to keep a place for, and after the end nobody would answer.
      onPlace(null);
      return this.post(permit, settlement, null, null);
    }
    const settle = settleOf(this.contract, permit, ticket, settlement, sleep);
    settle.onPlace = onPlace;
    outbox.addSettle(settle, onPlace !== null || this.isUrgent(permit, settlement), flushMono);
  }

  /** Whether somebody waits for what this end gives back, or must learn what it says; all else rides along within the time of a flush. */
  private isUrgent(permit: AdmittedPermit, settlement: Settlement): boolean {
    if (settlement.refusal !== null || settlement.health === 'failure' || permit.probe) return true;
    const { shared, draining } = this.deps.pressing();
    if (draining) return true;
    const { ticket } = permit;
    if (ticket === null) return false;
    const { places } = this.deps.lines;
    if (places.waiting === 0 && !shared) return false;
    const freesPermit = ticket.limits.some((index) => this.contract.limits[index]?.kind === 'concurrency');
    if (freesPermit) return true;
    if (places.waiting === 0) return false;
    if (settlement.end === 'not-sent' || settlement.trueUnits !== null) return true;
    for (let lane = 0; lane < ticket.lane; lane += 1) if (places.inLane(lane) > 0) return true;
    return false;
  }
}
