import { type AnswerView, fixedWindow, slidingWindow, tokenBucket } from '../../../core/src/index.js';
import { family, type Rules, X_RATELIMIT } from '../fields.js';
import { profile } from '../profile.js';
import { ASKED_BY_POST, ISSUE_WRITES, perSecondOf, ROUTES } from './jira-endpoints.js';
import { pointsAfter, pointsBefore } from './jira-points.js';

const DOCS = 'https://developer.atlassian.com/cloud/jira/platform';

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

/** A refusal for the calls of an endpoint a second is about the limit of that endpoint. */
function burstOf({ status, headers, request: { route } }: AnswerView) {
  if (status !== 429 || route === null) return undefined;
  const reason = Object.entries(headers).find(([name]) => name.toLowerCase() === 'ratelimit-reason')?.[1];
  return reason === 'jira-burst-based' ? { limited: true, kind: 'rate', scope: `burst:${route}` } : undefined;
}

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
      only: { by: 'access', in: ['app'] },
      unconfirmed: true,
    },
    perSecond: {
      value: 100,
      what: 'GETs or POSTs a second, endpoint and tenant, where Jira names no number for the endpoint',
      unconfirmed: true,
    },
    changesPerSecond: {
      value: 50,
      what: 'PUTs or DELETEs a second, endpoint and tenant, where Jira names no number for the endpoint',
      unconfirmed: true,
    },
    issueWritesPer2Seconds: { value: 20, what: 'writes to one issue in two seconds', unconfirmed: true },
    issueWritesPer30Seconds: { value: 100, what: 'writes to one issue in thirty seconds', unconfirmed: true },
  },
  contract: ({ access, tier, pointsPerHour, ...numbers }) => {
    const app = access === 'app';
    const pool = tier === 'global' ? { countedBy: [] } : { countedBy: ['tenant'] };
    const endpoints = Object.keys(ROUTES);
    const toOneIssue = { unit: 'writes', routes: ISSUE_WRITES };
    return {
      dimensions: ['tenant', 'issue'],
      routes: ROUTES,
      limits: [
        ...(app
          ? [fixedWindow({ name: 'hour', unit: 'points', limit: pointsPerHour, per: '1h', align: 'clock', ...pool })]
          : []),
        slidingWindow({ name: 'issue-2s', limit: numbers.issueWritesPer2Seconds, per: '2s', ...toOneIssue }),
        slidingWindow({ name: 'issue-30s', limit: numbers.issueWritesPer30Seconds, per: '30s', ...toOneIssue }),
        ...endpoints.map((name) => {
          const limit = perSecondOf(name, numbers.perSecond, numbers.changesPerSecond);
          // `calls`, not requests: what `X-RateLimit-Remaining` tells of a second is over when it is read.
          return tokenBucket({
            name,
            unit: 'calls',
            burst: limit,
            limit,
            per: '1s',
            countedBy: ['tenant'],
            routes: [name],
          });
        }),
      ],
      ...(app ? { units: (request) => ({ points: pointsBefore(request) }), settleUnits: pointsAfter } : {}),
      classify: burstOf,
      safe: ['GET *', 'HEAD *', 'OPTIONS *', ...ASKED_BY_POST],
      reading: {
        scopes: {
          ...Object.fromEntries(endpoints.map((name) => [`burst:${name}`, name])),
          issue: 'issue-30s',
          'jira-per-issue-on-write': 'issue-30s',
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
      '`X-RateLimit-Limit`, `-Remaining`: requests a second, or points; `-Reset`, on 429: ISO 8601, sometimes without seconds; `-NearLimit: true` below a fifth',
      'what is told of a second is over when it is read: it is shown, and lowers no limit',
      '`Retry-After` in seconds, on 429 and some 503',
    ],
    cost: [
      'before: a write 1; a read 1 and one for each object that it may have: `maxResults`, the ids that are asked for, 50 of a search, else one; of users, groups, roles and permissions two for each',
      'after: 1 and one or two for each object of the answer',
    ],
    resend: ['a refused call has not been done', 'a 503 with `Retry-After` is no limit; writes are not repeated'],
    traps: [
      'writes to one issue need `issue` in their partition, everything else `tenant` alone; who never comes near 20 writes to an issue in two seconds leaves it out: `limits: (known) => known.filter(({ unit }) => unit !== "writes")`',
      'a link is a write to two issues and is counted for neither; a write through another API (boards, service management) is not counted for its issue',
      'calls a second are of one endpoint, method and tenant, over all apps and tokens; endpoints that have no route here share one count for each method, and all of GraphQL has none: add them as a route and, by `limits: (known) => [...known, ...]`, a limit of your own',
      'no base URL: give `http.baseURL` of the site, or `https://api.atlassian.com/ex/jira/<cloudId>`',
      'refusals with reasons that no page tells of have been seen: `jira-cost-based`, with `X-RateLimit-Limit` 300,000 an hour; once `r` was 0, `t` was too long by minutes',
      'a refusal at the gateway has `X-Failure-Category` and no `Retry-After`',
      'only webhooks registered by an administrator are signed so',
    ],
    unconfirmed: [
      'the numbers: as of a copy of the whole page of 2026-08-12, and of quotations of it up to 2026-10-09; the page itself was seen in part',
      'how large the bucket of an endpoint is (taken for the calls of one second; the page has an example of ten seconds), and whether it is filled all the time or once a second',
      'which writes are to an issue: taken for all below its path',
      'that searches by POST cost like reads, as apps have measured; others find some reads cheaper, and permissions far dearer',
      'at which moment points are charged, and what a read costs that fails',
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
