import { checkThrottled } from '../rate-limit.checks.js';
import { labelOf } from '../rate-limit-metadata.accessor.js';
import { decorateClass, decorateMethod } from './method-stub.js';
import type { AnyMethod, AsynchronousMethod, Known, ResultOf, ThrottledOptions } from './throttled.options.js';

/** Compiles on a method only if every function among the options takes what the method takes, or less. */
export interface ThrottledDecorator<O extends ThrottledOptions> {
  <C extends Function>(target: C): void;
  <M extends AnyMethod>(
    target: object,
    key: string | symbol,
    descriptor: TypedPropertyDescriptor<M> & AsynchronousMethod<M> & FittingMethod<M, O>,
  ): void;
}

type FittingMethod<M extends AnyMethod, O> =
  O extends ThrottledOptions<Parameters<M>, any>
    ? O extends ThrottledOptions<any[], ResultOf<M>>
      ? unknown
      : { readonly mismatch: 'answer does not take the result of this method' }
    : { readonly mismatch: 'a function among the options does not take the arguments of this method' };

/** `answer` reads the result of a method that is the attempt itself. */
type AnswerNeedsGuard<O> = O extends { readonly answer: unknown }
  ? O extends { readonly guard: 'method' }
    ? unknown
    : { readonly guard: 'method' }
  : unknown;

/**
 * Calls to `provider` inside the method are admitted under these options. On a class it is the default of the class's own
 * methods; a method's own options win, one by one.
 *
 * A decorated method gives a Promise (also where it returned a plain value) or the Observable it returned.
 *
 * @throws SluiceError CONFIG at decoration, on a static method, an accessor or a property, or where the method has one already.
 */
export function Throttled<const O extends ThrottledOptions = ThrottledOptions>(
  provider: string,
  options?: O & Known<O, ThrottledOptions> & AnswerNeedsGuard<O>,
): ThrottledDecorator<O> {
  const use = { provider, options: (options ?? {}) as ThrottledOptions };
  return ((target: object | Function, key?: string | symbol, descriptor?: PropertyDescriptor): void => {
    if (key === undefined) {
      checkThrottled((target as Function).name, provider, use.options);
      decorateClass(target as Function, use);
      return;
    }
    checkThrottled(labelOf(target, key), provider, use.options);
    decorateMethod('Throttled', target, key, descriptor, { throttled: use });
  }) as ThrottledDecorator<O>;
}
