import { readFileSync } from 'node:fs';
import { concurrency, fixedWindow, quota, slidingWindow, tokenBucket } from './builders.js';
import { defineProvider } from './define-provider.js';
import { durationMs } from './durations.js';
import { warnings } from './facts.js';
import type { AuthOptions } from './auth-options.js';
import type {
  BreakerOptions,
  ConcurrencyOptions,
  DemandOptions,
  FixedWindowOptions,
  IdempotencyOptions,
  LaneOptions,
  LimitOptions,
  PauseOptions,
  ProviderOptions,
  QueueOptions,
  ReconcileOptions,
  QuotaOptions,
  RetryBudgetOptions,
  RetryOptions,
  SlidingWindowOptions,
  TenantOptions,
  TimeoutOptions,
  TokenBucketOptions,
} from './options.js';
import type { QuotaHeaderOptions } from '../reading/options.js';

const r = defineProvider({
  name: 'crm',
  dimensions: ['account'],
  limits: [
    tokenBucket({ burst: 1, limit: 1, per: '1s' }),
    fixedWindow({ limit: 1, per: '1m' }),
    concurrency({ limit: 1 }),
    quota({ limit: 1, per: 'day' }),
  ],
  breaker: {},
  idempotency: {},
}).resolved;
const off = defineProvider({ name: 'crm', limits: [] }).resolved;
const [bucket, window, permits, daily] = r.limits;
const lane = off.lanes[0]!;

/** The default cannot be given as a figure: the cell says it in words, or that there is none. */
const WORDS = Symbol('words');
const REQUIRED = Symbol('required');

type Section<T> = Readonly<Record<keyof Required<T>, unknown>>;

/** The default of every option as the code has it; the compiler sees to it that none is missing. */
const provider: Section<ProviderOptions> = {
  name: REQUIRED,
  http: WORDS,
  dimensions: WORDS,
  limits: REQUIRED,
  routes: WORDS,
  units: WORDS,
  defaultUnits: r.defaultUnits['requests'],
  settleUnits: WORDS,
  safe: off.safe,
  graphql: off.graphql,
  lanes: off.lanes.map(({ name }) => name),
  tenants: WORDS,
  queue: WORDS,
  timeouts: WORDS,
  retry: WORDS,
  pause: WORDS,
  breaker: off.breaker ?? false,
  reading: WORDS,
  quotaHeaders: WORDS,
  statuses: WORDS,
  classify: WORDS,
  auth: WORDS,
  idempotency: off.idempotency ?? false,
  reconcile: WORDS,
  beforeSend: WORDS,
  demand: WORDS,
  // A burst of 1 is scaled by it.
  ourShare: bucket?.kind === 'token-bucket' && bucket.burst,
  guard: r.guardMs,
  outage: r.outage,
  mode: r.mode,
};
const everyLimit: Section<Pick<LimitOptions, 'name' | 'unit' | 'countedBy' | 'routes' | 'refusedCalls'>> = {
  name: WORDS,
  unit: bucket!.unit,
  countedBy: WORDS,
  routes: WORDS,
  refusedCalls: bucket!.refusedCallsCount ? 'count' : 'free',
};
const tokenBuckets: Section<Omit<TokenBucketOptions, keyof typeof everyLimit>> = {
  burst: REQUIRED,
  limit: REQUIRED,
  per: REQUIRED,
};
const slidingWindows: Section<Omit<SlidingWindowOptions, keyof typeof everyLimit>> = { limit: REQUIRED, per: REQUIRED };
const fixedWindows: Section<Omit<FixedWindowOptions, keyof typeof everyLimit>> = {
  limit: REQUIRED,
  per: REQUIRED,
  align: window?.kind === 'fixed-window' && window.align,
};
const concurrencies: Section<Omit<ConcurrencyOptions, keyof typeof everyLimit>> = {
  limit: REQUIRED,
  worksAfterTimeout: permits?.kind === 'concurrency' && permits.worksAfterTimeoutMs,
};
const quotas: Section<Omit<QuotaOptions, keyof typeof everyLimit>> = {
  limit: REQUIRED,
  per: REQUIRED,
  timeZone: daily?.kind === 'quota' && daily.timeZone,
  reserve: WORDS,
  volatile: daily?.kind === 'quota' && daily.volatile,
};
const lanes: Section<LaneOptions> = {
  reserve: Object.values(lane.reserve)[0] ?? 0,
  guarantee: lane.guarantee,
  ceiling: WORDS,
  maxQueued: WORDS,
  maxWait: WORDS,
  default: WORDS,
  mode: WORDS,
};
const tenants: Section<TenantOptions> = { maxShare: r.tenants.maxShare, maxQueued: WORDS, weight: WORDS };
const queue: Section<QueueOptions> = {
  maxSize: r.queue.maxSize,
  maxWait: r.queue.maxWaitMs,
  refuse: r.queue.refuse,
};
const timeouts: Section<TimeoutOptions> = {
  connect: r.timeouts.connectMs,
  attempt: r.timeouts.attemptMs,
  bodyIdle: r.timeouts.bodyIdleMs,
  total: r.timeouts.totalMs,
};
const retry: Section<Omit<RetryOptions, 'throttled'>> = {
  maxAttempts: r.retry.maxAttempts,
  baseDelay: r.retry.baseDelayMs,
  maxDelay: r.retry.maxDelayMs,
  maxWait: r.retry.maxWaitMs,
  jitter: r.retry.jitter,
  budget: WORDS,
};
const throttled: Section<NonNullable<RetryOptions['throttled']>> = { maxAttempts: r.retry.throttledMaxAttempts };
const budget: Section<RetryBudgetOptions> = {
  ratio: r.retry.budget!.ratio,
  per: 60_000,
  floor: r.retry.budget!.floor,
  onSpent: r.retry.budget!.onSpent,
};
const pause: Section<PauseOptions> = {
  initial: r.pause.initialMs,
  factor: r.pause.factor,
  max: r.pause.maxMs,
  maxHint: r.pause.maxHintMs,
  maxGuess: WORDS,
  flushAfter: r.pause.flushAfterMs,
};
const quotaHeaders: Section<QuotaHeaderOptions> = {
  limit: REQUIRED,
  remaining: WORDS,
  used: WORDS,
  limitHeader: WORDS,
  reset: WORDS,
  unit: WORDS,
};
const breaker: Section<BreakerOptions> = {
  consecutiveFailures: r.breaker!.consecutiveFailures,
  failureRate: r.breaker!.failureRate ?? WORDS,
  probeEvery: r.breaker!.probeEveryMs,
  whileOpen: r.breaker!.whileOpen,
};
const auth: Section<AuthOptions> = { credentials: REQUIRED, refresh: WORDS };
const idempotency: Section<IdempotencyOptions> = {
  header: r.idempotency!.header,
  bodyField: r.idempotency!.bodyField ?? WORDS,
  retention: r.idempotency!.retentionMs,
  methods: WORDS,
  accepts: r.idempotency!.accepts ?? WORDS,
};
const reconcile: Section<ReconcileOptions> = { settleTime: r.reconcile.settleTimeMs };
const demand: Section<DemandOptions> = {
  singleFlight: r.demand.singleFlight,
  requestReuse: r.demand.requestReuse,
};

const expected = new Map<string, unknown>(
  Object.entries({
    '': provider,
    limit: everyLimit,
    tokenBucket: tokenBuckets,
    slidingWindow: slidingWindows,
    fixedWindow: fixedWindows,
    concurrency: concurrencies,
    quota: quotas,
    'lanes.<name>': lanes,
    tenants,
    queue,
    timeouts,
    retry,
    'retry.throttled': throttled,
    'retry.budget': budget,
    pause,
    quotaHeaders,
    breaker,
    auth,
    idempotency,
    reconcile,
    demand,
  }).flatMap(([prefix, section]) =>
    Object.entries(section).map(([key, value]): [string, unknown] => [prefix === '' ? key : `${prefix}.${key}`, value]),
  ),
);

const guide = readFileSync('docs/guides/contract.md', 'utf8');
const rows = [...guide.matchAll(/^\| `([\w.<>]+)` \| (.*) \| ?(.*?) ?\|$/gm)].map(([, option, meaning, cell]) => ({
  option: option!,
  meaning: meaning!,
  cell: cell!,
}));

/** A figure as the guide writes it: `5s`, `1,000`, `false`, `local-share`. */
function figureOf(cell: string): unknown {
  const [written] = figuresOf(cell);
  if (written === undefined) return undefined;
  if (written === 'true' || written === 'false') return written === 'true';
  if (/^[\d,.]+$/.test(written)) return Number(written.replaceAll(',', ''));
  return durationMs(written) ?? written;
}

function figuresOf(cell: string): readonly string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, figure]) => figure!);
}

test('the guide has a row for each option, and for no other', () => {
  expect(rows.map(({ option }) => option).sort()).toEqual([...expected.keys()].sort());
});

test.each(rows)('the guide gives the default of $option as the code has it', ({ option, meaning, cell }) => {
  const value = expected.get(option);
  expect(meaning.length).toBeGreaterThan(6);
  if (value === REQUIRED) return expect(cell).toBe('required');
  if (value === WORDS) return expect(cell).not.toBe('required');
  if (Array.isArray(value)) return expect(figuresOf(cell)).toEqual(value);
  expect(figureOf(cell)).toBe(value);
});

test('the guide’s own words on defaults that follow others are true', () => {
  const short = defineProvider({
    name: 'crm',
    limits: [],
    timeouts: { total: '2s' },
    retry: { maxDelay: '100ms' },
    pause: { max: '10s' },
    queue: { maxSize: 7, maxWait: '9s' },
    mode: 'observe',
    breaker: { failureRate: { share: 0.5, minVolume: 10, per: '1m' } },
    lanes: { first: {}, last: {} },
  }).resolved;
  expect(short.timeouts).toMatchObject({ connectMs: 2_000, attemptMs: 2_000 });
  expect(short.retry).toMatchObject({ baseDelayMs: 100, maxWaitMs: 2_000 });
  expect(short.pause.initialMs).toBe(10_000);
  expect(short.lanes[0]).toMatchObject({ maxQueued: 7, maxWaitMs: 9_000, mode: 'observe' });
  expect(short.tenants).toMatchObject({ maxQueued: 7, weight: null });
  expect(short.breaker!.consecutiveFailures).toBeNull();
  expect(short.defaultLane).toBe(1);
  expect(defineProvider({ name: 'crm', limits: [], pause: { initial: '2h' } }).resolved.pause.maxMs).toBe(7_200_000);
  const guessing = defineProvider({ name: 'crm', limits: [], pause: { maxGuess: '10s' } }).resolved;
  expect(guessing.pause).toMatchObject({
    initialMs: 10_000,
    maxMs: 10_000,
    maxGuessMs: 10_000,
    maxHintMs: 604_800_000,
  });
  expect(guessing.retry.maxDelayMs).toBe(10_000);
  const said = { pause: { maxGuess: '10s', initial: '1m' }, retry: { maxDelay: '20s' } } as const;
  const own = defineProvider({ name: 'crm', limits: [], ...said }).resolved;
  expect([own.pause.initialMs, own.pause.maxMs, own.retry.maxDelayMs]).toEqual([60_000, 60_000, 20_000]);
});

test.each(['crm', 'erp'])('the guide’s example %s is a valid contract, without a warning', (name) => {
  const [, example] = new RegExp(`export const ${name} = ([\\s\\S]*?);\n\`\`\``).exec(guide) ?? [];
  const scope = { concurrency, defineProvider, quota, slidingWindow, tokenBucket };
  // The text is the guide's own.
  const contract = new Function(...Object.keys(scope), `return ${example};`)(...Object.values(scope));
  expect(contract.name).toBe(name);
  expect(warnings(contract)).toEqual([]);
});
