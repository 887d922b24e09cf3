import type { Moved, OperationState } from '../../../../core/src/index.js';
import type { ClaimedRows, ClaimInput, FullRow, RequestRow } from '../../protocol.js';
import { columnsOf, FULL } from '../columns.js';
import { end, handOut, mayNotResend, toUncertain } from '../moves.js';
import type { Unit } from '../unit.js';
import { REQUEST_COLUMNS } from './requests.js';

/** A claim's work is bounded however much falls due at once: lines that are looked at, and waiting work that is made ready, in one and in all. */
const DUE_LINES_PER_CLAIM = 500;
const DUE_PER_LINE = 200;
const DUE_PER_CLAIM = 500;
/** And so is what it moves elsewhere. */
const MOVED_PER_CLAIM = 100;

interface ReadyLine {
  readonly id: number;
  readonly next_due: number | null;
}

interface Claim {
  /** As it is now. */
  readonly row: FullRow;
  readonly from: OperationState;
}

interface Taking {
  readonly claimed: Claim[];
  readonly moved: Moved[];
  /** How much that waited was made ready. */
  promoted: number;
}

export function claim(unit: Unit, input: ClaimInput, nowMs: number): ClaimedRows {
  const { provider, limit } = input;
  wakeLines(unit, provider, nowMs);
  const taking: Taking = { claimed: [], moved: [], promoted: 0 };
  let turn: number | null = null;
  for (const lane of lanesInOrder(unit, provider, input.lanes)) {
    // Each round takes or moves at least one, or finds a line empty.
    while (taking.claimed.length < limit && taking.moved.length < MOVED_PER_CLAIM) {
      const lines = unit.db.all<ReadyLine>(
        'SELECT id, next_due FROM lines WHERE provider = ? AND lane = ? AND ready = 1 ORDER BY turn, id LIMIT ?',
        provider,
        lane,
        limit - taking.claimed.length,
      );
      if (lines.length === 0) break;
      turn ??= lastTurn(unit, provider);
      turn = takeRound(unit, input, lines, turn, nowMs, taking);
    }
    if (taking.claimed.length >= limit) break;
  }
  return replyOf(unit, taking.claimed, taking.moved, nextIn(unit, provider, nowMs));
}

/** Takes from each line in turn, as long as there is room. Returns the last turn given. */
function takeRound(
  unit: Unit,
  input: ClaimInput,
  lines: readonly ReadyLine[],
  turn: number,
  nowMs: number,
  taking: Taking,
): number {
  const share = Math.ceil((input.limit - taking.claimed.length) / lines.length);
  const heads = lines.map(({ id, next_due: nextDueMs }) => {
    if (nextDueMs !== null && nextDueMs <= nowMs) taking.promoted += promote(unit, id, nowMs, DUE_PER_CLAIM - taking.promoted); // prettier-ignore
    const rows = unit.db.all<FullRow>(
      `SELECT ${FULL} FROM operations WHERE line = ? AND ready = 1 ORDER BY seq LIMIT ?`,
      id,
      share,
    );
    if (rows.length < share) unit.markEmpty(id);
    return { id, rows };
  });
  const turns = new Map<number, number>();
  const taken: FullRow[] = [];
  for (let place = 0; place < share; place += 1) {
    for (const { id, rows } of heads) {
      const row = rows[place];
      if (row === undefined) continue;
      if (taking.claimed.length + taken.length >= input.limit) {
        // Its line may have been taken for empty.
        unit.markReady(id);
        continue;
      }
      turn += 1;
      turns.set(id, turn);
      const mayRun = take(unit, row, nowMs, taking);
      if (mayRun !== null) taken.push(mayRun);
    }
  }
  taking.claimed.push(...hand(unit, taken, 'running', input, nowMs));
  for (const [id, last] of turns) unit.db.run('UPDATE lines SET turn = ? WHERE id = ?', last, id);
  return turn;
}

/** What is to be handed out, or null where it was moved elsewhere. */
function take(unit: Unit, row: FullRow, nowMs: number, { moved }: Taking): FullRow | null {
  if (mayNotResend(row, nowMs)) {
    moved.push(toUncertain(unit, row, 'not-repeatable', nowMs, nowMs, {}));
  } else if (row.deliveries >= unit.rules.maxDeliveries) {
    moved.push(end(unit, row, 'dead', 'deliveries-exhausted', nowMs, {}));
  } else {
    return row;
  }
  return null;
}

function hand(
  unit: Unit,
  rows: readonly FullRow[],
  to: 'running' | 'reconciling',
  input: Omit<ClaimInput, 'lanes'>,
  nowMs: number,
): readonly Claim[] {
  if (rows.length === 0) return [];
  return handOut(unit, rows, to, input, nowMs).map((row, at) => ({ row, from: rows[at]!.state }));
}

function replyOf(unit: Unit, claimed: readonly Claim[], moved: readonly Moved[], nextInMs: number | null): ClaimedRows {
  const rows = claimed.map(({ row }) => row);
  const sent = `SELECT ${REQUEST_COLUMNS} FROM requests WHERE operation = ?`;
  return {
    rows: columnsOf(FULL, rows),
    from: claimed.map(({ from }) => from),
    requests: rows.map(({ seq, requests }) => (requests === 0 ? [] : unit.db.all<RequestRow>(sent, seq))),
    moved,
    nextInMs,
  };
}

export function claimUncertain(unit: Unit, input: Omit<ClaimInput, 'lanes'>, nowMs: number): ClaimedRows {
  const { provider, limit } = input;
  const due = unit.db.all<FullRow>(`SELECT ${FULL} ${LOOKED_UP} LIMIT ?`, provider, nowMs, limit);
  const references = new Set<string>();
  const rows = due.filter(({ reference }) => {
    if (reference === null) return true;
    const isFirst = !references.has(reference);
    references.add(reference);
    return isFirst;
  });
  const claimed = hand(unit, rows, 'reconciling', input, nowMs);
  const next = unit.db.get<{ due_at: number }>(`SELECT due_at ${LOOKED_UP} LIMIT 1`, provider, Number.MAX_SAFE_INTEGER);
  return replyOf(unit, claimed, [], next === undefined ? null : Math.max(0, next.due_at - nowMs));
}

/** Uncertain operations that are due, but for those whose reference somebody holds. */
const LOOKED_UP =
  "FROM operations AS o WHERE provider = ? AND state = 'uncertain' AND due_at <= ? AND (reference IS NULL OR " +
  'NOT EXISTS (SELECT 1 FROM operations AS h WHERE h.provider = o.provider AND h.reference = o.reference ' +
  'AND h.owner IS NOT NULL)) ORDER BY due_at';

/** Lines of which something falls due have their turn, as those that have ready work. */
function wakeLines(unit: Unit, provider: string, nowMs: number): void {
  unit.db.run(
    'UPDATE lines SET ready = 1 WHERE id IN ' +
      '(SELECT id FROM lines WHERE provider = ? AND ready = 0 AND next_due <= ? ORDER BY next_due LIMIT ?)',
    provider,
    nowMs,
    DUE_LINES_PER_CLAIM,
  );
}

/** What has waited long enough in a line is ready, as far as there is room. Where there is none the line is due still, for the next claim. */
function promote(unit: Unit, line: number, nowMs: number, room: number): number {
  if (room <= 0) return 0;
  const due = unit.db.all<{ seq: number; blocked: number }>(
    "SELECT seq, blocked FROM operations WHERE line = ? AND state = 'waiting' AND due_at <= ? ORDER BY due_at LIMIT ?",
    line,
    nowMs,
    Math.min(DUE_PER_LINE, room),
  );
  for (const { seq, blocked } of due) unit.update(seq, { due_at: null, ready: blocked === 0 ? 1 : 0 });
  unit.db.run(
    "UPDATE lines SET next_due = (SELECT MIN(due_at) FROM operations WHERE line = ? AND state = 'waiting' AND due_at IS NOT NULL) WHERE id = ?",
    line,
    line,
  );
  return due.length;
}

/** Lanes with ready work. From one to the next by the index, however many tenants each has. */
function lanesInOrder(unit: Unit, provider: string, named: readonly string[]): readonly string[] {
  const ready: string[] = [];
  for (let lane: string | undefined = nextLane(unit, provider, ''); lane !== undefined;) {
    ready.push(lane);
    lane = nextLane(unit, provider, lane);
  }
  return [...named.filter((lane) => ready.includes(lane)), ...ready.filter((lane) => !named.includes(lane))];
}

function nextLane(unit: Unit, provider: string, after: string): string | undefined {
  return unit.db.get<{ lane: string }>(
    'SELECT lane FROM lines WHERE provider = ? AND ready = 1 AND lane > ? ORDER BY lane LIMIT 1',
    provider,
    after,
  )?.lane;
}

function lastTurn(unit: Unit, provider: string): number {
  return unit.db.get<{ turn: number | null }>('SELECT MAX(turn) AS turn FROM lines WHERE provider = ?', provider)!.turn ?? 0; // prettier-ignore
}

function nextIn(unit: Unit, provider: string, nowMs: number): number | null {
  const ready = unit.db.get('SELECT 1 FROM lines WHERE provider = ? AND ready = 1 LIMIT 1', provider);
  if (ready !== undefined) return 0;
  const first = unit.db.get<{ next_due: number }>(
    'SELECT next_due FROM lines WHERE provider = ? AND ready = 0 AND next_due IS NOT NULL ORDER BY next_due LIMIT 1',
    provider,
  );
  return first === undefined ? null : Math.max(0, first.next_due - nowMs);
}
