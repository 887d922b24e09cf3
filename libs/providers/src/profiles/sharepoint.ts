import { type RequestView, slidingWindow } from '../../../core/src/index.js';
import { family } from '../fields.js';
import { profile } from '../profile.js';

const LICENCES = ['up-to-1000', 'up-to-5000', 'up-to-15000', 'up-to-50000', 'more'] as const;

/** By Microsoft's table for Graph; CSOM and REST (`/_api/`) have none, and are taken for two. */
function resourceUnits({ method, path, query }: RequestView): number {
  if (
    /\/permissions(?:\/|$)|\/(?:invite|createLink)$/.test(path) ||
    /permissions/.test(String(query['$expand'] ?? ''))
  ) {
    return 5;
  }
  const one = method === 'GET' && !path.includes('/_api/');
  if (one && path.endsWith('/delta')) return query['token'] === undefined ? 2 : 1;
  return one && !/\/(?:children|items|lists|drives|sites|columns|search[^/]*)$/.test(path) ? 1 : 2;
}

export const SHAREPOINT = profile({
  name: 'sharepoint',
  title: 'SharePoint and OneDrive',
  sources: [
    {
      url: 'https://learn.microsoft.com/en-us/sharepoint/dev/general-development/how-to-avoid-getting-throttled-or-blocked-in-sharepoint-online',
      checked: '2026-09-30',
    },
  ],
  choices: {
    licences: { values: LICENCES, value: 'up-to-1000', what: 'licences of the tenant' },
  },
  numbers: {
    perMinute: {
      value: {
        by: 'licences',
        of: { 'up-to-1000': 1_250, 'up-to-5000': 2_500, 'up-to-15000': 3_750, 'up-to-50000': 5_000, more: 6_250 },
      },
      what: 'resource units a minute of the app in a tenant',
      unconfirmed: true,
    },
    perDay: {
      value: {
        by: 'licences',
        of: {
          'up-to-1000': 1_200_000,
          'up-to-5000': 2_400_000,
          'up-to-15000': 3_600_000,
          'up-to-50000': 4_800_000,
          more: 6_000_000,
        },
      },
      what: 'resource units in 24 hours of the app in a tenant',
      unconfirmed: true,
    },
  },
  contract: ({ perMinute, perDay }) => ({
    dimensions: ['tenant'],
    units: (request) => ({ 'resource-units': resourceUnits(request) }),
    defaultUnits: { 'resource-units': 2 },
    limits: [
      slidingWindow({ name: 'minute', unit: 'resource-units', limit: perMinute, per: '1m' }),
      slidingWindow({ name: 'day', unit: 'resource-units', limit: perDay, per: '1d' }),
    ],
    reading: {
      scopes: { 'app-minute': 'minute' },
      windows: [
        {
          ...family('ratelimit', 'app-minute'),
          unit: 'resource-units',
          reset: { from: 'ratelimit-reset', as: 'seconds' },
        },
      ],
      rules: [{ when: { status: 503, hinted: true }, means: 'overloaded' }],
    },
  }),
  notes: {
    refused: [
      '429 where the app is at a limit, 503 where the service is; both with `Retry-After`',
      'an app that goes on may be blocked altogether, with 503',
    ],
    told: [
      '`RateLimit-Limit`, `-Remaining` and `-Reset` (seconds from now): resource units of the minute, from 80 % on, with permissions of the app only',
      '`Retry-After` in seconds',
    ],
    cost: [
      'one item, a download, `delta` with a token: 1; a list, a change, `delta` without: 2; permissions: 5 resource units',
    ],
    resend: [
      'a 429 has not been done: safe to send again, but not before `Retry-After`: refused calls count',
      'there are no keys of idempotency; `If-Match` keeps a change from being made twice',
    ],
    traps: [
      'give `http.baseURL`: https://graph.microsoft.com/v1.0 or the site itself; the units are the same for both',
      'a user takes 3,000 requests in five minutes over all apps, a tenant units of its own: not in the contract',
      'name the app in `User-Agent` (`NONISV|Company|App/1.0`): traffic without a name is throttled first',
    ],
    unconfirmed: ['the numbers by licences and the costs, quoted in 2026 from the page'],
  },
});
