import type { ProviderOptions } from './options.js';
import { defaultLaneIndex, lanesOf, resolveLanes } from './resolve-lanes.js';
import { msOf, resolveLimits } from './resolve-limits.js';
import { resolveReading } from './resolve-reading.js';
import { resolveRoutes } from './resolve-routes.js';
import type { ResolvedContract, ResolvedLimit } from './resolved.js';

/** Fills in every default. The options must have passed the shape check; what they mean together is judged on the result. */
export function resolve(options: ProviderOptions): ResolvedContract {
  const queue = resolveQueue(options);
  const limits = resolveLimits(
    options,
    lanesOf(options).map(([name]) => name),
  );
  return {
    name: options.name,
    dimensions: options.dimensions ?? [],
    limits,
    routes: resolveRoutes(options),
    safe: options.safe ?? ['GET *', 'HEAD *', 'OPTIONS *'],
    graphql: options.graphql ?? false,
    lanes: resolveLanes(options, limits, queue),
    defaultLane: defaultLaneIndex(options),
    tenants: {
      maxShare: options.tenants?.maxShare ?? 1,
      maxQueued: options.tenants?.maxQueued ?? queue.maxSize,
      weight: options.tenants?.weight ?? null,
    },
    queue,
    ...resolveTimes(options),
    pause: resolvePause(options),
    breaker: resolveBreaker(options),
    idempotency: resolveIdempotency(options),
    reconcile: { settleTimeMs: msOf(options.reconcile?.settleTime ?? '1m') },
    demand: {
      singleFlight: options.demand?.singleFlight ?? true,
      requestReuse: options.demand?.requestReuse ?? false,
    },
    auth: options.auth ?? null,
    reading: resolveReading(options, limits),
    guardMs: msOf(options.guard ?? '100ms'),
    outage: options.outage ?? 'local-share',
    mode: options.mode ?? 'enforce',
    defaultUnits: resolveDefaultUnits(options, limits),
    options,
  };
}

function resolveQueue({ queue = {} }: ProviderOptions): ResolvedContract['queue'] {
  return {
    maxSize: queue.maxSize ?? 1_000,
    maxWaitMs: msOf(queue.maxWait ?? '3m'),
    refuse: queue.refuse ?? 'certain',
  };
}

/** A default never contradicts what was said: it gives way to a shorter `total`, `attempt` or `maxDelay`. */
function resolveTimes({
  timeouts = {},
  retry = {},
  pause = {},
}: ProviderOptions): Pick<ResolvedContract, 'timeouts' | 'retry'> {
  const totalMs = msOf(timeouts.total ?? '5m');
  const attemptMs = timeouts.attempt === undefined ? Math.min(msOf('10s'), totalMs) : msOf(timeouts.attempt);
  const maxDelayMs = retry.maxDelay === undefined ? Math.min(msOf('30s'), maxGuessOf(pause)) : msOf(retry.maxDelay);
  return {
    timeouts: {
      connectMs: timeouts.connect === undefined ? Math.min(msOf('5s'), attemptMs) : msOf(timeouts.connect),
      attemptMs,
      bodyIdleMs: msOf(timeouts.bodyIdle ?? '10s'),
      totalMs,
    },
    retry: {
      maxAttempts: retry.maxAttempts ?? 5,
      throttledMaxAttempts: retry.throttled?.maxAttempts ?? 5,
      baseDelayMs: retry.baseDelay === undefined ? Math.min(msOf('1s'), maxDelayMs) : msOf(retry.baseDelay),
      maxDelayMs,
      maxWaitMs: retry.maxWait === undefined ? Math.min(msOf('61s'), totalMs) : msOf(retry.maxWait),
      jitter: retry.jitter ?? 'full',
      budget: resolveBudget(retry.budget),
    },
  };
}

function resolveBudget(
  budget: NonNullable<ProviderOptions['retry']>['budget'] = {},
): ResolvedContract['retry']['budget'] {
  if (budget === false) return null;
  return { ratio: budget.ratio ?? 0.1, floor: budget.floor ?? 4, onSpent: budget.onSpent ?? 'wait' };
}

/** Infinity = none. */
function maxGuessOf({ maxGuess }: NonNullable<ProviderOptions['pause']>): number {
  return maxGuess === undefined ? Infinity : msOf(maxGuess);
}

function resolvePause({ pause = {} }: ProviderOptions): ResolvedContract['pause'] {
  const maxGuessMs = maxGuessOf(pause);
  const longestMs = pause.max === undefined ? Infinity : msOf(pause.max);
  const initialMs = pause.initial === undefined ? Math.min(msOf('1m'), maxGuessMs, longestMs) : msOf(pause.initial);
  return {
    initialMs,
    factor: pause.factor ?? 2,
    maxMs: pause.max === undefined ? Math.max(Math.min(msOf('30m'), maxGuessMs), initialMs) : longestMs,
    maxHintMs: msOf(pause.maxHint ?? '7d'),
    maxGuessMs: pause.maxGuess === undefined ? null : maxGuessMs,
    flushAfterMs: msOf(pause.flushAfter ?? '36h'),
  };
}

function resolveBreaker({ breaker = false }: ProviderOptions): ResolvedContract['breaker'] {
  if (breaker === false) return null;
  const { failureRate } = breaker;
  return {
    consecutiveFailures: breaker.consecutiveFailures ?? (failureRate === undefined ? 5 : null),
    failureRate:
      failureRate === undefined
        ? null
        : { share: failureRate.share, minVolume: failureRate.minVolume, perMs: msOf(failureRate.per) },
    probeEveryMs: msOf(breaker.probeEvery ?? '1m'),
    whileOpen: breaker.whileOpen ?? 'refuse',
  };
}

function resolveIdempotency({ idempotency = false }: ProviderOptions): ResolvedContract['idempotency'] {
  if (idempotency === false || idempotency === 'unsupported') return null;
  const { header, bodyField, retention, accepts, methods } = idempotency;
  return {
    header: bodyField === undefined ? (header ?? 'Idempotency-Key') : (header ?? null),
    bodyField: bodyField ?? null,
    retentionMs: msOf(retention ?? '24h'),
    accepts: accepts === undefined && methods === undefined ? null : [...(methods ?? []), ...(accepts ?? [])],
  };
}

function resolveDefaultUnits(
  { defaultUnits = {} }: ProviderOptions,
  limits: readonly ResolvedLimit[],
): Readonly<Record<string, number>> {
  const units = limits.filter((limit) => limit.kind !== 'concurrency').map((limit) => limit.unit);
  return Object.fromEntries([...new Set(units)].map((unit) => [unit, defaultUnits[unit] ?? 1]));
}
