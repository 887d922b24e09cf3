import type { IdempotentOptions } from './idempotent.options.js';
import { checkIdempotent } from '../rate-limit.checks.js';
import { labelOf } from '../rate-limit-metadata.accessor.js';
import { decorateMethod } from './method-stub.js';
import type { AnyMethod, AsynchronousMethod, Known } from './throttled.options.js';

export interface IdempotentDecorator<O extends IdempotentOptions> {
  <M extends AnyMethod>(
    target: object,
    key: string | symbol,
    descriptor: TypedPropertyDescriptor<M> & AsynchronousMethod<M> & FittingMethod<M, O>,
  ): void;
}

type FittingMethod<M extends AnyMethod, O> =
  O extends IdempotentOptions<Parameters<M>>
    ? unknown
    : { readonly mismatch: 'a function among the options does not take the arguments of this method' };

/**
 * One invocation is one operation: its requests carry one idempotency key through all their retries, and a write whose
 * outcome is unknown is not sent again. It needs `@Throttled` on the method or its class, in any order.
 *
 * @throws SluiceError CONFIG at decoration, on a static method, an accessor or a property, or where the method has one already.
 */
export function Idempotent<const O extends IdempotentOptions = IdempotentOptions>(
  options?: O & Known<O, IdempotentOptions>,
): IdempotentDecorator<O> {
  const idempotent = (options ?? {}) as IdempotentOptions;
  return (target, key, descriptor) => {
    checkIdempotent(labelOf(target, key), idempotent);
    decorateMethod('Idempotent', target, key, descriptor, { idempotent });
  };
}
