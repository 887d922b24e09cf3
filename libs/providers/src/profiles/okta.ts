import { concurrency, slidingWindow } from '../../../core/src/index.js';
import { family } from '../fields.js';
import { profile } from '../profile.js';

const REPOSITORY =
  'https://github.com/okta/okta-developer-docs/blob/master/packages/@okta/vuepress-site/docs/reference';

export const OKTA = profile({
  name: 'okta',
  title: 'Okta',
  sources: [
    { url: 'https://developer.okta.com/docs/reference/rl-best-practices/', checked: '2026-11-30' },
    { url: 'https://developer.okta.com/docs/reference/rl2-limits/', checked: '2026-11-30' },
    { url: `${REPOSITORY}/rl-additional-limits/index.md`, checked: '2026-11-30' },
    { url: `${REPOSITORY}/rl-global-mgmt/index.md`, checked: '2026-11-30' },
  ],
  choices: {
    plan: {
      values: ['integrator', 'one-app', 'enterprise', 'workforce'],
      value: 'workforce',
      what: 'kind of org: Integrator Free Plan, One App, Enterprise or Workforce Identity',
    },
  },
  numbers: {
    usersPerMinute: {
      value: { by: 'plan', of: { integrator: 100, 'one-app': 300, enterprise: 600, workforce: 600 } },
      what: 'calls a minute and org that list or create users',
      unconfirmed: true,
    },
    userReadsPerMinute: {
      value: { by: 'plan', of: { integrator: 100, 'one-app': 300, enterprise: 1_000, workforce: 2_000 } },
      what: 'calls a minute and org that get one user',
      unconfirmed: true,
    },
    userWritesPerMinute: {
      value: { by: 'plan', of: { integrator: 100, 'one-app': 300, enterprise: 600, workforce: 600 } },
      what: 'calls a minute and org that change or delete one user',
      unconfirmed: true,
    },
    groupsPerMinute: {
      value: { by: 'plan', of: { integrator: 100, 'one-app': 300, enterprise: 600, workforce: 500 } },
      what: 'calls a minute and org about groups, one by its id left out',
      unconfirmed: true,
    },
    groupPerMinute: {
      value: { by: 'plan', of: { integrator: 100, 'one-app': 300, enterprise: 600, workforce: 1_000 } },
      what: 'calls a minute and org about one group by its id',
      unconfirmed: true,
    },
    appsPerMinute: {
      value: { by: 'plan', of: { integrator: 20, 'one-app': 25, enterprise: 100, workforce: 100 } },
      what: 'calls a minute and org about apps, one by its id left out',
      unconfirmed: true,
    },
    appPerMinute: {
      value: { by: 'plan', of: { integrator: 100, 'one-app': 300, enterprise: 600, workforce: 500 } },
      what: 'calls a minute and org about one app by its id',
      unconfirmed: true,
    },
    logsPerMinute: {
      value: { by: 'plan', of: { integrator: 20, 'one-app': 25, enterprise: 50, workforce: 120 } },
      what: 'calls a minute and org for the system log',
      unconfirmed: true,
    },
    othersPerMinute: {
      value: { by: 'plan', of: { integrator: 100, 'one-app': 300, enterprise: 600, workforce: 1_200 } },
      what: 'calls a minute and org of all other management endpoints together',
      unconfirmed: true,
    },
    concurrent: {
      value: { by: 'plan', of: { integrator: 15, 'one-app': 35, enterprise: 75, workforce: 75 } },
      what: 'calls under way at once, of an org',
      whole: true,
    },
  },
  contract: (numbers) => ({
    dimensions: ['org'],
    routes: {
      users: '* /api/v1/users',
      user: 'GET /api/v1/users/:id',
      'user-write': '* /api/v1/users/:id',
      group: '* /api/v1/groups/:id',
      groups: '* /api/v1/groups{/*rest}',
      app: '* /api/v1/apps/:id',
      apps: '* /api/v1/apps{/*rest}',
      logs: 'GET /api/v1/logs',
      others: '* /api/v1/*rest',
    },
    limits: [
      slidingWindow({ name: 'users', limit: numbers.usersPerMinute, per: '1m', routes: ['users'] }),
      slidingWindow({ name: 'user', limit: numbers.userReadsPerMinute, per: '1m', routes: ['user'] }),
      slidingWindow({ name: 'user-write', limit: numbers.userWritesPerMinute, per: '1m', routes: ['user-write'] }),
      slidingWindow({ name: 'groups', limit: numbers.groupsPerMinute, per: '1m', routes: ['groups'] }),
      slidingWindow({ name: 'group', limit: numbers.groupPerMinute, per: '1m', routes: ['group'] }),
      slidingWindow({ name: 'apps', limit: numbers.appsPerMinute, per: '1m', routes: ['apps'] }),
      slidingWindow({ name: 'app', limit: numbers.appPerMinute, per: '1m', routes: ['app'] }),
      slidingWindow({ name: 'logs', limit: numbers.logsPerMinute, per: '1m', routes: ['logs'] }),
      slidingWindow({ name: 'others', limit: numbers.othersPerMinute, per: '1m', routes: ['others'] }),
      concurrency({ name: 'concurrent', limit: numbers.concurrent }),
    ],
    reading: {
      // The figures are those of the endpoint that was called: they belong to the limit of its route.
      windows: [{ ...family('x-rate-limit'), reset: { from: 'x-rate-limit-reset', as: 'epoch-seconds' } }],
      scopes: { 'org:concurrent': 'concurrent' },
      rules: [
        { when: { status: 429, headers: { 'x-rate-limit-limit': 0 } }, kind: 'concurrency', scope: 'org:concurrent' },
        // A 403 is no limit, though it may be the last answer of a minute.
        { when: { status: 403 }, means: 'rejected' },
      ],
    },
  }),
  notes: {
    refused: [
      '429 for a limit of a minute, with `X-Rate-Limit-Remaining: 0`',
      '429 for too many calls at once, with `X-Rate-Limit-Limit: 0` and `X-Rate-Limit-Remaining: 0`',
      '`errorCode` `E0000047` in the body of both',
    ],
    told: [
      '`X-Rate-Limit-Limit`, `X-Rate-Limit-Remaining`: of the endpoint that was called',
      '`X-Rate-Limit-Reset`: seconds since 1970; only an estimate where too many calls were under way',
    ],
    resend: ['a 429 has not been done: safe to send again'],
    traps: [
      'the numbers of an org stand in its rate limit dashboard; Okta does not publish them any more',
      'large Workforce orgs have five or ten times the numbers for sign-in endpoints and for reading one user, group or app',
      'the Admin Console has 40 calls per 10 seconds, user and endpoint; a user name 4 sign-ins a second: neither is in the contract',
      'endpoints of OAuth and sign-in have limits of their own, which are not in the contract and are read from the answers',
      'agents and Office 365 count their calls at once apart',
    ],
    unconfirmed: [
      'all numbers of a minute: from the last published table; its column Developer (free) stands for the Integrator Free Plan',
      'that `E0000047` stands in the body',
    ],
  },
});
