/** Moving one operation: the one place where its state is written. */
import type { Hold, Moved, OperationState, Stale, TransitionCause } from '../../../core/src/index.js';
import type { OperationRow } from '../protocol.js';
import { MOVABLE } from './columns.js';
import type { Row as Patch } from './texts.js';
import { moveName, type Unit } from './unit.js';

/** What a move needs to know of an operation. */
export type Movable = Pick<
  OperationRow,
  | 'seq'
  | 'id'
  | 'provider'
  | 'name'
  | 'state'
  | 'cause'
  | 'lane'
  | 'tenant'
  | 'line'
  | 'ready'
  | 'ordering_key'
  | 'blocked'
  | 'reference'
  | 'fence'
  | 'deliveries'
  | 'attempts'
  | 'checks'
  | 'absent_at'
  | 'resend_until'
  | 'requests'
  | 'keep_ms'
  | 'due_at'
> & {
  /** 1 = it has no payload: only who asks for it can run it. */
  readonly unstored?: number;
};

/** Nobody holds it. */
export const RELEASED: Patch = { owner: null, lease_until: null };

/** It is where it is now for `cause`; the patches say what else changes, and name no column twice. */
export function move(
  unit: Unit,
  row: Movable,
  to: OperationState,
  cause: TransitionCause,
  nowMs: number,
  ...patches: readonly Patch[]
): Moved {
  checkLegal(unit, row, to, cause);
  unit.update(row.seq, { state: to, cause, updated_at: nowMs }, ...patches);
  unit.count(row.provider, row.lane, row.state, -1);
  unit.count(row.provider, row.lane, to, 1);
  for (const patch of patches) {
    if (patch['ready'] === 1) unit.markReady((patch['line'] as number | undefined) ?? row.line);
  }
  return { id: row.id, provider: row.provider, name: row.name, from: row.state, to, cause };
}

/**
 * Hands them out: a new fence, a lease, and where they are to run a delivery counted. They change alike, so one statement
 * does it for all of them. Returns them as they are now.
 */
export function handOut<Row extends Movable>(
  unit: Unit,
  rows: readonly Row[],
  to: 'running' | 'reconciling',
  { owner, leaseMs }: { readonly owner: string; readonly leaseMs: number },
  nowMs: number,
): readonly Row[] {
  // A lookup is no delivery of the work.
  const delivered = to === 'running' ? 1 : 0;
  const leaseUntilMs = nowMs + leaseMs;
  for (const row of rows) {
    checkLegal(unit, row, to, 'claimed');
    unit.count(row.provider, row.lane, row.state, -1);
    unit.count(row.provider, row.lane, to, 1);
  }
  unit.db.run(
    'UPDATE operations SET state = ?, owner = ?, lease_until = ?, updated_at = ?, deliveries = deliveries + ?, ' +
      "fence = fence + 1, cause = 'claimed', ready = 0, due_at = NULL WHERE seq IN (SELECT value FROM json_each(?))",
    to,
    owner,
    leaseUntilMs,
    nowMs,
    delivered,
    JSON.stringify(rows.map(({ seq }) => seq)),
  );
  return rows.map((row) => ({
    ...row,
    state: to,
    cause: 'claimed',
    owner,
    lease_until: leaseUntilMs,
    updated_at: nowMs,
    deliveries: row.deliveries + delivered,
    fence: row.fence + 1,
    ready: 0,
    due_at: null,
  }));
}

function checkLegal(unit: Unit, { state }: Movable, to: OperationState, cause: TransitionCause): void {
  if (!unit.rules.legal.has(moveName(state, to, cause))) {
    throw new Error(`An operation cannot move from ${state} to ${to} for ${cause}.`);
  }
}

/** It ends; the next of its ordering key is free to go. */
export function end(
  unit: Unit,
  row: Movable,
  to: 'done' | 'dead' | 'discarded',
  cause: TransitionCause,
  nowMs: number,
  patch: Patch,
): Moved {
  const { keepDoneMs, keepDeadMs } = unit.rules;
  // What was given up unsent is no news to anybody: its caller knows.
  const keepMs = to === 'done' || cause === 'not-sent' ? (row.keep_ms ?? keepDoneMs) : keepDeadMs;
  const ended = { owner: null, lease_until: null, ready: 0, due_at: null, ended_at: nowMs, purge_at: nowMs + keepMs };
  const moved = move(unit, row, to, cause, nowMs, ended, patch);
  // One that was dead is in no line, and holds up nobody.
  if (row.state === 'dead') return moved;
  unit.addOpen(row.line, -1);
  if (row.ordering_key !== null) freeNext(unit, row.provider, row.ordering_key);
  return moved;
}

/** To the queue, or to whoever looks it up where an unanswered request of it may not be repeated. */
export function putBack(
  unit: Unit,
  row: Movable,
  cause: TransitionCause,
  nowMs: number,
  patch: Patch,
  uncertainCause: TransitionCause = 'not-repeatable',
): Moved {
  if (mayNotResend(row, nowMs)) return toUncertain(unit, row, uncertainCause, nowMs, nowMs, patch);
  if (row.unstored === 1) return abandon(unit, row, nowMs);
  return move(unit, row, 'queued', cause, nowMs, {
    ...RELEASED,
    due_at: null,
    ready: row.blocked === 0 ? 1 : 0,
    ...patch,
  });
}

/** Nobody is left who could run it. */
export function abandon(unit: Unit, row: Movable, nowMs: number): Moved {
  return wasSent(unit, row)
    ? end(unit, row, 'dead', 'cancelled', nowMs, {})
    : end(unit, row, 'discarded', 'not-sent', nowMs, {});
}

/** Whether a write of it left, as far as anybody knows. */
function wasSent(unit: Unit, row: Movable): boolean {
  if (row.requests === 0) return false;
  return (
    unit.db.get("SELECT 1 FROM requests WHERE operation = ? AND state <> 'not-done' LIMIT 1", row.seq) !== undefined
  );
}

/** Its outcome is unknown from now on. */
export function toUncertain(
  unit: Unit,
  row: Movable,
  cause: TransitionCause,
  dueAtMs: number,
  nowMs: number,
  patch: Patch,
): Moved {
  return move(unit, row, 'uncertain', cause, nowMs, {
    ...RELEASED,
    ready: 0,
    due_at: dueAtMs,
    checks: 0,
    absent_at: null,
    ...patch,
  });
}

export function mayNotResend(row: Pick<OperationRow, 'resend_until'>, nowMs: number): boolean {
  return row.resend_until !== null && row.resend_until <= nowMs;
}

/** The operation of a hold, or what to tell a holder that has lost it. */
export function held(unit: Unit, hold: Hold): Movable | Stale {
  const row = unit.db.get<Movable>(`SELECT ${MOVABLE} FROM operations WHERE id = ?`, hold.id);
  if (row === undefined) return { type: 'stale', state: null };
  const isHeld = row.state === 'running' || row.state === 'reconciling';
  return isHeld && row.fence === hold.fence ? row : { type: 'stale', state: row.state };
}

export function isStale(found: Movable | Stale): found is Stale {
  return 'type' in found;
}

function freeNext(unit: Unit, provider: string, orderingKey: string): void {
  // Free ones come first: if there is one, nobody is freed.
  const next = unit.db.get<Pick<OperationRow, 'seq' | 'state' | 'line' | 'due_at' | 'blocked'>>(
    'SELECT seq, state, line, due_at, blocked FROM operations ' +
      'WHERE provider = ? AND ordering_key = ? AND ended_at IS NULL ORDER BY blocked, seq LIMIT 1',
    provider,
    orderingKey,
  );
  if (next === undefined || next.blocked === 0) return;
  // One that is being looked up is no work yet, though it waits for no moment.
  const runnable = next.state === 'queued' || next.state === 'waiting';
  const ready = runnable && next.due_at === null ? 1 : 0;
  unit.update(next.seq, { blocked: 0, ready });
  if (ready === 1) unit.markReady(next.line);
}
