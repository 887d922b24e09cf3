import { concurrency, slidingWindow, tokenBucket } from '../../../core/src/index.js';
import { profile } from '../profile.js';
import { DIRECTORY_ROUTES, FILE_ROUTES, MAILBOX_ROUTES } from './msgraph-routes.js';
import { resourceUnits, writes } from './msgraph-units.js';

const LIMITS = 'https://github.com/microsoftgraph/microsoft-graph-docs-contrib/blob/main/concepts/throttling-limits.md';
const directory = Object.keys(DIRECTORY_ROUTES);
const mailbox = Object.keys(MAILBOX_ROUTES);

export const MSGRAPH = profile({
  name: 'msgraph',
  title: 'Microsoft Graph',
  sources: [
    { url: LIMITS, checked: '2026-11-30' },
    { url: LIMITS.replace('throttling-limits', 'throttling'), checked: '2026-11-30' },
  ],
  choices: {
    users: {
      values: ['under-50', 'up-to-500', 'more'],
      value: 'under-50',
      what: 'users of the tenant, which make its size S, M or L',
    },
  },
  numbers: {
    perTenSeconds: { value: 130_000, what: 'calls in ten seconds of the app, over all tenants', unconfirmed: true },
    unitsPerTenSeconds: {
      value: { by: 'users', of: { 'under-50': 3_500, 'up-to-500': 5_000, more: 8_000 } },
      what: 'resource units of the directory in ten seconds, of the app in a tenant',
    },
    appUnitsPerTwentySeconds: { value: 150_000, what: 'resource units of the directory in twenty seconds, of the app' },
    writesPer150Seconds: { value: 3_000, what: 'writes of the directory in 150 seconds, of the app in a tenant' },
    appWritesPerFiveMinutes: {
      value: 35_000,
      what: 'writes of the directory in five minutes, of the app',
      unconfirmed: true,
    },
    perMailbox: { value: 10_000, what: 'calls in ten minutes, of the app in a mailbox' },
    concurrentPerMailbox: { value: 4, what: 'calls under way at once, of the app in a mailbox', whole: true },
  },
  contract: (n) => ({
    http: { baseURL: 'https://graph.microsoft.com/v1.0' },
    dimensions: ['tenant', 'mailbox'],
    routes: { ...MAILBOX_ROUTES, ...FILE_ROUTES, ...DIRECTORY_ROUTES },
    units: (request) => ({ 'resource-units': resourceUnits(request), writes: writes(request) }),
    limits: [
      slidingWindow({ name: 'app', limit: n.perTenSeconds, per: '10s', countedBy: [] }),
      tokenBucket({
        name: 'directory',
        unit: 'resource-units',
        burst: n.unitsPerTenSeconds,
        limit: n.unitsPerTenSeconds,
        per: '10s',
        countedBy: ['tenant'],
        routes: directory,
      }),
      tokenBucket({
        name: 'directory-app',
        unit: 'resource-units',
        burst: n.appUnitsPerTwentySeconds,
        limit: n.appUnitsPerTwentySeconds,
        per: '20s',
        countedBy: [],
        routes: directory,
      }),
      tokenBucket({
        name: 'directory-writes',
        unit: 'writes',
        burst: n.writesPer150Seconds,
        limit: n.writesPer150Seconds,
        per: '150s',
        countedBy: ['tenant'],
        routes: directory,
      }),
      tokenBucket({
        name: 'directory-app-writes',
        unit: 'writes',
        burst: n.appWritesPerFiveMinutes,
        limit: n.appWritesPerFiveMinutes,
        per: '5m',
        countedBy: [],
        routes: directory,
      }),
      slidingWindow({
        name: 'mailbox',
        limit: n.perMailbox,
        per: '10m',
        countedBy: ['mailbox'],
        routes: mailbox,
      }),
      concurrency({
        name: 'mailbox-concurrent',
        limit: n.concurrentPerMailbox,
        countedBy: ['mailbox'],
        routes: mailbox,
      }),
    ],
    reading: {
      scopes: {
        'Tenant_Application/ReadWrite': 'directory',
        'Tenant_Application/Read': 'directory',
        'Tenant_Application/Write': 'directory-writes',
        'Application/ReadWrite': 'directory-app',
        'Application/Read': 'directory-app',
        'Application/Write': 'directory-app-writes',
        'mailbox-concurrent': 'mailbox-concurrent',
      },
      cost: 'x-ms-resource-unit',
      costUnit: 'resource-units',
      nearLimit: { from: 'x-ms-throttle-limit-percentage', is: { present: true } },
      batch: { list: 'responses[]', id: 'id', status: 'status', headers: 'headers', body: 'body' },
      rules: [
        {
          when: { status: 429, body: { 'error.message': { matches: 'MailboxConcurrency' } } },
          kind: 'concurrency',
          scope: 'mailbox-concurrent',
        },
        {
          when: { status: 429 },
          kind: 'rate',
          scope: { from: { header: 'x-ms-throttle-scope', pattern: '^([^/]+/[^/]+)' } },
        },
      ],
    },
  }),
  notes: {
    refused: [
      '429 with `{ "error": { "code": "TooManyRequests" } }` or `ApplicationThrottled`; the first limit that is reached refuses',
      'within a `$batch` the envelope is 200 and each answer has a status and headers of its own',
    ],
    told: [
      '`Retry-After` in seconds; not from OneNote, identity protection and data policy',
      '`x-ms-resource-unit`: what the call did cost; `x-ms-throttle-limit-percentage` from 0.8 on: the share of the limit that is used',
      '`x-ms-throttle-scope: <scope>/<limit>/<app>/<tenant>` and `x-ms-throttle-information` with a refusal of the directory',
    ],
    cost: [
      'directory: 1 to 5 resource units by path, one less with `$select`, one less with `$top` under 20, one more with `$expand`, at least one',
      'each POST, PATCH, PUT and DELETE of the directory is one write',
    ],
    resend: [
      'a 429 has not been done: safe to send again, but not before `Retry-After`: refused calls count',
      'there are no keys of idempotency; `client-request-id` is only for tracing',
    ],
    traps: [
      'calls of the directory need `tenant` in their partition, calls of a mailbox need `mailbox`',
      'a `$batch` is one call here, while each call within it counts there: give its cost with the request, and read its parts yourself',
      'files (`/drive`, `/sites`) have the limits of SharePoint: use its contract for them',
      'Teams (1 to 60 calls a second by kind, 4 in a team or channel), reports, OneNote and others have limits of their own: not in the contract',
      'an upload into a mailbox may take 150 MB in five minutes',
    ],
    unconfirmed: [
      'the global limit: 2,000 a second in the stored page, 130,000 in ten seconds in copies of 2026',
      'writes of the app in five minutes: 70,000 in the stored page, 35,000 in a newer copy; the lower is taken',
      'four calls at once: the stored page says of the app, newer copies and the error say of the mailbox',
    ],
  },
});
