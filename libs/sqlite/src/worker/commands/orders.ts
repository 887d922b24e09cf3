import type { Ordered } from '../../../../core/src/index.js';
import type { Commands, FlushInput, FlushReply } from '../../protocol.js';
import { MOVABLE } from '../columns.js';
import { end, mayNotResend, type Movable, move } from '../moves.js';
import type { Unit } from '../unit.js';
import { isBusy } from './create.js';

type InputOf<Name extends keyof Commands> = Commands[Name]['input'];

function find(unit: Unit, id: string): Movable | undefined {
  return unit.db.get<Movable>(`SELECT ${MOVABLE} FROM operations WHERE id = ?`, id);
}

export function redrive(unit: Unit, { id, start }: InputOf<'redrive'>, nowMs: number): Ordered {
  const row = find(unit, id);
  if (row === undefined || !hasEnded(row)) return refused(row);
  const unsure = mayNotResend(row, nowMs);
  const blocked = row.ordering_key !== null && isBusy(unit, row.provider, row.ordering_key);
  const starts = start !== null && !blocked && !unsure;
  if (!starts && !unsure && row.unstored === 1) return refused(row);
  const state = unsure ? 'uncertain' : starts ? 'running' : 'queued';
  const fence = row.fence + 1;
  // Its old line may be gone.
  const line = unit.line(row.provider, row.lane, row.tenant);
  move(unit, row, state, 'redriven', nowMs, {
    line: line.id,
    ready: state === 'queued' && !blocked ? 1 : 0,
    blocked: blocked ? 1 : 0,
    due_at: unsure ? nowMs : null,
    owner: starts ? start.owner : null,
    lease_until: starts ? nowMs + start.leaseMs : null,
    fence,
    deliveries: starts ? 1 : 0,
    attempts: 0,
    checks: 0,
    absent_at: null,
    accepted_at: nowMs,
    ended_at: null,
    purge_at: null,
  });
  unit.addOpen(line.id, 1);
  return { type: 'moved', state, fence };
}

/** Given up, and not for good. */
function hasEnded({ state, cause }: Movable): boolean {
  return state === 'dead' || (state === 'discarded' && cause === 'not-sent');
}

export function discard(unit: Unit, { id, error }: InputOf<'discard'>, nowMs: number): Ordered {
  const row = find(unit, id);
  if (row === undefined || row.state === 'running' || row.state === 'reconciling') return refused(row);
  if (row.state === 'done' || row.state === 'discarded') return refused(row);
  const fence = row.fence + 1;
  end(unit, row, 'discarded', 'discarded', nowMs, { fence, error });
  return { type: 'moved', state: 'discarded', fence };
}

export function resolve(unit: Unit, { id, result, error }: InputOf<'resolve'>, nowMs: number): Ordered {
  const row = find(unit, id);
  if (row?.state !== 'uncertain' && row?.state !== 'dead') return refused(row);
  const fence = row.fence + 1;
  end(unit, row, 'done', 'resolved', nowMs, { fence, result, error });
  return { type: 'moved', state: 'done', fence };
}

function refused(row: Movable | undefined): Ordered {
  return { type: 'refused', state: row?.state ?? null };
}

/** What a bite of a flush looks at, so that a long queue of which nothing is to be given up holds up nobody either. */
const LOOKED_AT = 2_000;

export function flush(unit: Unit, input: FlushInput, nowMs: number): FlushReply {
  const { provider, partition, olderThanMs, limit } = input;
  const { state, seq } = input.from ?? { state: 'queued', seq: 0 };
  const until = unit.db.get<{ seq: number }>(
    'SELECT seq FROM operations WHERE provider = ? AND state = ? AND seq > ? ORDER BY seq LIMIT 1 OFFSET ?',
    provider,
    state,
    seq,
    LOOKED_AT,
  )?.seq;
  const parts = partition === null ? [] : partition.split('&');
  const hasPart = "AND instr('&' || partition || '&', '&' || ? || '&') > 0 ";
  const rows = unit.db.all<Movable>(
    `SELECT ${MOVABLE} FROM operations WHERE provider = ? AND state = ? AND seq > ? AND seq <= ? AND accepted_at <= ? ` +
      `${hasPart.repeat(parts.length)}ORDER BY seq LIMIT ?`,
    provider,
    state,
    seq,
    until ?? Number.MAX_SAFE_INTEGER,
    nowMs - olderThanMs,
    ...parts,
    limit,
  );
  const moved = rows.map((row) => end(unit, row, 'dead', 'flushed', nowMs, {}));
  const reached = rows.length === limit ? rows.at(-1)!.seq : until;
  if (reached !== undefined) return { moved, next: { state, seq: reached } };
  return { moved, next: state === 'queued' ? { state: 'waiting', seq: 0 } : null };
}

export function purge(unit: Unit, { limit }: InputOf<'purge'>, nowMs: number): number {
  const rows = unit.db.all<Pick<Movable, 'seq' | 'provider' | 'lane' | 'state' | 'requests'>>(
    'SELECT seq, provider, lane, state, requests FROM operations WHERE purge_at <= ? ORDER BY purge_at LIMIT ?',
    nowMs,
    limit,
  );
  for (const { seq, provider, lane, state, requests } of rows) {
    if (requests > 0) unit.db.run('DELETE FROM requests WHERE operation = ?', seq);
    unit.db.run('DELETE FROM operations WHERE seq = ?', seq);
    unit.count(provider, lane, state, -1);
  }
  unit.dropIdleLines(limit);
  unit.db.run('DELETE FROM used WHERE expires_at <= ?', nowMs);
  return rows.length;
}
