import type { Hold, RequestRecord, Stale } from '../../../../core/src/index.js';
import type { EndInput, RecordReply, RequestRow, Stored } from '../../protocol.js';
import { held, isStale, type Movable } from '../moves.js';
import type { Unit } from '../unit.js';

export const REQUEST_COLUMNS =
  'step, method, route, provider_key, body_hash, body, content_type, sends, first_sent_at, last_sent_at, repeatable_until, state, status, answer';

export function requests(unit: Unit, { id }: { readonly id: string }): readonly RequestRow[] {
  return unit.db.all<RequestRow>(
    `SELECT ${REQUEST_COLUMNS} FROM requests WHERE operation = (SELECT seq FROM operations WHERE id = ?)`,
    id,
  );
}

export function recordRequest(
  unit: Unit,
  { hold, request }: { readonly hold: Hold; readonly request: RequestRecord },
  nowMs: number,
): RecordReply {
  const row = held(unit, hold);
  if (isStale(row)) return row;
  const before = row.requests === 0 ? undefined : requestOf(unit, row, request.step);
  if (before === undefined) {
    insert(unit, row, request, nowMs);
  } else {
    if (before.state === 'answered') return { type: 'answered', request: before };
    const unanswered = before.state === 'sent';
    if (unanswered && before.repeatable_until !== null && before.repeatable_until <= nowMs) {
      return { type: 'not-repeatable', request: before };
    }
    // What did not happen is no repeat: a caller or an operator may have mended what was refused.
    if (before.state === 'not-done') replaceBody(unit, row, request);
    // While its first send is unanswered the provider counts the life of its key from that.
    const until = unanswered ? before.repeatable_until : untilOf(request, nowMs);
    unit.db.run(
      "UPDATE requests SET state = 'sent', status = NULL, sends = sends + 1, last_sent_at = ?, repeatable_until = ? " +
        'WHERE operation = ? AND step = ?',
      nowMs,
      until,
      row.seq,
      request.step,
    );
  }
  refreshResendUntil(unit, row.seq);
  return { type: 'recorded', request: requestOf(unit, row, request.step)! };
}

export function recordAnswer(
  unit: Unit,
  { hold, step, end }: { readonly hold: Hold; readonly step: string; readonly end: EndInput },
): { readonly type: 'recorded' } | Stale {
  const row = held(unit, hold);
  if (isStale(row)) return row;
  const changed = unit.db.run(
    'UPDATE requests SET state = ?, status = ?, answer = ? WHERE operation = ? AND step = ?',
    end.type,
    end.status,
    end.type === 'answered' ? end.answer : null,
    row.seq,
    step,
  );
  if (changed === 0) throw new Error('An answer came for a request that was not recorded before it was sent.');
  refreshResendUntil(unit, row.seq);
  return { type: 'recorded' };
}

export function checkpoint(
  unit: Unit,
  { hold, position }: { readonly hold: Hold; readonly position: Stored },
  nowMs: number,
): { readonly type: 'recorded' } | Stale {
  const row = held(unit, hold);
  if (isStale(row)) return row;
  unit.update(row.seq, { checkpoint: position, updated_at: nowMs });
  return { type: 'recorded' };
}

/** What may not be repeated was looked up twice, and the provider does not know it. */
export function markAbsent(unit: Unit, seq: number, nowMs: number): void {
  unit.db.run(
    "UPDATE requests SET state = 'absent' WHERE operation = ? AND state = 'sent' AND repeatable_until <= ?",
    seq,
    nowMs,
  );
  refreshResendUntil(unit, seq);
}

function insert(unit: Unit, row: Movable, request: RequestRecord, nowMs: number): void {
  unit.db.run(
    'INSERT INTO requests (operation, step, method, route, provider_key, body_hash, body, content_type, sends, first_sent_at, ' +
      "last_sent_at, repeatable_until, state) VALUES (?, ?, ?, ?, ?, ?, ?, ?, 1, ?, ?, ?, 'sent')",
    row.seq,
    request.step,
    request.method,
    request.route,
    request.providerKey,
    request.bodyHash,
    request.body,
    request.contentType,
    nowMs,
    nowMs,
    untilOf(request, nowMs),
  );
  unit.update(row.seq, { requests: row.requests + 1 });
}

function replaceBody(unit: Unit, row: Movable, { step, bodyHash, body, contentType }: RequestRecord): void {
  unit.db.run(
    'UPDATE requests SET body_hash = ?, body = ?, content_type = ? WHERE operation = ? AND step = ?',
    bodyHash,
    body,
    contentType,
    row.seq,
    step,
  );
}

function requestOf(unit: Unit, row: Movable, step: string): RequestRow | undefined {
  return unit.db.get<RequestRow>(
    `SELECT ${REQUEST_COLUMNS} FROM requests WHERE operation = ? AND step = ?`,
    row.seq,
    step,
  );
}

/** 0 stands for never: it is before any moment. */
function untilOf({ repeatableForMs }: RequestRecord, nowMs: number): number | null {
  if (repeatableForMs === null) return null;
  return repeatableForMs <= 0 ? 0 : nowMs + repeatableForMs;
}

function refreshResendUntil(unit: Unit, seq: number): void {
  unit.db.run(
    "UPDATE operations SET resend_until = (SELECT MIN(repeatable_until) FROM requests WHERE operation = ? AND state = 'sent') WHERE seq = ?",
    seq,
    seq,
  );
}
