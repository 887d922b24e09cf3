import type {
  QuotaView,
  SimulatedAnswer,
  SimulatedLimit,
  SimulatedRequest,
  SimulatorOptions,
} from 'nestjs-sluice/testing';

const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;

/** `/rest/api/3/issue/ABC-1/comment/7` is an endpoint with two ids. */
const ID = /^(?:[A-Z][A-Z\d]*-)?\d+$/;
const endpointOf = ({ method, path }: SimulatedRequest): string =>
  `${method} ${path
    .split('/')
    .map((part, at) => (at > 3 && ID.test(part) ? '{id}' : part))
    .join('/')}`;

/** Of the endpoints that have a number of their own. */
const OWN: Readonly<Record<string, number>> = {
  'GET /rest/api/3/issue/{id}': 150,
  'GET /rest/api/3/issue/{id}/changelog': 200,
  'GET /rest/api/3/user': 150,
  'PUT /rest/api/3/component/{id}': 500,
};

function perSecondOf(request: SimulatedRequest): number {
  return OWN[endpointOf(request)] ?? (request.method === 'GET' || request.method === 'POST' ? 100 : 50);
}

const tenantOf = ({ headers }: SimulatedRequest): string => headers['authorization'] ?? '';
const issueOf = ({ path }: SimulatedRequest): string | undefined => /\/issue\/([A-Z][A-Z\d]*-\d+)/.exec(path)?.[1];
const changesIssue = (request: SimulatedRequest): boolean => request.method !== 'GET' && issueOf(request) !== undefined;

/** A token of an endpoint's bucket for each request. How large buckets are is not told: here they hold what a second brings. */
const burst = (limit: number): SimulatedLimit => ({
  kind: 'token-bucket',
  name: `${limit} a second`,
  burst: limit,
  limit,
  perMs: SECOND_MS,
  applies: (request) => perSecondOf(request) === limit,
  partition: (request) => `${tenantOf(request)} ${endpointOf(request)}`,
});

const writes = (limit: number, perMs: number): SimulatedLimit => ({
  kind: 'sliding-window',
  name: `writes in ${perMs / SECOND_MS} s`,
  limit,
  perMs,
  applies: changesIssue,
  partition: (request) => `${tenantOf(request)} ${issueOf(request)}`,
});

const LISTS = ['issues', 'values'] as const;

/** A point for the request, and for each object that is read: two where it is a person. */
function pointsOf({ method, path }: SimulatedRequest, { body }: SimulatedAnswer): number {
  if (method !== 'GET') return 1;
  const each = /\/(?:user|group|myself)\b/.test(path) ? 2 : 1;
  const fields = body as Readonly<Record<string, readonly unknown[] | undefined>>;
  const objects = LISTS.map((name) => fields[name]?.length).find((length) => length !== undefined) ?? 1;
  return 1 + each * objects;
}

/**
 * Jira Cloud, as an app of the global pool meets it: points by the hour of the clock; calls a second of each endpoint, method and
 * tenant; writes to one issue. When points are charged is not told: here one as a request comes, the others as it is answered.
 *
 * @param found issues that a search finds, of the fifty of a page
 */
export function jira({ pointsPerHour = 65_000, found = 5 } = {}): SimulatorOptions {
  const page = { total: found, isLast: true };
  return {
    limits: [
      {
        kind: 'fixed-window',
        name: 'points',
        limit: pointsPerHour,
        perMs: HOUR_MS,
        align: 'clock',
        actualCost: pointsOf,
      },
      ...[50, 100, 150, 200, 500].map(burst),
      writes(20, 2 * SECOND_MS),
      writes(100, 30 * SECOND_MS),
    ],
    latencyMs: ({ method }) => (method === 'GET' ? 200 : 350),
    routes: {
      'GET /rest/api/3/search/jql': () => ({ status: 200, body: { ...page, issues: Array(found).fill({}) } }),
      'GET /rest/api/3/group/member': () => ({ status: 200, body: { values: Array(found).fill({}) } }),
      'GET /rest/api/3/*rest': () => ({ status: 200, body: {} }),
      'POST /rest/api/3/*rest': () => ({ status: 201, body: {} }),
      'PUT /rest/api/3/*rest': () => ({ status: 204 }),
      'DELETE /rest/api/3/*rest': () => ({ status: 204 }),
    },
    refusal: { body: { errorMessages: ['Rate limit exceeded.'], errors: {} } },
    quotaHeaders: told,
  };
}

/** Of the points what is left stands there only when it is less than a fifth. Which limit refused, the simulator cannot put in a header. */
function told({ limits }: QuotaView): Record<string, string> {
  const points = limits.find(({ name }) => name === 'points');
  const second = limits.find(({ name }) => name.endsWith('a second'));
  if (points === undefined || second === undefined) return {};
  const near = points.remaining < points.limit / 5;
  const left = near ? `;r=${points.remaining}` : '';
  return {
    'X-RateLimit-Limit': String(second.limit),
    'X-RateLimit-Remaining': String(second.remaining),
    ...(near ? { 'X-RateLimit-NearLimit': 'true' } : {}),
    'RateLimit-Policy': `"global-app-quota";q=${points.limit};w=3600`,
    RateLimit: `"global-app-quota"${left};t=${Math.ceil((points.resetUs ?? 0) / 1_000_000)}`,
    'Beta-RateLimit-Policy': `"jira-burst-based";q=${second.limit};w=1`,
    'Beta-RateLimit': `"jira-burst-based";r=${second.remaining};t=1`,
  };
}
