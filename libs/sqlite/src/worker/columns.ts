import type { Columns } from '../protocol.js';

/** Lists of columns of `operations`. All that is read is named: a newer version of this code may add to the table while this one has it open. */

/** What lists show. */
export const SUMMARY =
  'seq, id, provider, name, state, cause, fingerprint, lane, tenant, partition, ordering_key, reference, due_at, owner, ' +
  'lease_until, fence, deliveries, attempts, checks, absent_at, created_at, updated_at, ended_at, error';

/** All of them. */
export const FULL = `${SUMMARY}, line, ready, blocked, resend_until, requests, keep_ms, accepted_at, purge_at, checkpoint, result, payload`;

/** What a move needs to know. */
export const MOVABLE =
  'seq, id, provider, name, state, cause, lane, tenant, line, ready, ordering_key, blocked, reference, fence, deliveries, ' +
  'attempts, checks, absent_at, resend_until, requests, keep_ms, due_at, length(payload) = 0 AS unstored';

/** Rows as they are sent: `names` is one of the lists above. */
export function columnsOf<Row>(names: string, rows: readonly Row[]): Columns<Row> {
  const columns: Partial<Record<keyof Row, readonly unknown[]>> = {};
  for (const name of names.split(', ') as (keyof Row)[]) columns[name] = rows.map((row) => row[name]);
  return columns as Columns<Row>;
}
