import type { Hold, Moved, Stale } from '../../../../core/src/index.js';
import type { EndingInput, SettleReply } from '../../protocol.js';
import { MOVABLE } from '../columns.js';
import { abandon, end, held, isStale, mayNotResend, type Movable, move, putBack, RELEASED, toUncertain } from '../moves.js'; // prettier-ignore
import type { Unit } from '../unit.js';
import { markAbsent } from './requests.js';

export function settle(
  unit: Unit,
  { hold, ending }: { readonly hold: Hold; readonly ending: EndingInput },
  nowMs: number,
): SettleReply {
  const row = held(unit, hold);
  if (isStale(row)) return row;
  const { to: state, cause } = apply(unit, row, ending, nowMs);
  return { type: 'settled', state, cause };
}

function apply(unit: Unit, row: Movable, ending: EndingInput, nowMs: number): Moved {
  switch (ending.to) {
    case 'done':
      return end(unit, row, 'done', ending.cause, nowMs, { result: ending.result, error: null });
    case 'dead':
      return end(unit, row, 'dead', ending.cause, nowMs, { error: ending.error });
    case 'discarded':
      return withdraw(unit, row, ending, nowMs);
    case 'queued':
      return giveBack(unit, row, nowMs);
    case 'waiting':
      return wait(unit, row, ending, nowMs);
    case 'uncertain':
      return doubt(unit, row, ending, nowMs);
    case 'absent':
      return absent(unit, row, ending, nowMs);
  }
}

/** What an earlier run left unanswered may have happened, whatever this one did. */
function withdraw(unit: Unit, row: Movable, { error }: EndingInput & { to: 'discarded' }, nowMs: number): Moved {
  if (row.resend_until === null) return end(unit, row, 'discarded', 'not-sent', nowMs, { error });
  return toUncertain(unit, row, 'outcome-unknown', nowMs, nowMs, { deliveries: 0, error });
}

/** A delivery that a shutdown cut short is as if it had not been. */
function giveBack(unit: Unit, row: Movable, nowMs: number): Moved {
  if (row.state === 'reconciling') return move(unit, row, 'uncertain', 'given-back', nowMs, { ...RELEASED, due_at: nowMs }); // prettier-ignore
  return putBack(unit, row, 'given-back', nowMs, { deliveries: Math.max(0, row.deliveries - 1) });
}

function wait(unit: Unit, row: Movable, ending: EndingInput & { to: 'waiting' }, nowMs: number): Moved {
  const { cause, dueInMs, error } = ending;
  const attempts = row.attempts + (cause === 'retry' ? 1 : 0);
  if (mayNotResend(row, nowMs)) {
    return toUncertain(unit, row, 'not-repeatable', nowMs, nowMs, { deliveries: 0, attempts, error });
  }
  if (row.unstored === 1) return abandon(unit, row, nowMs);
  const dueAtMs = nowMs + Math.max(0, dueInMs);
  unit.willBeDue(row.line, dueAtMs);
  return move(unit, row, 'waiting', cause, nowMs, {
    ...RELEASED,
    ready: 0,
    due_at: dueAtMs,
    deliveries: 0,
    attempts,
    error,
  });
}

function doubt(unit: Unit, row: Movable, ending: EndingInput & { to: 'uncertain' }, nowMs: number): Moved {
  const { cause, checkInMs, error } = ending;
  const dueAtMs = nowMs + Math.max(0, checkInMs);
  if (cause === 'outcome-unknown') return toUncertain(unit, row, cause, dueAtMs, nowMs, { deliveries: 0, error });
  return move(unit, row, 'uncertain', cause, nowMs, {
    ...RELEASED,
    due_at: dueAtMs,
    checks: row.checks + (cause === 'inconclusive' ? 1 : 0),
    error,
  });
}

/** Absent twice, far enough apart: judged here, by one clock, in the step that lets it go. */
function absent(unit: Unit, row: Movable, ending: EndingInput & { to: 'absent' }, nowMs: number): Moved {
  const sinceMs = row.absent_at;
  if (sinceMs !== null && nowMs - sinceMs >= ending.settleMs) {
    markAbsent(unit, row.seq, nowMs);
    if (row.unstored === 1) return end(unit, row, 'dead', 'unresolved', nowMs, {});
    return move(unit, row, 'queued', 'absent-twice', nowMs, {
      ...RELEASED,
      ready: row.blocked === 0 ? 1 : 0,
      due_at: null,
      fence: row.fence + 1,
      deliveries: 0,
    });
  }
  const restMs = sinceMs === null ? 0 : sinceMs + ending.settleMs - nowMs;
  return move(unit, row, 'uncertain', 'absent-once', nowMs, {
    ...RELEASED,
    due_at: nowMs + Math.max(0, ending.checkInMs, restMs),
    absent_at: sinceMs ?? nowMs,
    deliveries: 0,
  });
}

export function renew(
  unit: Unit,
  { holds, leaseMs }: { readonly holds: readonly Hold[]; readonly leaseMs: number },
  nowMs: number,
): readonly string[] {
  const lost: string[] = [];
  for (const hold of holds) {
    const row: Movable | Stale = held(unit, hold);
    if (isStale(row)) lost.push(hold.id);
    else unit.update(row.seq, { lease_until: nowMs + leaseMs });
  }
  return lost;
}

/** Leases that nobody renewed. */
export function recover(unit: Unit, { limit }: { readonly limit: number }, nowMs: number): readonly Moved[] {
  const rows = unit.db.all<Movable>(
    `SELECT ${MOVABLE} FROM operations WHERE lease_until <= ? ORDER BY lease_until LIMIT ?`,
    nowMs,
    limit,
  );
  return rows.map((row) =>
    row.state === 'running'
      ? putBack(unit, row, 'lease-expired', nowMs, {}, 'lease-expired')
      : // It may be the lookup that kills its processes.
        move(unit, row, 'uncertain', 'lease-expired', nowMs, { ...RELEASED, due_at: nowMs, checks: row.checks + 1 }),
  );
}
