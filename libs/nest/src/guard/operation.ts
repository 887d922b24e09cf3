import {
  type DurableRequest,
  operationScope,
  placeOf,
  randomOperation,
  type StoredOwner,
} from '../../../core/src/index.js';
import { operationNameOn } from '../operations/stored-methods.js';
import { declaredFingerprint, declaredKey, declaredOrder, declaredReference } from './identity.js';
import { type Invocation, type MethodOperation, ownerOf } from './invocation.js';
import { planAt } from './method-site.js';

/** An operation for this invocation alone; `undefined` where the method is not idempotent and stays in the one around it. */
export function freshOperation({ application, idempotent }: Invocation): MethodOperation {
  return idempotent === null ? undefined : randomOperation(application.random);
}

/** Whether others may ask for it again, or a store keeps it: then it begins and ends in a ledger. */
export function isRemembered({ application, idempotent, stored }: Invocation): boolean {
  if (stored !== null) return true;
  return idempotent !== null && (idempotent.key !== undefined || application.operations !== null);
}

/**
 * Runs `perform` as one operation. With a key: joins an equal one that is under way, gives the result of one that
 * succeeded, and begins none where an earlier one may have happened. The signal that `perform` gets ends its work.
 *
 * @throws SluiceError CONFIG when `key` or `fingerprint` fails; IDEMPOTENCY_CONFLICT, OUTCOME_UNKNOWN, OPERATION_IN_PROGRESS;
 *   with a store also DEFERRED, STORE_UNAVAILABLE, PAYLOAD_TOO_LARGE.
 */
export async function operate<T>(
  invocation: Invocation,
  perform: (operation: MethodOperation, signal: AbortSignal | undefined) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const { application, host, options, runtime, site, stored } = invocation;
  if (stored !== null) return perform(stored.operation, either(signal, stored.signal));
  if (!isRemembered(invocation)) return perform(freshOperation(invocation), signal);
  const provider = runtime.contract.name;
  const name = operationNameOn({ ...site, plan: planAt(site) }, host.constructor);
  const owner = ownerOf(options);
  const key = declaredKey(invocation);
  const request = {
    provider,
    scope: operationScope(provider, name, owner),
    key: key ?? application.uniqueKey(),
    once: key === null,
    fingerprint: declaredFingerprint(invocation),
    deadlineMono: application.deadlineMono(options.deadline),
    signal: signal ?? null,
    ...(application.operations !== null && { durable: durableOf(invocation, name, owner) }),
  };
  const work = (operation: MethodOperation, lost?: AbortSignal): Promise<T> =>
    perform(operation, either(signal, lost)).catch((error: unknown) => {
      // It was not the caller who cancelled.
      throw lost?.aborted === true && signal?.aborted !== true && isCancel(error) ? lost.reason : error;
    });
  return application.ledger(provider).run(request, work);
}

/** What the store is told besides. An object that the application does not hold can be asked by its callers alone. */
function durableOf(invocation: Invocation, name: string, owner: StoredOwner): DurableRequest {
  const { application, args, durable, idempotent, runtime } = invocation;
  const isHeld = application.stored.has(name);
  const order = { orderingKey: isHeld ? declaredOrder(invocation) : null, reference: declaredReference(invocation) };
  return {
    name,
    invocation: isHeld ? { args, owner } : null,
    ...placeOf(runtime.contract, owner, order),
    whenPostponed: durable !== null && isHeld ? 'defer' : 'raise',
    whenUnknown: idempotent?.onUnknown ?? 'raise',
  };
}

function either(own: AbortSignal | undefined, other: AbortSignal | undefined): AbortSignal | undefined {
  return own === undefined || other === undefined ? (own ?? other) : AbortSignal.any([own, other]);
}

/** As Axios marks the error of a cancelled request. */
function isCancel(error: unknown): boolean {
  return (error as { readonly __CANCEL__?: unknown } | null | undefined)?.__CANCEL__ === true;
}
