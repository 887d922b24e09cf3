/** What a contract may say, and what it may not, judged by the compiler. test/contract looks at what the example means. */
import {
  concurrency,
  defineProvider,
  fixedWindow,
  isSluiceError,
  type ProviderContract,
  type ProviderPatch,
  quota,
  type SluiceErrorCode,
  slidingWindow,
  tokenBucket,
} from 'nestjs-sluice';

const headers = { authorization: 'Bearer of the test' };
const expiresAt = new Date(0);

// The example of the design.
export const crm: ProviderContract = defineProvider({
  name: 'crm',
  http: { baseURL: 'https://api.crm.example' },
  dimensions: ['account', 'user'],
  limits: [
    tokenBucket({ burst: 30, limit: 30, per: '1m', countedBy: ['account'] }),
    slidingWindow({ limit: 100, per: '10s', routes: ['search'] }),
    fixedWindow({ name: 'minute', limit: 500, per: '1m', align: 'clock' }),
    concurrency({ limit: 8, worksAfterTimeout: '0s' }),
    tokenBucket({ name: 'tokens', unit: 'tokens', burst: 40_000, limit: 40_000, per: '1m' }),
    quota({ limit: 40_000, per: 'day', timeZone: 'UTC', reserve: { interactive: 0.1 } }),
  ],
  routes: { search: 'GET /contacts/search', contact: 'GET /contacts/:id' },
  units: (request) => ({ requests: request.route === 'search' ? 2 : 1 }),
  settleUnits: (answer) => ({ requests: answer.status === 304 ? 0 : 1 }),
  safe: ['GET *', 'HEAD *', 'OPTIONS *', 'search'],
  lanes: { interactive: {}, background: { ceiling: { limit: 45, per: '1m' } } },
  tenants: { maxShare: 0.5, maxQueued: 100 },
  queue: { maxSize: 1_000, maxWait: '3m', refuse: 'certain' },
  timeouts: { connect: '5s', attempt: '10s', bodyIdle: '10s', total: '5m' },
  retry: {
    maxAttempts: 5,
    throttled: { maxAttempts: 5 },
    baseDelay: '1s',
    maxDelay: '30s',
    maxWait: '61s',
    budget: { ratio: 0.1, per: '1m', floor: 4, onSpent: 'wait' },
  },
  pause: { initial: '1m', factor: 2, max: '30m', maxHint: '7d', flushAfter: '36h' },
  breaker: { consecutiveFailures: 5, probeEvery: '1m', whileOpen: 'refuse' },
  quotaHeaders: [{ limit: 'minute', remaining: 'x-minlimit-remaining', reset: 'x-min-reset', unit: 'epoch-s' }],
  statuses: { 403: 'limited', 409: 'key-in-use', 503: 'overloaded' },
  classify: (answer) => (answer.status === 200 && answer.body === 'BUSY' ? 'failed' : undefined),
  idempotency: { header: 'Idempotency-Key', methods: ['POST'], retention: '24h' },
  auth: {
    credentials: async (partition) => ({ headers: { ...headers, account: partition['account'] ?? '' }, expiresAt }),
    refresh: async () => ({ headers, expiresAt }),
  },
  beforeSend: (request) => {
    request.method satisfies string;
  },
  ourShare: 1,
  guard: '100ms',
  outage: 'local-share',
  mode: 'enforce',
});

/** Compiled only: half of it would throw. */
export function compiledOnly(): void {
  // A limit stands in no need of anything but its figures; off is off.
  defineProvider({ name: 'small', limits: [], breaker: false, idempotency: 'unsupported', retry: { budget: false } });
  defineProvider({
    name: 'small',
    limits: [concurrency({ limit: 1 })],
    guard: 20,
    beforeSend: async () => ({ 'x-sign': '1' }),
  });

  // What an update may hold.
  ({ limits: [concurrency({ limit: 4 })], lanes: { background: {} }, mode: 'observe' }) satisfies ProviderPatch;
  // @ts-expect-error dimensions cannot change while calls are under way
  ({ dimensions: ['account'] }) satisfies ProviderPatch;

  // @ts-expect-error a contract has a name
  defineProvider({ limits: [] });
  // @ts-expect-error and limits, if only []
  defineProvider({ name: 'crm' });
  // @ts-expect-error a key that does not exist
  defineProvider({ name: 'crm', limits: [], rety: {} });
  // @ts-expect-error nor this one, a level down
  defineProvider({ name: 'crm', limits: [], retry: { maxAttemps: 3 } });
  // @ts-expect-error a duration has a unit
  defineProvider({ name: 'crm', limits: [], guard: '100' });
  // @ts-expect-error and one that is known
  defineProvider({ name: 'crm', limits: [], guard: '1y' });
  // @ts-expect-error the budget has one period
  defineProvider({ name: 'crm', limits: [], retry: { budget: { per: '1h' } } });
  // @ts-expect-error a cost is a number by unit
  defineProvider({ name: 'crm', limits: [], units: () => 1 });
  // @ts-expect-error it is known at once
  defineProvider({ name: 'crm', limits: [], units: async () => ({ requests: 1 }) });
  // @ts-expect-error a meaning is a word of the vocabulary
  defineProvider({ name: 'crm', limits: [], statuses: { 403: 'throttled' } });
  // @ts-expect-error statuses are numbers
  defineProvider({ name: 'crm', limits: [], statuses: { forbidden: 'limited' } });
  // @ts-expect-error what an answer means is known at once
  defineProvider({ name: 'crm', limits: [], classify: async () => 'limited' });
  // @ts-expect-error a header is of a limit
  defineProvider({ name: 'crm', limits: [], quotaHeaders: [{ remaining: 'x-left' }] });
  // @ts-expect-error a reset has a unit that is known
  defineProvider({ name: 'crm', limits: [], quotaHeaders: [{ limit: 'a', reset: 'x-reset', unit: 'min' }] });
  // @ts-expect-error credentials are headers
  defineProvider({ name: 'crm', limits: [], auth: { credentials: () => 'Bearer' } });
  // @ts-expect-error a rate needs its period
  tokenBucket({ burst: 1, limit: 1 });
  // @ts-expect-error a window has no burst
  slidingWindow({ burst: 1, limit: 1, per: '1s' });
  // @ts-expect-error a quota is of a day or a month
  quota({ limit: 1, per: '1w' });
  // @ts-expect-error permits have no period
  concurrency({ limit: 1, per: '1s' });
  // @ts-expect-error windows begin at the clock, or nobody knows where
  fixedWindow({ limit: 1, per: '1s', align: 'midnight' });
}

// A code narrows, and an unknown one is none.
export function codeOf(error: unknown): SluiceErrorCode | null {
  // @ts-expect-error there is no such code
  if (isSluiceError(error, 'TOO_MANY')) return null;
  return isSluiceError(error) ? error.code : null;
}
