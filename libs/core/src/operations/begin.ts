/** The first step of an ask with the store: the operation is made, or found, or begun again. */
import type { HeldOperation, HoldKeeper } from './hold-keeper.js';
import type { DurableRequest, OperationRequest } from '../idempotency/options.js';
import { conflict } from '../idempotency/ends.js';
import { encodePayload } from './payload.js';
import type { OperationStore } from './port.js';
import type { StoreBounds } from './port/create.js';
import type { Ending, Hold } from './port/hold.js';
import type { Operation } from './port/operation.js';
import type { Ordered } from './port/operator.js';
import type { StoredRequest } from './port/request.js';
import { settleHold } from './settle-hold.js';
import { canBeginAgain } from './states.js';
import type { StoreAccess } from './store-access.js';
import { storedErrorOf } from './stored-error-of.js';
import { storeRefusal } from './store-refusal.js';
import type { OperationWatch } from './watch.js';

export interface BeginDeps {
  readonly access: StoreAccess;
  readonly keeper: HoldKeeper;
  readonly watch: OperationWatch;
  /** Names this process in the store. */
  readonly owner: string;
  /** How long a result is remembered, in ms; null = as long as the store keeps what is done. */
  readonly keepMs: number | null;
  /** null = the store's own. */
  readonly bounds: StoreBounds | null;
}

/** One ask for an operation. */
export interface Ask {
  readonly id: string;
  readonly request: OperationRequest;
  readonly durable: DurableRequest;
  /** A worker asks, in a run that it would repeat for ever: what a person has to settle is not begun again for it. */
  readonly byWorker: boolean;
}

/** As much of an operation as an ask needs to know. */
export type Found = Pick<Operation, 'state' | 'cause' | 'dueAtMs' | 'result'>;

export type Begun =
  | { readonly type: 'begun'; readonly held: HeldOperation; readonly requests: readonly StoredRequest[] }
  | { readonly type: 'found'; readonly operation: Found };

/** @throws SluiceError IDEMPOTENCY_CONFLICT, QUEUE_FULL, PAYLOAD_TOO_LARGE, STORE_UNAVAILABLE, CONFIG for arguments that cannot be stored. */
export async function begin(deps: BeginDeps, ask: Ask): Promise<Begun> {
  const { access, watch, owner, keepMs, bounds, keeper } = deps;
  const { id, request, durable } = ask;
  const { provider } = request;
  const { name, invocation, lane, tenant, partition, orderingKey, reference } = durable;
  const input = {
    id,
    provider,
    name,
    fingerprint: request.fingerprint,
    lane,
    tenant,
    partition,
    orderingKey,
    reference,
    payload: invocation === null ? null : encodePayload(provider, name, invocation),
    start: { owner, leaseMs: keeper.leaseMs },
    dueInMs: 0,
    keepMs,
    bounds,
  };
  const askedMono = access.clock.monoMs();
  const created = await access.ask(
    provider,
    (store) => store.create(input),
    (answering) =>
      void answering.then((late) => {
        // The caller was told that nothing was sent.
        if (late.type !== 'created' || late.state !== 'running') return;
        giveUp(deps, ask, { id, fence: late.fence }, { to: 'discarded', cause: 'not-sent', error: null });
      }, ignore),
  );
  switch (created.type) {
    case 'refused':
      throw storeRefusal(provider, created);
    case 'conflict':
      throw conflict(provider, id);
    case 'existing':
      return canBeginAgain(created.operation.state, created.operation.cause) && !isGivenUp(ask, created.operation)
        ? beginAgain(deps, ask, created.operation)
        : { type: 'found', operation: created.operation };
    case 'created': {
      const { state, fence } = created;
      const cause = state === 'running' ? 'started' : 'created';
      watch.moved({ id, provider, name, from: null, to: state, cause });
      if (state !== 'running') return { type: 'found', operation: { state, cause, dueAtMs: null, result: null } };
      return { type: 'begun', held: keeper.keep({ id, fence }, provider, askedMono), requests: [] };
    }
  }
}

/** Whether a person has to settle it before the one who asks can go on. */
export function isGivenUp({ byWorker }: Ask, { state, cause }: Found): boolean {
  return byWorker && state === 'dead' && cause === 'unresolved';
}

/** Failures are not remembered as the answer. */
async function beginAgain(deps: BeginDeps, ask: Ask, { state: from, cause }: Operation): Promise<Begun> {
  const { access, keeper, watch, owner } = deps;
  const { id, request, durable } = ask;
  const { provider } = request;
  const leaseMs = keeper.leaseMs;
  const again = (store: OperationStore): Promise<Ordered> => store.redrive(id, { owner, leaseMs });
  const dead = (error: unknown): Ending => ({ to: 'dead', cause: 'cancelled', error: storedErrorOf(error) });
  const askedMono = access.clock.monoMs();
  const ordered = await access.ask(
    provider,
    again,
    (answering) =>
      void answering.then((late) => {
        if (late.type !== 'moved' || late.state !== 'running') return;
        giveUp(deps, ask, { id, fence: late.fence }, dead(new Error('The store was too slow to begin it again.')));
      }, ignore),
  );
  // Somebody else was faster.
  if (ordered.type === 'refused') return { type: 'found', operation: { state: from, cause, dueAtMs: null, result: null } }; // prettier-ignore
  const { state, fence } = ordered;
  watch.moved({ id, provider, name: durable.name, from, to: state, cause: 'redriven' });
  if (state !== 'running') return { type: 'found', operation: { state, cause: 'redriven', dueAtMs: null, result: null } }; // prettier-ignore
  const held = keeper.keep({ id, fence }, provider, askedMono);
  try {
    return { type: 'begun', held, requests: await access.ask(provider, (store) => store.requests(id)) };
  } catch (error) {
    held.release();
    giveUp(deps, ask, held.hold, dead(error));
    throw error;
  }
}

/** What was begun and is not run. The store may be away: then its lease ends by itself. */
function giveUp({ access, watch }: BeginDeps, { request, durable }: Ask, hold: Hold, ending: Ending): void {
  const { provider } = request;
  void settleHold({ access, watch, hold, provider, name: durable.name, from: 'running' }, ending);
}

const ignore = (): void => undefined;
