import type { Ordered } from '../../../../core/src/index.js';
import type { Commands, HastenReply } from '../../protocol.js';
import { MOVABLE } from '../columns.js';
import type { Movable } from '../moves.js';
import type { Unit } from '../unit.js';

type InputOf<Name extends keyof Commands> = Commands[Name]['input'];
type Due = Pick<Movable, 'seq' | 'state' | 'line' | 'due_at'>;

export function hasten(unit: Unit, { id }: InputOf<'hasten'>, nowMs: number): Ordered {
  const row = unit.db.get<Movable>(`SELECT ${MOVABLE} FROM operations WHERE id = ?`, id);
  if (row?.state !== 'waiting' && row?.state !== 'uncertain') return { type: 'refused', state: row?.state ?? null };
  bringForward(unit, row, nowMs);
  return { type: 'moved', state: row.state, fence: row.fence };
}

export function hastenAll(unit: Unit, input: InputOf<'hastenAll'>, nowMs: number): HastenReply {
  const { provider, partition, limit } = input;
  const { state, seq } = input.from ?? { state: 'waiting', seq: 0 };
  const until = unit.db.get<{ seq: number }>(
    'SELECT seq FROM operations WHERE provider = ? AND state = ? AND seq > ? ORDER BY seq LIMIT 1 OFFSET ?',
    provider,
    state,
    seq,
    limit - 1,
  )?.seq;
  const parts = partition === null ? [] : partition.split('&');
  const hasPart = "AND instr('&' || partition || '&', '&' || ? || '&') > 0 ";
  const rows = unit.db.all<Due>(
    'SELECT seq, state, line, due_at FROM operations WHERE provider = ? AND state = ? AND seq > ? AND seq <= ? ' +
      `AND cause = 'rescheduled' AND due_at > ? ${hasPart.repeat(parts.length)}ORDER BY seq`,
    provider,
    state,
    seq,
    until ?? Number.MAX_SAFE_INTEGER,
    nowMs,
    ...parts,
  );
  for (const row of rows) bringForward(unit, row, nowMs);
  const count = rows.length;
  if (until !== undefined) return { count, next: { state, seq: until } };
  return { count, next: state === 'waiting' ? { state: 'uncertain', seq: 0 } : null };
}

function bringForward(unit: Unit, row: Due, nowMs: number): void {
  if (row.due_at === null || row.due_at <= nowMs) return;
  unit.update(row.seq, { due_at: nowMs });
  if (row.state === 'waiting') unit.willBeDue(row.line, nowMs);
}
