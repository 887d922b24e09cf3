import type { DeferRequest } from '../../../core/src/index.js';
import { declaredFingerprint, declaredKey, declaredOrder, declaredReference, givenText } from '../guard/identity.js';
import { type Described, optionsOf, ownerOf } from '../guard/invocation.js';
import { notDurable, notHeld } from '../operations.messages.js';
import { withoutThrottled } from '../rate-limit.messages.js';
import { decoratedMethods, operationName } from '../rate-limit-metadata.accessor.js';
import type { SluiceApplication } from '../sluice-application.js';
import type { ServiceClass } from './method-types.js';
import type { DeferOptions } from './operations.options.js';

/**
 * An invocation of the method as work for the queue, for the same owner and under the same key as if it were called here.
 *
 * @throws SluiceError CONFIG where the method is not durable here, or a function among its options fails.
 */
export function deferRequest(
  application: SluiceApplication,
  service: ServiceClass<object>,
  method: string | symbol,
  args: readonly unknown[],
  options: DeferOptions,
): DeferRequest {
  const prototype = service.prototype as object;
  const found = decoratedMethods(prototype).find(({ key }) => key === method);
  if (found === undefined || found.plan.durable === null) throw notDurable(`${service.name}.${String(method)}`);
  const { label, key, plan } = found;
  const { throttled, idempotent, durable } = plan;
  if (throttled === null) throw withoutThrottled(label);
  const name = operationName(found);
  const held = application.stored.get(name);
  if (held === undefined || held.method.prototype !== found.prototype) throw notHeld(label);
  const site = { prototype: found.prototype, key, label };
  const runtime = application.runtime(throttled.provider, label);
  const given = pick(options);
  const described: Described = {
    application,
    runtime,
    site,
    throttled: { ...throttled.options, ...given },
    idempotent,
    durable,
    args,
  };
  const { key: ownKey, orderingKey, reference, delay } = options;
  return {
    name,
    provider: throttled.provider,
    args,
    key: ownKey === undefined ? declaredKey(described) : givenText(described, 'key', ownKey),
    fingerprint: declaredFingerprint(described),
    ...ownerOf(optionsOf(described)),
    orderingKey:
      orderingKey === undefined ? declaredOrder(described) : givenText(described, 'orderingKey', orderingKey),
    reference: reference === undefined ? declaredReference(described) : givenText(described, 'reference', reference),
    ...(delay !== undefined && { delay }),
  };
}

/** For whom it is done, where the one who defers it says so. */
function pick({ lane, tenant, partition }: DeferOptions): Pick<DeferOptions, 'lane' | 'tenant' | 'partition'> {
  return {
    ...(lane !== undefined && { lane }),
    ...(tenant !== undefined && { tenant }),
    ...(partition !== undefined && { partition }),
  };
}
