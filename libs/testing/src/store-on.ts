import type { DurableStore, OperationStore } from '../../core/src/index.js';
import type { VirtualClock } from './virtual-clock.js';

/**
 * The same store, on whose thread the clock waits: no virtual time passes while it is at work. Otherwise a test would wait
 * for minutes in milliseconds, and the store would seem to be away.
 *
 *     sluiceTesting({ clock, store: storeOn(clock, sqliteStore({ path })), providers: [bank] })
 */
export function storeOn(clock: VirtualClock, store: DurableStore): DurableStore {
  return {
    ...store,
    open: async (env) => heldBy(clock, await clock.hold(store.open(env))),
  };
}

function heldBy(clock: VirtualClock, store: OperationStore): OperationStore {
  return new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]): unknown => {
        const given: unknown = Reflect.apply(member, target, args);
        return given instanceof Promise ? clock.hold(given) : given;
      };
    },
  });
}
