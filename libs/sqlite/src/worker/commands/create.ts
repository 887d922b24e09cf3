import type { OperationState, StoreRefusal } from '../../../../core/src/index.js';
import type { CreateInput, CreateReply, FullRow } from '../../protocol.js';
import { FULL } from '../columns.js';
import type { Unit } from '../unit.js';

export function create(unit: Unit, input: CreateInput, nowMs: number): CreateReply {
  const { id, provider, lane, tenant, orderingKey } = input;
  const line = unit.line(provider, lane, tenant);
  const refusal = overBounds(unit, input, line.open);
  if (refusal !== null) return find(unit, input) ?? refusal;
  const blocked = orderingKey !== null && isBusy(unit, provider, orderingKey);
  const { state, cause } = begin(input, blocked);
  const running = state === 'running';
  const ready = state === 'queued' && !blocked;
  const fence = running ? 1 : 0;
  const dueAtMs = state === 'waiting' ? nowMs + input.dueInMs : null;
  // Mostly it is not there: that is found out by making it.
  const made = unit.insert({
    id,
    provider,
    name: input.name,
    state,
    cause,
    fingerprint: input.fingerprint,
    lane,
    tenant,
    partition: input.partition,
    ordering_key: orderingKey,
    reference: input.reference,
    line: line.id,
    ready: ready ? 1 : 0,
    blocked: blocked ? 1 : 0,
    due_at: dueAtMs,
    owner: running ? input.start!.owner : null,
    lease_until: running ? nowMs + input.start!.leaseMs : null,
    fence,
    deliveries: running ? 1 : 0,
    keep_ms: input.keepMs,
    created_at: nowMs,
    accepted_at: nowMs,
    updated_at: nowMs,
    payload: input.payload,
  });
  if (!made) return find(unit, input)!;
  unit.count(provider, lane, state, 1);
  unit.addOpen(line.id, 1);
  if (ready) unit.markReady(line.id);
  if (dueAtMs !== null) unit.willBeDue(line.id, dueAtMs);
  return { type: 'created', state, fence };
}

function find(unit: Unit, { id, fingerprint }: CreateInput): CreateReply | undefined {
  const row = unit.db.get<FullRow>(`SELECT ${FULL} FROM operations WHERE id = ?`, id);
  if (row === undefined) return undefined;
  return { type: row.fingerprint === fingerprint ? 'existing' : 'conflict', row };
}

function begin(
  { start, dueInMs }: CreateInput,
  blocked: boolean,
): { readonly state: OperationState; readonly cause: 'started' | 'scheduled' | 'created' } {
  if (start !== null) return blocked ? { state: 'queued', cause: 'created' } : { state: 'running', cause: 'started' };
  return dueInMs > 0 ? { state: 'waiting', cause: 'scheduled' } : { state: 'queued', cause: 'created' };
}

/** Whether an operation of this key is open: the new one waits for it. */
export function isBusy(unit: Unit, provider: string, orderingKey: string): boolean {
  const open = unit.db.get<{ seq: number }>(
    'SELECT seq FROM operations WHERE provider = ? AND ordering_key = ? AND ended_at IS NULL LIMIT 1',
    provider,
    orderingKey,
  );
  return open !== undefined;
}

function overBounds(unit: Unit, { provider, lane, bounds }: CreateInput, openOfLine: number): StoreRefusal | null {
  if (openOfLine >= bounds.perTenant) {
    return { type: 'refused', code: 'QUEUE_FULL', of: 'tenant', limit: bounds.perTenant };
  }
  if (unit.openOfLane(provider, lane) >= bounds.perLane) {
    return { type: 'refused', code: 'QUEUE_FULL', of: 'lane', limit: bounds.perLane };
  }
  return null;
}
