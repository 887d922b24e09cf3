import type { AuthOptions } from './auth-options.js';
import type {
  BreakerOptions,
  DemandOptions,
  IdempotencyOptions,
  LaneOptions,
  PauseOptions,
  ProviderOptions,
  QueueOptions,
  ReconcileOptions,
  RetryBudgetOptions,
  RetryOptions,
  TenantOptions,
  TimeoutOptions,
} from './options.js';
import { httpShape } from './shape-http.js';
import { limitShape } from './shape-limits.js';
import { quotaHeadersShape, readingShape, statusesShape } from './shape-reading.js';
import * as shape from './shape.js';

const mode = shape.oneOf('enforce', 'observe');

const lane = shape.options<LaneOptions>({
  reserve: shape
    .choose((value) => (typeof value === 'object' ? shape.namedMap(shape.notNegative) : shape.notNegative))
    .optional(),
  guarantee: shape.share.optional(),
  ceiling: shape
    .options<NonNullable<LaneOptions['ceiling']>>({ limit: shape.positive, per: shape.someDuration })
    .optional(),
  maxQueued: shape.countOrNone.optional(),
  maxWait: shape.duration.optional(),
  default: shape.flag.optional(),
  mode: mode.optional(),
});

const tenants = shape.options<TenantOptions>({
  maxShare: shape.someShare.optional(),
  maxQueued: shape.countOrNone.optional(),
  weight: shape.callback.optional(),
});

const queue = shape.options<QueueOptions>({
  maxSize: shape.countOrNone.optional(),
  maxWait: shape.duration.optional(),
  refuse: shape.oneOf('certain', 'likely').optional(),
});

const timeouts = shape.options<TimeoutOptions>({
  connect: shape.someDuration.optional(),
  attempt: shape.someDuration.optional(),
  bodyIdle: shape.someDuration.optional(),
  total: shape.someDuration.optional(),
});

const budget = shape.options<RetryBudgetOptions>({
  ratio: shape.share.optional(),
  per: shape.oneOf('1m').optional(),
  floor: shape.countOrNone.optional(),
  onSpent: shape.oneOf('wait', 'dead-letter').optional(),
});

const retry = shape.options<RetryOptions>({
  maxAttempts: shape.count.optional(),
  throttled: shape.options<NonNullable<RetryOptions['throttled']>>({ maxAttempts: shape.count.optional() }).optional(),
  baseDelay: shape.duration.optional(),
  maxDelay: shape.duration.optional(),
  maxWait: shape.duration.optional(),
  jitter: shape.oneOf('full', 'none').optional(),
  budget: shape.offOr([false], budget).optional(),
});

const pause = shape.options<PauseOptions>({
  initial: shape.someDuration.optional(),
  factor: shape.factor.optional(),
  max: shape.someDuration.optional(),
  maxHint: shape.someDuration.optional(),
  maxGuess: shape.someDuration.optional(),
  flushAfter: shape.someDuration.optional(),
});

const breaker = shape.options<BreakerOptions>({
  consecutiveFailures: shape.count.optional(),
  failureRate: shape
    .options<NonNullable<BreakerOptions['failureRate']>>({
      share: shape.someShare,
      minVolume: shape.count,
      per: shape.someDuration,
    })
    .optional(),
  probeEvery: shape.someDuration.optional(),
  whileOpen: shape.oneOf('refuse', 'wait').optional(),
});

const auth = shape.options<AuthOptions>({ credentials: shape.callback, refresh: shape.callback.optional() });

const idempotency = shape.options<IdempotencyOptions>({
  header: shape.headerName.optional(),
  bodyField: shape.text.optional(),
  retention: shape.someDuration.optional(),
  methods: shape.listOf(shape.method).optional(),
  accepts: shape.listOf(shape.text).optional(),
});

const reconcile = shape.options<ReconcileOptions>({ settleTime: shape.someDuration.optional() });

const demand = shape.options<DemandOptions>({
  singleFlight: shape.flag.optional(),
  requestReuse: shape.flag.optional(),
});

const fields: { readonly [Key in keyof Required<ProviderOptions>]: shape.Shape } = {
  name: shape.name,
  http: httpShape.optional(),
  dimensions: shape.listOf(shape.name).optional(),
  limits: shape.listOf(limitShape),
  routes: shape.namedMap(shape.text).optional(),
  units: shape.callback.optional(),
  defaultUnits: shape.namedMap(shape.notNegative).optional(),
  settleUnits: shape.callback.optional(),
  safe: shape.listOf(shape.text).optional(),
  graphql: shape.flag.optional(),
  lanes: shape.namedMap(lane).optional(),
  tenants: tenants.optional(),
  queue: queue.optional(),
  timeouts: timeouts.optional(),
  retry: retry.optional(),
  pause: pause.optional(),
  breaker: shape.offOr([false], breaker).optional(),
  reading: readingShape.optional(),
  quotaHeaders: quotaHeadersShape.optional(),
  statuses: statusesShape.optional(),
  classify: shape.callback.optional(),
  auth: auth.optional(),
  idempotency: shape.offOr([false, 'unsupported'], idempotency).optional(),
  reconcile: reconcile.optional(),
  beforeSend: shape.callback.optional(),
  demand: demand.optional(),
  ourShare: shape.someShare.optional(),
  guard: shape.duration.optional(),
  outage: shape.oneOf('local-share', 'closed', 'open').optional(),
  mode: mode.optional(),
};

export const providerShape = shape.options<ProviderOptions>(fields);

/** Names of all options of a contract. */
export const PROVIDER_OPTIONS: readonly string[] = Object.keys(fields);
