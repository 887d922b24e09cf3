/** Rows as the port shows them. */
import type { Claimed, Operation, OperationState, OperationSummary, StoredRequest } from '../../core/src/index.js';
import type { Codec } from './codec.js';
import type { Columns, FullRow, OperationRow, RequestRow } from './protocol.js';

export function summaryOf(codec: Codec, row: OperationRow): OperationSummary {
  return {
    id: row.id,
    provider: row.provider,
    name: row.name,
    state: row.state,
    cause: row.cause,
    fingerprint: row.fingerprint,
    lane: row.lane,
    tenant: row.tenant,
    partition: row.partition,
    orderingKey: row.ordering_key,
    reference: row.reference,
    error: codec.decodeError(row.error),
    attempts: row.attempts,
    deliveries: row.deliveries,
    checks: row.checks,
    absentAtMs: row.absent_at,
    createdAtMs: row.created_at,
    updatedAtMs: row.updated_at,
    dueAtMs: row.due_at,
    endedAtMs: row.ended_at,
    owner: row.owner,
    leaseUntilMs: row.lease_until,
    fence: row.fence,
  };
}

/** @throws SqliteStoreError `UNREADABLE` */
export function operationOf(codec: Codec, row: FullRow): Operation {
  return {
    ...summaryOf(codec, row),
    payload: row.payload === '' ? null : codec.decode(row.payload),
    result: codec.decodeOrNull(row.result),
    checkpoint: codec.decodeOrNull(row.checkpoint),
  };
}

/** @throws SqliteStoreError `UNREADABLE` */
export function requestOf(codec: Codec, row: RequestRow): StoredRequest {
  return {
    step: row.step,
    method: row.method,
    route: row.route,
    providerKey: row.provider_key,
    bodyHash: row.body_hash,
    body: row.body === null ? null : codec.decodeBytes(row.body),
    contentType: row.content_type,
    sends: row.sends,
    firstSentAtMs: row.first_sent_at,
    lastSentAtMs: row.last_sent_at,
    repeatableUntilMs: row.repeatable_until,
    state: row.state,
    status: row.status,
    answer: codec.decodeOrNull(row.answer),
  };
}

/** @throws SqliteStoreError `UNREADABLE` */
export function claimedOf(codec: Codec, row: FullRow, from: OperationState, requests: readonly RequestRow[]): Claimed {
  return { operation: operationOf(codec, row), from, requests: requests.map((request) => requestOf(codec, request)) };
}

/** What was sent column by column. */
export function rowsOf<Row extends { readonly seq: number }>(columns: Columns<Row>): readonly Row[] {
  const names = Object.keys(columns) as (keyof Row & string)[];
  // Parsed and not built: the engine keeps a wide object that was built key by key as a slow table.
  const blank = JSON.parse(`{${names.map((name) => `${JSON.stringify(name)}:null`).join()}}`) as Row;
  return columns.seq.map((_, at) => {
    const row = { ...blank };
    for (const name of names) row[name] = columns[name][at]!;
    return row;
  });
}
