import { isObservable, type Observable } from 'rxjs';
import type { RunOptions } from '../../../core/src/index.js';
import { observableExpected } from '../rate-limit.messages.js';
import { enter, type Invocation } from './invocation.js';
import { declaresObservable } from './method-site.js';
import { type Emitted, FailedAfterValues, observeOnce } from './observe-once.js';
import { operate } from './operation.js';

/** `guard: 'method'`: the method itself is the attempt, and runs again where it is retried. */
export function methodAttempt(invocation: Invocation): unknown {
  return declaresObservable(invocation.site) ? asObservable(invocation) : asPromise(invocation);
}

function asPromise(invocation: Invocation): Promise<unknown> {
  const { runtime, site, body, throttled } = invocation;
  const { answer } = throttled;
  return operate(invocation, (operation, signal) =>
    enter(invocation, { operation, ...(signal && { signal }) }, async () => {
      const options = answer === undefined ? {} : { answer };
      const given = await runtime.run(body, options);
      if (isObservable(given)) throw observableExpected(site.label);
      return given;
    }),
  );
}

/** The permit is held from the subscription to its end. */
function asObservable(invocation: Invocation): Observable<unknown> {
  const { runtime, body, throttled } = invocation;
  const { answer } = throttled;
  return observeOnce(invocation, (operation, signal, collect) =>
    enter(invocation, { operation, signal }, async () => {
      const options: RunOptions<Emitted | FailedAfterValues> = {
        signal,
        ...(answer && {
          answer: (result, error) => (result instanceof FailedAfterValues ? undefined : answer(result?.at(-1), error)),
        }),
      };
      const attempt = (attemptSignal: AbortSignal): Promise<Emitted | FailedAfterValues> =>
        collect(body() as Observable<unknown>, AbortSignal.any([signal, attemptSignal])).catch((error: unknown) => {
          if (error instanceof FailedAfterValues) return error;
          throw error;
        });
      const given = await runtime.run((context) => attempt(context.signal), options);
      if (given instanceof FailedAfterValues) throw given;
      return given;
    }),
  );
}
