import { checkDurable } from '../rate-limit.checks.js';
import { labelOf } from '../rate-limit-metadata.accessor.js';
import type { DurableOptions } from './durable.options.js';
import { decorateMethod } from './method-stub.js';
import type { AnyMethod, AsynchronousMethod, Known } from './throttled.options.js';

export interface DurableDecorator<O extends DurableOptions> {
  <M extends AnyMethod>(
    target: object,
    key: string | symbol,
    descriptor: TypedPropertyDescriptor<M> & AsynchronousMethod<M> & FittingMethod<M, O>,
  ): void;
}

type FittingMethod<M extends AnyMethod, O> =
  O extends DurableOptions<Parameters<M>>
    ? unknown
    : { readonly mismatch: 'a function among the options does not take the arguments of this method' };

/**
 * The method may run without its caller: what `Operations.defer` puts to the queue, and what a caller's invocation cannot do
 * in time (the caller gets DEFERRED with the operation's id), a worker does later, in this process or another one. Its
 * arguments and its result are plain data. It needs `@Throttled` on the method or its class, a durable store, and an object
 * that lives as long as the application.
 *
 * @throws SluiceError CONFIG at decoration, on a static method, an accessor or a property, or where the method has one already.
 */
export function Durable<const O extends DurableOptions>(options: O & Known<O, DurableOptions>): DurableDecorator<O> {
  return (target, key, descriptor) => {
    checkDurable(labelOf(target, key), options);
    decorateMethod('Durable', target, key, descriptor, { durable: options });
  };
}
