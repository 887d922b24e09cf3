import { SluiceError, type SluiceEvent } from '../../core/src/index.js';

function config(provider: string | null, message: string): SluiceError {
  return new SluiceError({ code: 'CONFIG', provider, message });
}

export function misplacedDecorator(decorator: string, label: string, what: string): SluiceError {
  return config(null, `@${decorator}: ${label} is ${what}; only methods of an instance can be decorated.`);
}

export function decoratedTwice(decorator: string, label: string): SluiceError {
  return config(null, `@${decorator} on ${label} twice: one would silently win. Leave one of them.`);
}

export function noApplication(label: string): SluiceError {
  return config(
    null,
    `${label} is decorated, but its object belongs to no application with RateLimitModule. ` +
      'Import RateLimitModule.forRoot(...) and let Nest make the object; one made by hand is given to RateLimitService.adopt(object). ' +
      'In a unit test, call it inside unguarded(() => ...) of nestjs-sluice/testing.',
  );
}

export function unknownProvider(name: string, known: readonly string[], where: string): SluiceError {
  const list = known.length === 0 ? 'none is registered' : `registered are ${known.map((k) => `"${k}"`).join(', ')}`;
  return config(name, `${where} names the provider "${name}", but ${list}. Add its contract to forRoot or forFeature.`);
}

export function unknownLane(label: string, provider: string, lane: string, lanes: readonly string[]): SluiceError {
  return config(
    provider,
    `${label} names the lane "${lane}"; provider "${provider}" has ${lanes.map((l) => `"${l}"`).join(', ')}.`,
  );
}

export function withoutThrottled(label: string): SluiceError {
  return config(
    null,
    `${label} carries @Idempotent or @Durable but neither it nor its class carries @Throttled: say of which provider.`,
  );
}

export function duplicateProvider(name: string): SluiceError {
  return config(
    name,
    `Provider "${name}" is registered twice with different contracts. Give one of them another name.`,
  );
}

export function secondRoot(): SluiceError {
  return config(
    null,
    'RateLimitModule.forRoot is imported twice in one application: each would count every limit by itself, and twice as much would be sent. ' +
      'Import it once, in the root module; other modules add their providers by RateLimitModule.forFeature.',
  );
}

export function missingProvider(name: string): SluiceError {
  return config(name, `\`injectable\` names the provider "${name}", but the module's options hold no such contract.`);
}

export function quotaWithoutStore(name: string, quotas: readonly string[]): SluiceError {
  return config(
    name,
    `Provider "${name}": what was used of ${quotas.map((q) => `"${q}"`).join(', ')} would be forgotten at a restart, for this ` +
      'application has no durable store. Give RateLimitModule a `store`, or say `volatile: true` of a quota that may be.',
  );
}

export function foreignObject(name: string): SluiceError {
  return config(
    null,
    `An object of class ${name} is held by two running applications, so it is not known whose limits its calls are under. ` +
      'Make one object for each application.',
  );
}

export function frozenObject(name: string): SluiceError {
  return config(
    null,
    `An object of class ${name} with decorated methods cannot be changed, so it cannot be marked as this application's. ` +
      'Do not freeze or seal it; freeze what it holds.',
  );
}

export function notAnObject(given: unknown): SluiceError {
  const what = given === null ? 'null' : typeof given;
  return config(null, `RateLimitService.adopt was given ${what}; it takes an object with decorated methods.`);
}

export function requestScopedOptions(): SluiceError {
  return config(
    null,
    'RateLimitModule.forRootAsync depends on something request-scoped: every request would count on its own, and no limit would hold. ' +
      'Give what differs from request to request by `partition`, `tenant` and `auth.credentials(partition)`.',
  );
}

export function observableExpected(label: string): SluiceError {
  return config(
    null,
    `${label} gave an Observable, but with guard: 'method', a key or a durable store that must be known before it is called. ` +
      'Annotate its return type as Observable<...>, with Observable imported as a value.',
  );
}

export function partitionFailed(label: string, provider: string, cause: unknown): SluiceError {
  return new SluiceError({
    code: 'CONFIG',
    provider,
    message: `${label}: \`partition\` failed or gave no values by dimension, so it is not known whose limits apply. Nothing was sent.`,
    cause,
  });
}

export function keyFailed(label: string, provider: string, what: string, cause: unknown): SluiceError {
  return new SluiceError({
    code: 'CONFIG',
    provider,
    message: `${label}: \`${what}\` failed or gave nothing, so the operation has no identity. Nothing was sent.`,
    cause,
  });
}

/** What was given is not shown: it may be personal. */
export function tellsNothingApart(label: string, provider: string, what: string, given: unknown): SluiceError {
  return new SluiceError({
    code: 'CONFIG',
    provider,
    message: `${label}: ${what} gave ${kindOf(given)}; expected a text or a number. Nothing was sent.`,
  });
}

function kindOf(given: unknown): string {
  if (given === null || given === '') return 'nothing';
  if (given instanceof Promise) return 'a promise';
  if (Array.isArray(given)) return 'a list';
  return typeof given === 'object' ? 'an object' : typeof given === 'number' ? String(given) : `a ${typeof given}`;
}

export function keysInMemory(labels: readonly string[]): string {
  return (
    `This application has no durable store: the idempotency keys of ${labels.join(', ')}, and their results, ` +
    'are remembered in this process only, and forgotten when it ends.'
  );
}

export function startsFull(names: readonly string[]): string {
  const list = names.map((n) => `"${n}"`).join(', ');
  return `The memory gate starts with full limits for ${list}: what earlier or other processes used is not known to it.`;
}

export function noOptions(): SluiceError {
  return config(
    null,
    'RateLimitModule has no options. Give it at least RateLimitModule.forRoot({ providers: [...] }).',
  );
}

export function unknownOption(where: string, name: string, known: readonly string[]): SluiceError {
  return config(null, `${where}: "${name}" is not an option; expected one of ${known.join(', ')}.`);
}

export function noContract(where: string): SluiceError {
  return config(null, `RateLimitModule: ${where} is no contract; give what defineProvider({ ... }) returns.`);
}

export function nameExpected(label: string): SluiceError {
  return config(null, `@Throttled on ${label} names no provider; its first argument is the name of a contract.`);
}

export function answerWithoutGuard(label: string): SluiceError {
  return config(
    null,
    `@Throttled on ${label}: \`answer\` reads what the method gives, so it needs guard: 'method'; ` +
      'answers of requests are read as the contract says.',
  );
}

export function uncountedUnits(label: string, provider: string, unit: string, known: readonly string[]): SluiceError {
  return config(
    provider,
    `${label}: \`units\` names "${unit}", which no limit of provider "${provider}" counts; expected one of ${known.join(', ')}.`,
  );
}

export function shortDeadline(where: string, deadlineMs: number, provider: string, attemptMs: number): string {
  return (
    `${where}: the deadline of ${deadlineMs} ms is below timeouts.attempt of provider "${provider}", ${attemptMs} ms. ` +
    'A write that is neither safe nor keyed needs the whole of that, so it would always be refused; reads are cut short.'
  );
}

/** One line for what a default was taken for, or a function that failed. */
export function troubleLine(event: SluiceEvent): string | null {
  const whose = event.provider === '' ? '' : `Provider "${event.provider}": `;
  if (event.type === 'guess') return `${whose}${event.about}: ${event.taken}`;
  if (event.type === 'hook-failed')
    return `${whose}\`${event.hook}\` failed (${event.error}); its default was taken, or the call refused.`;
  return null;
}
