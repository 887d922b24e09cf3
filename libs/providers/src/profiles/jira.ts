import { fixedWindow, tokenBucket, type AnswerView, type RequestView } from '../../../core/src/index.js';
import { family, type Rules, X_RATELIMIT } from '../fields.js';
import { profile } from '../profile.js';

const DOCS = 'https://developer.atlassian.com/cloud/jira/platform';

/** Asked by POST, paid for like a read. */
const ASKS = /\/(?:search(?:\/jql)?|bulkfetch)$/;
/** Users, groups, roles and permissions cost twice. */
const IDENTITY = /\/(?:users?|groups?|groupuserpicker|role|permissions|mypermissions|myself)\b/;
/** Where an answer has its list. */
const LISTS = ['issues', 'values', 'comments', 'worklogs', 'users', 'groups'];

const reads = ({ method, path }: RequestView): boolean => method === 'GET' || ASKS.test(path);

/** One, and what each object costs: at least one is asked for. */
function points(request: RequestView, objects: number): number {
  if (!reads(request)) return 1;
  return 1 + objects * (IDENTITY.test(request.path) ? 2 : 1);
}

/** Half as many changes as reads and creations a second are allowed. */
const burst = ({ method }: RequestView): number => (/^(?:GET|POST)$/.test(method) ? 1 : 2);

function settled({ status, body, request }: AnswerView): { points: number } | undefined {
  if (status !== 200 || !reads(request)) return undefined;
  const fields = (typeof body === 'object' && body !== null ? body : {}) as Readonly<Record<string, unknown>>;
  const lists = [body, ...LISTS.map((name) => fields[name])].filter((each) => Array.isArray(each));
  return { points: points(request, lists[0]?.length ?? 1) };
}

/** The structured fields without their IETF strictness: Jira leaves `r` out where much is left. */
const policy = (scope: string, prefix: string) => ({
  scope,
  remaining: { header: `${prefix}ratelimit`, pattern: `"${scope}"[^,]*;r=(\\d+)` },
  limit: { header: `${prefix}ratelimit-policy`, pattern: `"${scope}"[^,]*;q=(\\d+)` },
  reset: { from: { header: `${prefix}ratelimit`, pattern: `"${scope}"[^,]*;t=(\\d+)` }, as: 'seconds' as const },
  windowSeconds: { header: `${prefix}ratelimit-policy`, pattern: `"${scope}"[^,]*;w=(\\d+)` },
});

const POLICIES = ['global-app-quota', 'tenant-app-quota', 'jira-burst-based'];

const refused = (reason: string) => ({ status: 429, headers: { 'ratelimit-reason': reason } });

const RULES: Rules = [
  { when: refused('jira-burst-based'), kind: 'rate', scope: 'burst:endpoint+method' },
  { when: refused('jira-quota-global-based'), kind: 'quota', scope: 'quota:global' },
  { when: refused('jira-quota-tenant-based'), kind: 'quota', scope: 'quota:tenant' },
  { when: refused('jira-per-issue-on-write'), kind: 'rate', scope: 'issue' },
  { when: refused('jira-cost-based'), kind: 'quota', scope: 'cost' },
  {
    when: { status: 429, headers: { 'ratelimit-reason': { present: true } } },
    kind: 'rate',
    scope: { from: 'ratelimit-reason' },
  },
];

export const JIRA = profile({
  name: 'jira',
  title: 'Jira Cloud',
  sources: [
    { url: `${DOCS}/rate-limiting/`, checked: '2026-11-30' },
    { url: `${DOCS}/build-an-app-that-respects-rate-limits/`, checked: '2026-11-30' },
    { url: `${DOCS}/webhooks/`, checked: '2026-09-30' },
  ],
  choices: {
    access: {
      values: ['app', 'token'],
      value: 'app',
      what: 'an app (Forge, Connect, OAuth 2.0), or an API token, which has no points',
    },
    tier: {
      values: ['global', 'free', 'standard', 'premium', 'enterprise'],
      value: 'global',
      what: 'one pool for all tenants of the app, or, where Atlassian granted it, one for each by its edition',
    },
  },
  numbers: {
    pointsPerHour: {
      value: {
        by: 'tier',
        of: { global: 65_000, free: 65_000, standard: 100_000, premium: 130_000, enterprise: 150_000 },
      },
      what: 'points an hour: of the app, or of each tenant, where 10, 20 or 30 are added for each user, up to 500,000',
      unconfirmed: true,
    },
    perSecond: {
      value: 100,
      what: 'reads and creations a second and tenant; a PUT or DELETE counts as two',
      unconfirmed: true,
    },
  },
  contract: ({ access, tier, pointsPerHour, perSecond }) => {
    const app = access === 'app';
    const pool = tier === 'global' ? { countedBy: [] } : {};
    return {
      dimensions: ['tenant'],
      limits: [
        ...(app
          ? [fixedWindow({ name: 'hour', unit: 'points', limit: pointsPerHour, per: '1h', align: 'clock', ...pool })]
          : []),
        // Counted per endpoint and method at Jira; one count for all of a tenant is on the safe side.
        tokenBucket({ name: 'burst', unit: 'burst', burst: perSecond, limit: perSecond, per: '1s' }),
      ],
      units: (request) => ({ burst: burst(request), ...(app ? { points: points(request, 1) } : {}) }),
      ...(app ? { settleUnits: settled } : {}),
      reading: {
        scopes: {
          'burst:endpoint+method': 'burst',
          'jira-burst-based': 'burst',
          ...(app
            ? {
                'quota:global': 'hour',
                'quota:tenant': 'hour',
                'jira-quota-global-based': 'hour',
                'jira-quota-tenant-based': 'hour',
                'global-app-quota': 'hour',
                'tenant-app-quota': 'hour',
              }
            : {}),
        },
        waits: ['retry-after', 'beta-retry-after'],
        windows: [
          family(X_RATELIMIT, { from: 'ratelimit-reason' }),
          ...['', 'beta-'].flatMap((prefix) => POLICIES.map((name) => policy(name, prefix))),
        ],
        nearLimit: { from: 'x-ratelimit-nearlimit', is: true },
        rules: RULES,
      },
    };
  },
  notes: {
    refused: [
      '429; `RateLimit-Reason` names the limit: `jira-quota-global-based`, `jira-quota-tenant-based`, `jira-burst-based`, `jira-per-issue-on-write`',
      'spent points refuse everything until the next full hour UTC',
    ],
    told: [
      '`RateLimit-Policy` and `RateLimit` (with `Beta-` before them until enforced): `q` points, `r` left, `t` seconds; `r` is left out while much is left',
      '`X-RateLimit-Limit`, `-Remaining`: requests a second, or points; `-Reset`: ISO 8601, sometimes without seconds; `-NearLimit: true` below a fifth',
      '`Retry-After` in seconds, on 429 and some 503',
    ],
    cost: [
      'before: a write 1, a read 2, of users, groups, roles and permissions 3',
      'after: 1 and one for each object of the answer, two for each user, group, role or permission',
    ],
    resend: ['a refused call has not been done', 'a 503 with `Retry-After` is no limit; writes are not repeated'],
    traps: [
      'writes to one issue: 20 in 2 seconds, 100 in 30; not held: their refusal pauses the whole tenant for the seconds it tells',
      'limits a second are of one endpoint, method and tenant, over all apps and tokens; some endpoints have 5 to 500 of their own; the size of the bucket is unpublished',
      'no base URL: give `http.baseURL` of the site, or `https://api.atlassian.com/ex/jira/<cloudId>`',
      'refusals with reasons that no page tells of have been seen: `jira-cost-based`, with `X-RateLimit-Limit` 300,000 an hour; once `r` was 0, `t` was too long by minutes',
      'a refusal at the gateway has `X-Failure-Category` and no `Retry-After`',
      'only webhooks registered by an administrator are signed so',
    ],
    unconfirmed: [
      'the numbers: as of a copy of the page that quotes it, of 2026-10-09; the page itself was seen in part',
      'that searches by POST cost like reads, as apps have measured; others find some reads cheaper, and permissions far dearer',
      'that the enforcement of points is complete',
      'the signature of webhooks',
    ],
  },
  webhooks: [
    {
      signatureHeader: 'x-hub-signature',
      signed: 'raw body; the header has `sha256=` before it',
      algorithm: 'hmac-sha256',
      encoding: 'hex',
      tolerance: null,
      unconfirmed: true,
    },
  ],
});
