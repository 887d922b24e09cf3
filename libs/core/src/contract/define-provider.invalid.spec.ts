import { isSluiceError } from '../errors/sluice-error.js';
import { concurrency, fixedWindow, quota, slidingWindow, tokenBucket } from './builders.js';
import { defineProvider } from './define-provider.js';
import type { ProviderOptions } from './options.js';

/** Message of the CONFIG error; fails the test where there is none. */
function refusal(options: unknown): string {
  try {
    defineProvider(options as ProviderOptions);
  } catch (error) {
    expect(isSluiceError(error, 'CONFIG')).toBe(true);
    return (error as Error).message;
  }
  throw new Error('The contract was accepted.');
}

const base = { name: 'crm', limits: [] as ProviderOptions['limits'] };
const bucket = tokenBucket({ burst: 30, limit: 30, per: '1m' });

test('the message names the provider, the option, its value and what was expected', () => {
  expect(refusal({ ...base, retry: { maxAttempts: 0 } })).toBe(
    'Provider "crm": retry.maxAttempts is 0; expected a whole number from 1.',
  );
});

test('the error carries the provider', () => {
  expect.assertions(1);
  try {
    defineProvider({ ...base, ourShare: 2 });
  } catch (error) {
    expect(error).toMatchObject({ code: 'CONFIG', provider: 'crm' });
  }
});

test('all findings are listed, the first one in the main sentence', () => {
  expect(refusal({ ...base, ourShare: 2, mode: 'watch', lanes: { a: { guarantee: -1 } } })).toBe(
    [
      'Provider "crm": lanes.a.guarantee is -1; expected a share from 0 to 1. And 2 more:',
      '- ourShare is 2; expected a share above 0, up to 1.',
      '- mode is "watch"; expected "enforce" or "observe".',
    ].join('\n'),
  );
});

describe('case 75: an unknown key is an error that names the key, never a silent default', () => {
  test.each([
    ['at the top', { ...base, limts: [] }, 'limts is not an option; expected one of name, http, dimensions, limits'],
    [
      'in a section',
      { ...base, retry: { maxAttemps: 3 } },
      'retry.maxAttemps is not an option; expected one of maxAttempts,',
    ],
    ['at the wrong level', { ...base, ratio: 0.1 }, 'ratio is not an option'],
    ['two levels down', { ...base, retry: { budget: { rate: 0.1 } } }, 'retry.budget.rate is not an option'],
    ['in a lane', { ...base, lanes: { a: { cieling: 1 } } }, 'lanes.a.cieling is not an option'],
    ['in a limit', { ...base, limits: [{ ...bucket, brust: 1 }] }, 'limits[0].brust is not an option'],
    [
      'in a limit of another kind',
      { ...base, limits: [{ ...concurrency({ limit: 1 }), per: '1s' }] },
      'limits[0].per is not an option',
    ],
    [
      'in the reading',
      { ...base, reading: { windows: [{ remainig: 'x' }] } },
      'reading.windows[0].remainig is not an option',
    ],
    ['in auth', { ...base, auth: { credentials: () => ({ headers: {} }), renew: 1 } }, 'auth.renew is not an option'],
  ])('%s', (_, options, expected) => {
    expect(refusal(options)).toContain(expected);
  });

  test('it comes first: it explains what is missing', () => {
    expect(refusal({ nam: 'crm', limits: [] })).toMatch(
      /^nestjs-sluice: nam is not an option; .* And 1 more:\n- name is undefined; expected a name/,
    );
  });
});

describe('figures and durations that make no sense are refused', () => {
  test.each([
    ['name', { ...base, name: 'my crm' }],
    ['name', { ...base, name: undefined }],
    ['limits', { name: 'crm' }],
    ['limits[0]', { ...base, limits: [{ kind: 'leaky' }] }],
    ['limits[0]', { ...base, limits: [null] }],
    ['limits[0].burst', { ...base, limits: [{ ...bucket, burst: Number.NaN }] }],
    ['limits[0].limit', { ...base, limits: [{ ...bucket, limit: -30 }] }],
    ['limits[0].limit', { ...base, limits: [{ ...bucket, limit: Infinity }] }],
    ['limits[0].limit', { ...base, limits: [{ ...bucket, limit: '30' }] }],
    ['limits[0].per', { ...base, limits: [{ ...bucket, per: '1 minute' }] }],
    ['limits[0].per', { ...base, limits: [{ ...bucket, per: 0 }] }],
    ['limits[0].per', { ...base, limits: [{ ...quota({ limit: 1, per: 'day' }), per: 'week' }] }],
    ['limits[0].limit', { ...base, limits: [concurrency({ limit: 1.5 })] }],
    ['limits[0].timeZone', { ...base, limits: [quota({ limit: 1, per: 'day', timeZone: 'Mars/Olympus' })] }],
    [
      'limits[0].reserve.a',
      { ...base, lanes: { a: {} }, limits: [quota({ limit: 9, per: 'day', reserve: { a: 10 } })] },
    ],
    ['ourShare', { ...base, ourShare: 0 }],
    ['ourShare', { ...base, ourShare: 1.01 }],
    ['guard', { ...base, guard: -1 }],
    ['timeouts.total', { ...base, timeouts: { total: 'soon' } }],
    ['timeouts.attempt', { ...base, timeouts: { attempt: 0 } }],
    ['queue.maxSize', { ...base, queue: { maxSize: -1 } }],
    ['queue.refuse', { ...base, queue: { refuse: 'maybe' } }],
    ['tenants.maxShare', { ...base, tenants: { maxShare: 0 } }],
    ['tenants.weight', { ...base, tenants: { weight: 2 } }],
    ['retry.jitter', { ...base, retry: { jitter: 'half' } }],
    ['retry.budget.ratio', { ...base, retry: { budget: { ratio: 10 } } }],
    ['retry.budget.per', { ...base, retry: { budget: { per: '1h' } } }],
    ['pause.factor', { ...base, pause: { factor: 0.5 } }],
    ['breaker', { ...base, breaker: true }],
    ['breaker.failureRate.minVolume', { ...base, breaker: { failureRate: { share: 0.5, per: '1m' } } }],
    ['graphql', { ...base, graphql: 'on' }],
    ['safe', { ...base, safe: 'GET *' }],
    ['auth.credentials', { ...base, auth: {} }],
    ['idempotency', { ...base, idempotency: 'yes' }],
    ['idempotency.header', { ...base, idempotency: { header: 'Idempotency Key' } }],
    ['outage', { ...base, outage: 'half' }],
    ['http.baseURL', { ...base, http: { baseURL: 5 } }],
    ['http', { ...base, http: 'https://api.example.test' }],
    ['the contract', undefined],
    ['the contract', 'crm'],
  ])('%s', (option, options) => {
    const message = refusal(options);
    expect(message.slice(message.indexOf(': ') + 2)).toMatch(new RegExp(`^${option.replace(/[[\]().]/g, '\\$&')} is `));
  });
});

describe('names that refer to nothing are refused', () => {
  const lanes = { interactive: {}, background: {} };
  test.each([
    [
      'limits[0].countedBy is "acount"; expected one of the dimensions: account',
      { ...base, dimensions: ['account'], limits: [{ ...bucket, countedBy: ['acount'] }] },
    ],
    [
      'limits[0].routes is "serch"; expected one of the routes: search',
      { ...base, routes: { search: 'GET /search' }, limits: [{ ...bucket, routes: ['serch'] }] },
    ],
    [
      'limits[0].routes is "search"; expected one of the routes: there are none',
      { ...base, limits: [{ ...bucket, routes: ['search'] }] },
    ],
    ['limits[0].routes is []; expected at least one route', { ...base, limits: [{ ...bucket, routes: [] }] }],
    [
      'limits[0].reserve is "urgent"; expected one of the lanes: interactive, background',
      { ...base, lanes, limits: [quota({ limit: 100, per: 'day', reserve: { urgent: 0.1 } })] },
    ],
    [
      'lanes.interactive.reserve is "minute"; expected one of the provider-wide token buckets and concurrency limits: token-bucket',
      { ...base, limits: [bucket], lanes: { ...lanes, interactive: { reserve: { minute: 1 } } } },
    ],
    ['safe[1] is "serch"; expected a method and a path', { ...base, safe: ['GET *', 'serch'] }],
    ['safe[0] is "POST search"; expected a method and a path', { ...base, safe: ['POST search'] }],
    ['safe[0] is "POST /files/*"; expected a method and a path', { ...base, safe: ['POST /files/*'] }],
    [
      'reading.scopes is "hourly"; expected one of the limits: token-bucket',
      { ...base, limits: [bucket], reading: { scopes: { core: 'hourly' } } },
    ],
    ['idempotency.accepts is "pay"; expected a method that writes', { ...base, idempotency: { accepts: ['pay'] } }],
    [
      'defaultUnits is "token"; expected one of the units that its limits count: requests',
      { ...base, limits: [bucket], defaultUnits: { token: 5 } },
    ],
    ['routes.a is "/contacts"; expected a method (or *) and a path', { ...base, routes: { a: '/contacts' } }],
    ['routes.a is "GET /contacts?x=1"; expected a path without query', { ...base, routes: { a: 'GET /contacts?x=1' } }],
    [
      'routes.a is "GET /contacts/:"; expected a template of path-to-regexp',
      { ...base, routes: { a: 'GET /contacts/:' } },
    ],
    [
      'routes.b is "GET /Contacts/"; expected a template that route "a" does not have',
      { ...base, routes: { a: 'GET /contacts', b: 'get /Contacts/' } },
    ],
    ['dimensions is "account" twice', { ...base, dimensions: ['account', 'account'] }],
    [
      'limits[1].name is "minute"; expected a name that no other limit has',
      {
        ...base,
        limits: [
          { ...bucket, name: 'minute' },
          { ...bucket, name: 'minute' },
        ],
      },
    ],
  ])('%s', (expected, options) => {
    expect(refusal(options)).toContain(`Provider "crm": ${expected}`);
  });
});

describe('what does not go together is refused', () => {
  test.each([
    [
      'timeouts.attempt is "6m"; expected at most timeouts.total, which is 5m',
      { ...base, timeouts: { attempt: '6m' } },
    ],
    [
      'timeouts.connect is "11s"; expected at most timeouts.attempt, which is 10s',
      { ...base, timeouts: { connect: '11s' } },
    ],
    [
      'retry.maxWait is "61s"; expected at most timeouts.total, which is 1m',
      { ...base, timeouts: { total: '1m' }, retry: { maxWait: '61s' } },
    ],
    ['retry.baseDelay is "1m"; expected at most retry.maxDelay, which is 30s', { ...base, retry: { baseDelay: '1m' } }],
    [
      'pause.initial is "2h"; expected at most pause.max, which is 1h',
      { ...base, pause: { initial: '2h', max: '1h' } },
    ],
    [
      'lanes is guaranteed a 0.6 + b 0.5; expected guarantees of at most 1 (100 %) together',
      { ...base, limits: [bucket], lanes: { a: { guarantee: 0.6 }, b: { guarantee: 0.5 } } },
    ],
    [
      'lanes.a.guarantee is 0.5; expected a provider-wide rate',
      { ...base, dimensions: ['user'], limits: [bucket], lanes: { a: { guarantee: 0.5 } } },
    ],
    [
      'lanes.a.reserve is 2; expected a provider-wide token bucket',
      { ...base, limits: [slidingWindow({ limit: 9, per: '1m' })], lanes: { a: { reserve: 2 }, b: {} } },
    ],
    [
      'the reserves of limit "token-bucket" is 30 of 30; expected less, so that lane "b" can start',
      { ...base, limits: [bucket], lanes: { a: { reserve: 30 }, b: {} } },
    ],
    [
      'limits[0].reserve is 100 of 100; expected less, so that lane "b" can start',
      { ...base, limits: [quota({ limit: 100, per: 'day', reserve: { a: 1 } })], lanes: { a: {}, b: {} } },
    ],
    [
      'lanes is without a clear default (a, b); expected default: true in one lane at most',
      { ...base, lanes: { a: { default: true }, b: { default: true } } },
    ],
    ['lanes is {}; expected at least one lane', { ...base, lanes: {} }],
    ['lanes.2 is a number as a name; expected a word', { ...base, lanes: { 2: {} } }],
    [
      'limits[0].burst is 30; expected room for a call of the default cost, 500 tokens',
      { ...base, limits: [{ ...bucket, unit: 'tokens' }], defaultUnits: { tokens: 500 } },
    ],
    [
      'limits[0].limit is 0 after ourShare 0.1; expected room for one request',
      { ...base, ourShare: 0.1, limits: [concurrency({ limit: 9 })] },
    ],
    ['limits[0].unit is "tokens"; expected none', { ...base, limits: [concurrency({ limit: 9, unit: 'tokens' })] }],
    [
      'guard is "1m"; expected a guard that leaves limit "sliding-window" at least a tenth of its rate; this one leaves 1.6 %',
      { ...base, guard: '1m', limits: [slidingWindow({ limit: 9, per: '1s' })] },
    ],
    [
      'guard is "100ms"; expected a guard that leaves limit "fixed-window"',
      { ...base, limits: [fixedWindow({ limit: 9, per: '10ms', align: 'clock' })] },
    ],
    [
      'idempotency.bodyField is "key"; expected not to be given together with idempotency.header',
      { ...base, idempotency: { header: 'Key', bodyField: 'key' } },
    ],
  ])('%s', (expected, options) => {
    expect(refusal(options)).toContain(`Provider "crm": ${expected}`);
  });

  test('a reserve for the only lane takes nothing from others', () => {
    expect(() => defineProvider({ ...base, limits: [bucket], lanes: { a: { reserve: 30 } } })).not.toThrow();
  });
});

test('what is wrong with a limit that has a name is told with it: nobody counts to fifty', () => {
  const named = tokenBucket({ burst: 1, limit: 1, per: '1s', name: 'dnd' });
  expect(refusal({ ...base, limits: [bucket, { ...named, routes: ['dnd'] }] })).toBe(
    'Provider "crm": limits[1].routes (limit "dnd") is "dnd"; expected one of the routes: there are none.',
  );
  expect(refusal({ ...base, limits: [bucket, { ...named, burst: 0 }] })).toMatch(
    /limits\[1\]\.burst \(limit "dnd"\) is 0;/,
  );
  expect(refusal({ ...base, limits: [{ ...named, name: '' }] })).toMatch(/limits\[0\]\.name is "";/);
});

test('of options and names that are known the one is told that is near', () => {
  expect(refusal({ ...base, retry: { maxAttemps: 3 } })).toMatch(
    /expected one of maxAttempts, .* \(did you mean maxAttempts\?\)\.$/,
  );
  expect(refusal({ ...base, routes: { search: 'GET /s' }, limits: [{ ...bucket, routes: ['serch'] }] })).toMatch(
    /expected one of the routes: search \(did you mean search\?\)\.$/,
  );
});
