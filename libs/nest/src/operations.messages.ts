import { SluiceError } from '../../core/src/index.js';

function config(provider: string | null, message: string, cause?: unknown): SluiceError {
  return new SluiceError({ code: 'CONFIG', provider, message, cause });
}

export function noStore(): SluiceError {
  return config(null, 'RateLimitModule: `store` is no durable store; give what sqliteStore({ path }) returns.');
}

export function operationsWithoutStore(): SluiceError {
  return config(null, 'RateLimitModule: `operations` says how stored operations are run, but there is no `store`.');
}

export function storeNotOpened(kind: string, cause: unknown): SluiceError {
  const why = cause instanceof Error ? cause.message : 'it gave no reason';
  return config(null, `RateLimitModule: the ${kind} store could not be opened, so nothing is started. ${why}`, cause);
}

export function applicationStopped(provider: string | null): SluiceError {
  const whose = provider === null ? 'Operations' : `Provider "${provider}"`;
  return new SluiceError({
    code: 'SHUTDOWN',
    provider,
    message: `${whose}: the application has stopped; nothing was stored or sent. Ask another instance, or after the next start.`,
  });
}

export function reconcileWithoutStore(label: string, provider: string): SluiceError {
  return config(
    provider,
    `${label} asks for reconciliation, which needs a durable store; this application has none. Give RateLimitModule a \`store\`, ` +
      'or take `reconcile` out: an uncertain write then ends in OUTCOME_UNKNOWN.',
  );
}

export function durableWithoutStore(label: string, provider: string): SluiceError {
  return config(
    provider,
    `${label} is @Durable, which needs a durable store; this application has none. Give RateLimitModule a \`store\`, such as ` +
      'sqliteStore({ path }) of nestjs-sluice/sqlite.',
  );
}

export function operationsNeedStore(what: string): SluiceError {
  return config(
    null,
    `Operations.${what} needs a durable store; this application has none. Give RateLimitModule a \`store\`, such as ` +
      'sqliteStore({ path }) of nestjs-sluice/sqlite.',
  );
}

export function needsReconcile(label: string, option: string): SluiceError {
  return config(
    null,
    `@Idempotent on ${label}: \`${option}\` is about looking an uncertain write up; name the method that does, with \`reconcile\`.`,
  );
}

export function unknownWayOut(label: string): SluiceError {
  return config(null, `@Idempotent on ${label}: \`onUnknown\` is neither 'raise' nor 'wait'.`);
}

export function durableNameExpected(label: string): SluiceError {
  return config(
    null,
    `@Durable on ${label} has no name: stored work is found by it after a restart. Give @Durable({ name: '...' }).`,
  );
}

export function notSingleton(label: string): SluiceError {
  return config(
    null,
    `${label} may be run or looked up without its caller, but its class depends on the request or is transient: no object is there for that. ` +
      'Let the class be a singleton, and give what differs from request to request as arguments.',
  );
}

export function nameTaken(name: string, label: string): SluiceError {
  return config(
    null,
    `${label}: two objects of this application would run the stored work "${name}". Provide the class once, and give every method ` +
      'a name of its own with @Durable({ name }).',
  );
}

export function keysShared(name: string): SluiceError {
  return config(
    null,
    `${name}: two classes of this application are of that name, so an idempotency key of one would be a key of the other. ` +
      'Give one of them another name; a bundler must keep names.',
  );
}

export function noReconcileMethod(label: string, method: string, why: 'missing' | 'static'): SluiceError {
  const what = why === 'static' ? 'is static: it must be a method of the instance' : 'does not exist on its class';
  return config(null, `@Idempotent on ${label}: \`reconcile\` names "${method}", which ${what}.`);
}

export function reconcilesByOperation(label: string, method: string): SluiceError {
  return config(
    null,
    `@Idempotent on ${label}: \`reconcile\` names "${method}", which is an operation itself (@Idempotent or @Durable). ` +
      'A lookup changes nothing: take the decorator off it.',
  );
}

export function notDurable(label: string): SluiceError {
  return config(
    null,
    `${label} cannot be deferred: it carries no @Durable, so no worker knows it. Add @Durable({ name: '...' }).`,
  );
}

export function notHeld(label: string): SluiceError {
  return config(
    null,
    `${label} cannot be deferred: no object of its class is provided in this application, so no worker could run it.`,
  );
}

export function orderingFailed(label: string, provider: string, cause: unknown): SluiceError {
  return config(provider, `${label}: \`orderingKey\` failed, so its order is not known. Nothing was sent.`, cause);
}
