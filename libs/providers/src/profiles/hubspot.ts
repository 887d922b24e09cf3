import { quota, slidingWindow } from '../../../core/src/index.js';
import { profile } from '../profile.js';

/** Counted apart. */
const SEARCH = /\/crm\/.*objects\/.+\/search$/;

export const HUBSPOT = profile({
  name: 'hubspot',
  title: 'HubSpot',
  sources: [
    { url: 'https://developers.hubspot.com/changelog/increasing-our-api-limits', checked: '2026-11-30' },
    { url: 'https://developers.hubspot.com/docs/developer-tooling/platform/usage-guidelines', checked: '2026-09-30' },
    {
      url: 'https://github.com/HubSpot/hubspot-api-nodejs/blob/master/src/services/decorators/RetryDecorator.ts',
      checked: '2026-11-30',
    },
  ],
  choices: {
    app: {
      values: ['private', 'public'],
      value: 'private',
      what: 'a private app has a token of its account; a public one is installed by OAuth',
    },
    plan: {
      values: ['free', 'starter', 'professional', 'enterprise', 'limit-increase'],
      value: 'professional',
      what: 'plan of the account; `limit-increase` is the capacity pack on top of Enterprise',
    },
    timeZone: { value: 'UTC', what: "time zone of the account, whose midnight begins the day's quota" },
  },
  numbers: {
    perTenSeconds: {
      value: { by: 'plan', of: { free: 100, starter: 100, professional: 190, enterprise: 190, 'limit-increase': 250 } },
      what: 'calls in ten seconds of a private app',
      only: { by: 'app', in: ['private'] },
    },
    publicPerTenSeconds: {
      value: 110,
      what: 'calls in ten seconds of a public app, in each account',
      only: { by: 'app', in: ['public'] },
      unconfirmed: true,
    },
    perDay: {
      value: {
        by: 'plan',
        of: {
          free: 250_000,
          starter: 250_000,
          professional: 625_000,
          enterprise: 1_000_000,
          'limit-increase': 2_000_000,
        },
      },
      what: 'calls a day of all private apps of an account together',
      only: { by: 'app', in: ['private'] },
      unconfirmed: true,
    },
    searchPerSecond: { value: 5, what: 'searches a second in each account' },
  },
  contract: ({ app, perTenSeconds, publicPerTenSeconds, perDay, searchPerSecond, timeZone }) => ({
    http: { baseURL: 'https://api.hubapi.com' },
    dimensions: ['account'],
    routes: {
      search: 'POST /crm/:version/objects/:type/search',
      'search-dated': 'POST /crm/objects/:version/:type/search',
      'batch-read': 'POST /crm/:version/objects/:type/batch/read',
    },
    safe: ['GET *', 'HEAD *', 'OPTIONS *', 'search', 'search-dated', 'batch-read'],
    limits: [
      slidingWindow({
        name: 'ten-secondly',
        unit: 'calls',
        limit: app === 'public' ? publicPerTenSeconds : perTenSeconds,
        per: '10s',
      }),
      slidingWindow({ name: 'search', limit: searchPerSecond, per: '1s', routes: ['search', 'search-dated'] }),
      // HubSpot tells what is left of the day with every answer: a restart forgets it until the first one.
      ...(app === 'public' ? [] : [quota({ name: 'daily', limit: perDay, per: 'day', timeZone, volatile: true })]),
    ],
    units: ({ method, path }) => ({ calls: method === 'POST' && SEARCH.test(path) ? 0 : 1 }),
    reading: {
      scopes: {
        'ten-secondly': 'ten-secondly',
        search: 'search',
        ...(app === 'public' ? {} : { daily: 'daily' }),
      },
      windows: [
        {
          scope: 'daily',
          limit: 'x-hubspot-ratelimit-daily',
          remaining: 'x-hubspot-ratelimit-daily-remaining',
          kind: 'quota',
        },
        {
          scope: 'ten-secondly',
          unit: 'calls',
          limit: 'x-hubspot-ratelimit-max',
          remaining: 'x-hubspot-ratelimit-remaining',
          windowSeconds: 10,
        },
      ],
      rules: [
        { when: { status: 429, body: { policyName: 'DAILY' } }, kind: 'quota', scope: 'daily' },
        {
          when: { status: 429, body: { policyName: { matches: '^TEN_SECONDLY' } } },
          kind: 'rate',
          scope: 'ten-secondly',
          waitMs: 10_000,
        },
        {
          when: { status: 429, headers: { 'x-hubspot-ratelimit-max': { present: false } } },
          kind: 'rate',
          scope: 'search',
          waitMs: 1000,
        },
        { when: { status: 423 }, means: 'locked', waitMs: 2000 },
        { when: { status: 477 }, means: 'locked', kind: 'overload' },
      ],
    },
  }),
  notes: {
    refused: [
      '429 with `errorType: RATE_LIMIT`; `policyName` tells the limit: `DAILY`, `TEN_SECONDLY_ROLLING` or `SECONDLY`',
      'a refused search carries no rate headers; its message is `You have reached your secondly limit.`',
      '`DAILY` lasts until midnight of the account, a moment that no answer tells: the pause grows to half an hour, and one call after it tests the water',
      '423 is a lock that lasts two seconds at least, 477 a migration with `Retry-After`: both are no limit',
    ],
    told: [
      '`X-HubSpot-RateLimit-Max` and `-Remaining`: calls in ten seconds (`-Interval-Milliseconds`)',
      '`X-HubSpot-RateLimit-Daily` and `-Daily-Remaining`: calls of the day; absent for public apps',
      '`X-HubSpot-RateLimit-Secondly(-Remaining)` are still sent, and mean nothing any more',
    ],
    cost: ['a batch of a hundred is one call', 'a search is none of the calls in ten seconds'],
    resend: ['a 429, 423 or 477 has not been done: safe to send again', 'searches and batch reads are reads by POST'],
    traps: [
      'the day is shared with all other private apps of the account',
      'the capacity pack raises nothing for public apps',
      'answers with an error must stay under 5 % of the day for apps of the marketplace',
    ],
    unconfirmed: [
      'the day of Professional: 650,000 in the announcement of 2024, 625,000 in quotations of the page of 2026',
      'public apps: 110 in ten seconds, from quotations of the page (older copies: 100)',
      'whether a 429 carries `Retry-After`; where it does, it is obeyed',
      'that searches under dated versions (`/crm/objects/2026-03/...`) have the same path at their end',
    ],
  },
  webhooks: [
    {
      signatureHeader: 'x-hubspot-signature-v3',
      timestampHeader: 'x-hubspot-request-timestamp',
      signed: 'method + URI + body + timestamp (milliseconds); twelve percent-encodings of the URI are decoded first',
      algorithm: 'hmac-sha256',
      encoding: 'base64',
      tolerance: '5m',
    },
  ],
});
