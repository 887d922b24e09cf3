import { tokenBucket } from '../../../core/src/index.js';
import { family, X_RATELIMIT, type Rules } from '../fields.js';
import { profile } from '../profile.js';

const POLICY = 'https://auth0.com/docs/troubleshoot/customer-support/operational-policies/rate-limit-policy';

/** `b=per_hour;q=100;r=90;t=3600,b=per_day;...`: it looks like structured fields and is none. */
const tokenQuota = (whose: string, bucket: string) => {
  const header = `auth0-${whose}-quota-limit`;
  const part = (name: string) => ({ header, pattern: `b=${bucket}(?:;[^,]*)?;${name}=(\\d+)` });
  return {
    scope: `${whose}:${bucket}`,
    // What it counts are access tokens, and no limit here does.
    unit: 'access-tokens',
    kind: 'quota',
    limit: part('q'),
    remaining: part('r'),
    reset: { from: part('t'), as: 'seconds' as const },
  };
};

/** By the first words of its paths, and not by whatever is left: a base URL that ends with `/api/v2` leaves the Management API's. */
const AUTHENTICATION = {
  oauth: '* /oauth/*rest',
  authorize: '* /authorize{/*rest}',
  userinfo: '* /userinfo',
  passwordless: '* /passwordless/*rest',
  dbconnections: '* /dbconnections/*rest',
  mfa: '* /mfa/*rest',
  passkey: '* /passkey/*rest',
  backchannel: '* /bc-authorize',
  logout: '* /{v2/}logout',
  oidc: '* /oidc/*rest',
  saml: '* /samlp/*rest',
  'ws-federation': '* /wsfed/*rest',
  'well-known': '* /.well-known/*rest',
} as const;

const RULES: Rules = [
  { when: { status: 429, body: { error: 'too_many_attempts' } }, means: 'rejected' },
  { when: { status: 429, body: { code: 'too_many_attempts' } }, means: 'rejected' },
  {
    when: { status: 500, body: { error_description: { matches: '^Global limit has been reached' } } },
    limited: true,
    kind: 'rate',
    scope: 'global',
  },
  // A 403 is no limit, though it may have emptied the bucket.
  { when: { status: 403 }, means: 'rejected' },
];

/** On other plans these calls are under the limits of all. */
const ESSENTIALS = { by: 'plan', in: ['essentials'] } as const;

export const AUTH0 = profile({
  name: 'auth0',
  title: 'Auth0',
  sources: [
    { url: POLICY, checked: '2026-11-30' },
    { url: `${POLICY}/rate-limit-use-cases`, checked: '2026-11-30' },
    { url: `${POLICY}/rate-limit-configurations/free-public`, checked: '2026-11-30' },
    { url: `${POLICY}/rate-limit-configurations/essentials-professional-b2b`, checked: '2026-11-30' },
    { url: `${POLICY}/rate-limit-configurations/enterprise-public`, checked: '2026-11-30' },
    { url: 'https://auth0.github.io/auth0.net/api/Auth0.ManagementApi.RateLimit.html', checked: '2026-11-30' },
    { url: 'https://community.auth0.com/t/global-limit-has-been-reached/77440', checked: '2026-09-30' },
  ],
  choices: {
    plan: {
      values: ['free', 'essentials', 'enterprise', 'enterprise-non-production'],
      value: 'free',
      what: 'plan of the tenant in the public cloud; essentials is Professional too',
    },
  },
  numbers: {
    managementBurst: {
      value: { by: 'plan', of: { free: 2, essentials: 10, enterprise: 50, 'enterprise-non-production': 10 } },
      what: 'calls of the Management API at once, of a tenant',
    },
    managementPerMinute: {
      value: { by: 'plan', of: { free: 120, essentials: 150, enterprise: 960, 'enterprise-non-production': 120 } },
      what: 'calls of the Management API a minute and tenant',
    },
    authenticationBurst: {
      value: { by: 'plan', of: { free: 300, essentials: 25, enterprise: 100, 'enterprise-non-production': 100 } },
      what: 'calls of the Authentication API at once, of a tenant',
    },
    authenticationPerMinute: {
      value: {
        by: 'plan',
        of: { free: 300, essentials: 1_500, enterprise: 6_000, 'enterprise-non-production': 6_000 },
      },
      what: 'calls of the Authentication API a minute and tenant',
    },
    userReadsBurst: { value: 40, what: 'calls at once that read users', only: ESSENTIALS },
    userReadsPerMinute: { value: 500, what: 'calls a minute that read users', only: ESSENTIALS },
    userWritesBurst: { value: 20, what: 'calls at once that write users', only: ESSENTIALS },
    userWritesPerMinute: { value: 200, what: 'calls a minute that write users', only: ESSENTIALS },
    logsBurst: { value: 10, what: 'calls at once that read logs', only: ESSENTIALS },
    logsPerMinute: { value: 100, what: 'calls a minute that read logs', only: ESSENTIALS },
  },
  contract: ({ plan, ...numbers }) => {
    const bucket = (name: string, burst: number, limit: number, routes: readonly string[]) =>
      tokenBucket({ name, burst, limit, per: '1m', routes });
    const apart = plan === 'essentials';
    return {
      dimensions: ['tenant'],
      routes: {
        'users-read': 'GET /api/v2/users{/:id}',
        'users-write': '* /api/v2/users{/:id}',
        logs: 'GET /api/v2/logs{/:id}',
        management: '* /api/v2/*rest',
        ...AUTHENTICATION,
      },
      limits: [
        bucket(
          'management',
          numbers.managementBurst,
          numbers.managementPerMinute,
          apart ? ['management'] : ['management', 'users-read', 'users-write', 'logs'],
        ),
        bucket(
          'authentication',
          numbers.authenticationBurst,
          numbers.authenticationPerMinute,
          Object.keys(AUTHENTICATION),
        ),
        ...(apart
          ? [
              bucket('users-read', numbers.userReadsBurst, numbers.userReadsPerMinute, ['users-read']),
              bucket('users-write', numbers.userWritesBurst, numbers.userWritesPerMinute, ['users-write']),
              bucket('logs', numbers.logsBurst, numbers.logsPerMinute, ['logs']),
            ]
          : []),
      ],
      reading: {
        // Without scopes: the figures are those of the endpoint that was called, and belong to the limit of its route.
        windows: [
          { ...family(X_RATELIMIT, 'tenant'), reset: { from: `${X_RATELIMIT}-reset`, as: 'epoch-seconds' } },
          ...['client', 'organization'].flatMap((whose) =>
            ['per_hour', 'per_day'].map((period) => tokenQuota(whose, period)),
          ),
        ],
        rules: RULES,
      },
    };
  },
  notes: {
    refused: [
      '429 with `errorCode` (Management API) or `error` (Authentication API) `too_many_requests`',
      '500 of `/oauth/token` with `error_description` `Global limit has been reached`; its headers are those of another bucket',
      '429 `too_many_attempts` is about one user who failed to sign in too often: no limit of the tenant, and no wait repairs it',
    ],
    told: [
      '`x-ratelimit-limit`, `x-ratelimit-remaining`: of the endpoint that was called',
      '`x-ratelimit-reset`: seconds since 1970, when the next call is added to the bucket, not when it is full',
      '`Auth0-Client-Quota-Limit` and `Auth0-Organization-Quota-Limit`: access tokens for machines, `b=per_hour;q=100;r=90;t=3600,b=per_day;...`, `t` in seconds from now',
      '`Retry-After` in seconds on a 429 of the Management API',
    ],
    resend: ['a 429 has not been done: safe to send again', '`too_many_attempts` is never sent again'],
    traps: [
      'buckets are filled by the second or by the minute, not all the time: right after a burst a call may be refused that a steady bucket would let through',
      'many endpoints have limits of their own, above all those of organisations; of these only users and logs of the plan essentials are in the contract',
      'paths of the Authentication API that are not among the routes have no limit here',
      'limits by IP address, by user and by e-mail address are not in the contract',
      'tenants of a private cloud: give your own numbers',
    ],
    unconfirmed: ['the 500: told by users in the forum'],
  },
});
