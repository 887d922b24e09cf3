import type { DurableStore, OperationStore } from 'nestjs-sluice';

/** The same store, with `around` in the way of all that is asked of it. */
export function interceptStore(
  durable: DurableStore,
  around: (name: keyof OperationStore, ask: () => Promise<unknown>) => Promise<unknown>,
): DurableStore {
  return {
    kind: durable.kind,
    open: async (env) => {
      const store = await durable.open(env);
      return new Proxy(store, {
        get: (target, name: keyof OperationStore) => {
          const method = target[name] as ((...args: unknown[]) => Promise<unknown>) | undefined;
          if (typeof method !== 'function') return method;
          return (...args: unknown[]) => around(name, async () => Reflect.apply(method, target, args));
        },
      });
    },
  };
}
