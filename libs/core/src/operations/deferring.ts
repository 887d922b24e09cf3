import { parseDuration } from '../contract/durations.js';
import { configError } from '../errors/config-error.js';
import { conflict } from '../idempotency/ends.js';
import { operationOf, randomOperation } from '../idempotency/keys.js';
import type { ProviderRuntime } from '../pipeline/runtime.js';
import type { Random } from '../time/random.js';
import type { Deferred, DeferRequest } from './operations.js';
import { encodePayload } from './payload.js';
import { operationScope, placeOf } from './place.js';
import type { Created, CreateOperation } from './port/create.js';
import type { StoreAccess } from './store-access.js';
import { storeRefusal } from './store-refusal.js';
import type { OperationWatch } from './watch.js';

export interface DeferringDeps {
  readonly access: StoreAccess;
  readonly watch: OperationWatch;
  readonly random: Random;
}

/** Puts work to the queue. @throws SluiceError as `OperationsRuntime.defer` says. */
export async function defer(
  { access, watch, random }: DeferringDeps,
  { contract }: ProviderRuntime,
  request: DeferRequest,
): Promise<Deferred> {
  const { provider, name, key, args, lane, tenant, partition, fingerprint, delay = 0 } = request;
  if (key === '') throw configError(provider, 'idempotency key', key, 'a text that is not empty');
  const { id } = key === null ? randomOperation(random) : operationOf(operationScope(provider, name, request), key);
  const input: CreateOperation = {
    id,
    provider,
    name,
    fingerprint,
    ...placeOf(contract, { lane, tenant, partition }, request),
    payload: encodePayload(provider, `the arguments of ${name}`, { args, owner: { lane, tenant, partition } }),
    start: null,
    dueInMs: parseDuration(delay, 'delay', provider),
    keepMs: null,
    bounds: null,
  };
  const told = (created: Created): void => {
    if (created.type !== 'created') return;
    const { state: to } = created;
    watch.moved({ id, provider, name, from: null, to, cause: to === 'waiting' ? 'scheduled' : 'created' });
  };
  /** Its maker was told that it is not there: with a key it asks again and finds it, without one nobody would. */
  const late = (created: Created): void => {
    told(created);
    if (created.type !== 'created' || key !== null) return;
    void access
      .ask(provider, (store) =>
        store.discard(id, 'The store was too slow to accept it: its maker was told that it did not.'),
      )
      .then(
        (ordered) => {
          if (ordered.type === 'moved') watch.moved({ id, provider, name, from: created.state, to: ordered.state, cause: 'discarded' }); // prettier-ignore
        },
        (error: unknown) => watch.failed(provider, 'discard', error),
      );
  };
  const created = await access.ask(
    provider,
    (store) => store.create(input),
    (answering) => void answering.then(late, () => undefined),
  );
  told(created);
  switch (created.type) {
    case 'created':
      return { id, created: true, state: created.state };
    case 'existing':
      return { id, created: false, state: created.operation.state };
    case 'conflict':
      throw conflict(provider, id);
    case 'refused':
      throw storeRefusal(provider, created);
  }
}
