import { isObservable, Observable, tap } from 'rxjs';
import { observableExpected } from '../rate-limit.messages.js';
import { enter, type Invocation } from './invocation.js';
import { declaresObservable, planAt } from './method-site.js';
import { freshOperation, isRemembered, operate } from './operation.js';
import { observeOnce } from './observe-once.js';
import { type RequestWatch, watchRequests } from './request-watch.js';

/** `guard: 'requests'`: opens the context under which the requests inside are admitted. */
export function requestsInside(invocation: Invocation): unknown {
  const { site, body } = invocation;
  const watch = watchRequests(invocation);
  if (isRemembered(invocation)) return remembered(invocation, watch);
  const given = enter(invocation, { operation: freshOperation(invocation), ...tallied(watch) }, body);
  if (isObservable(given)) return reopened(invocation, given, watch);
  if (isThenable(given)) return watch === null ? given : endsWith(given, watch);
  if (!planAt(site).own) return given;
  watch?.ended();
  return Promise.resolve(given);
}

function tallied(watch: RequestWatch | null): { readonly tally?: RequestWatch['tally'] } {
  return watch === null ? {} : { tally: watch.tally };
}

/** The caller gets the very promise that the method gave. */
function endsWith(given: PromiseLike<unknown>, watch: RequestWatch): PromiseLike<unknown> {
  given.then(
    () => watch.ended(),
    () => undefined,
  );
  return given;
}

/** Each subscription is a call of its own, under a context of its own. */
function reopened(
  invocation: Invocation,
  source: Observable<unknown>,
  watch: RequestWatch | null,
): Observable<unknown> {
  return new Observable((subscriber) => {
    const gaveUp = new AbortController();
    const entry = { operation: freshOperation(invocation), signal: gaveUp.signal, ...tallied(watch) };
    const watched = watch === null ? source : source.pipe(tap({ complete: () => watch.ended() }));
    const inner = enter(invocation, entry, () => watched.subscribe(subscriber));
    return () => {
      inner.unsubscribe();
      gaveUp.abort();
    };
  });
}

function remembered(invocation: Invocation, watch: RequestWatch | null): unknown {
  const { body, site } = invocation;
  if (!declaresObservable(site)) {
    return operate(invocation, (operation, signal) =>
      enter(invocation, { operation, ...(signal && { signal }), ...tallied(watch) }, async () => {
        const given = await body();
        if (isObservable(given)) throw observableExpected(site.label);
        watch?.ended();
        return given;
      }),
    );
  }
  return observeOnce(invocation, (operation, signal, collect) =>
    enter(invocation, { operation, signal, ...tallied(watch) }, () => collect(body() as Observable<unknown>, signal)),
  );
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && typeof (value as PromiseLike<unknown>).then === 'function';
}
