/** From what the pipeline says of an attempt's end to what the gate's books take. Pure. */
import type { ResolvedContract } from '../../contract/resolved.js';
import type { Units } from '../../model/outcome.js';
import type { Settlement } from '../admission.js';
import type { LeaseId, QuotaSeen, Settle, Ticket } from '../port.js';
import type { PlannedRetry } from './permit.js';

export interface EndedPermit {
  readonly leaseId: LeaseId;
  readonly charges: readonly number[];
  readonly charged: readonly number[];
}

const NOTHING_SEEN: readonly QuotaSeen[] = [];

/** A settle on its way to the gate. */
export interface OutgoingSettle extends Settle {
  /** Told of the place in the retry budget, exactly once. */
  onPlace: ((place: string | null) => void) | null;
  /** How often it was offered in vain. */
  tries: number;
}

export function settleOf(
  contract: ResolvedContract,
  permit: EndedPermit,
  ticket: Ticket,
  settlement: Settlement,
  sleep: PlannedRetry | null,
): OutgoingSettle {
  const { refusal } = settlement;
  return {
    leaseId: permit.leaseId,
    ticket,
    end: settlement.end,
    health: settlement.health,
    refusal: refusal === null ? null : refusalOf(contract, refusal),
    trueCharges: trueChargesOf(contract, permit, ticket, settlement.trueUnits),
    seen: settlement.seen.length === 0 ? NOTHING_SEEN : seenOf(contract, settlement.seen),
    retry: sleep === null ? null : { afterUs: durationUs(sleep.afterMs), keepUs: durationUs(sleep.keepMs) },
    onPlace: null,
    tries: 0,
  };
}

/** A permit that nobody uses: charges and lease go back. */
export function givenBack(leaseId: LeaseId, ticket: Ticket): OutgoingSettle {
  return {
    leaseId,
    ticket,
    end: 'not-sent',
    health: 'none',
    refusal: null,
    trueCharges: null,
    seen: NOTHING_SEEN,
    retry: null,
    onPlace: null,
    tries: 0,
  };
}

function durationUs(ms: number): number {
  return ms > 0 && ms < Infinity ? Math.round(ms * 1000) : 0;
}

function refusalOf(contract: ResolvedContract, refusal: NonNullable<Settlement['refusal']>): Settle['refusal'] {
  const { waitMs } = refusal;
  const hinted = waitMs !== null && waitMs > 0 ? Math.min(waitMs, contract.pause.maxHintMs) : null;
  return {
    limit: refusal.limitName === null ? null : indexOf(contract, refusal.limitName),
    waitUs: hinted === null ? null : Math.round(hinted * 1000),
  };
}

/** A unit whose true cost is not told, or not as a number of at least 0, stays as it was charged. */
function trueChargesOf(
  contract: ResolvedContract,
  permit: EndedPermit,
  ticket: Ticket,
  units: Units | null,
): readonly number[] | null {
  const { charges, charged } = permit;
  if (units === null) return charges === charged ? null : charges;
  return ticket.limits.map((index, position) => {
    const limit = contract.limits[index];
    const known = limit === undefined || limit.kind === 'concurrency' ? undefined : units[limit.unit];
    return typeof known === 'number' && known >= 0 && known < Infinity ? known : (charges[position] ?? 0);
  });
}

function seenOf(contract: ResolvedContract, seen: Settlement['seen']): readonly QuotaSeen[] {
  const known: QuotaSeen[] = [];
  for (const { limitName, remaining, resetInMs } of seen) {
    const limit = indexOf(contract, limitName);
    if (limit === null) continue;
    known.push({
      limit,
      remaining: finiteOrNull(remaining),
      resetInUs: resetInMs === null ? null : finiteOrNull(Math.round(resetInMs * 1000)),
    });
  }
  return known;
}

/** What is no number has not been told: books that took it would be none any more. */
function finiteOrNull(value: number | null): number | null {
  return Number.isFinite(value) ? value : null;
}

function indexOf(contract: ResolvedContract, name: string): number | null {
  const index = contract.limits.findIndex((limit) => limit.name === name);
  return index < 0 ? null : index;
}
