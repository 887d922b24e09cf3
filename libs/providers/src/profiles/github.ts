import { concurrency, fixedWindow, slidingWindow, type RequestView } from '../../../core/src/index.js';
import { family, type Rules, X_RATELIMIT } from '../fields.js';
import { mutates } from '../graphql.js';
import { profile } from '../profile.js';

const DOCS = 'https://docs.github.com/en';

/** Searches by their paths, for those that no base URL leads to: on a server of one's own. */
const SEARCH = /^(?:\/api\/v3)?\/search\//;
const SEARCH_ROUTES: readonly (string | null)[] = ['search', 'code-search'];

/** Behind a proxy the path has more before it than the route has. */
const searches = ({ path, route }: RequestView): boolean => SEARCH_ROUTES.includes(route) || SEARCH.test(path);

/** As Octokit has it: what notifies people. */
const CONTENT =
  /\/(?:issues|pulls|releases|discussions|invitations|comments|replies|reviews|requested_reviewers|merge)$|\/collaborators\/[^/]+$/;

/** What is apart (GraphQL, searches, how much is left) takes no request of the hour. */
function units(request: RequestView) {
  const { method, path } = request;
  const none = { requests: 0, searches: 1, points: 1, 'rest-points': 0, 'graphql-points': 1, content: 0 };
  if (path.endsWith('/graphql')) return { ...none, 'graphql-points': mutates(request) ? 5 : 1 };
  const reads = /^(?:GET|HEAD|OPTIONS)$/.test(method);
  return {
    ...none,
    requests: searches(request) || path.endsWith('/rate_limit') ? 0 : 1,
    'rest-points': reads ? 1 : 5,
    content: !reads && CONTENT.test(path) ? 1 : 0,
  };
}

const RULES: Rules = [
  ...['message', 'errors[].message'].map((path) => ({
    when: { body: { [path]: { matches: 'secondary rate limit|abuse detection' } } },
    limited: true,
    kind: 'secondary',
    scope: 'secondary',
    waitMs: 60_000,
  })),
  { when: { status: 403, hinted: true }, limited: true, kind: 'secondary', scope: 'secondary' },
  { when: { status: 429, remaining: 'some' }, kind: 'secondary', scope: 'secondary', waitMs: 60_000 },
  {
    when: { status: 403, body: { message: { matches: '^API rate limit exceeded' } } },
    limited: true,
    kind: 'rate',
  },
  { when: { body: { 'errors[].type': 'RATE_LIMITED' } }, limited: true, kind: 'rate' },
];

export const GITHUB = profile({
  name: 'github',
  title: 'GitHub (REST and GraphQL)',
  sources: [
    { url: `${DOCS}/rest/using-the-rest-api/rate-limits-for-the-rest-api`, checked: '2026-11-30' },
    { url: `${DOCS}/graphql/overview/rate-limits-and-query-limits-for-the-graphql-api`, checked: '2026-11-30' },
    { url: `${DOCS}/rest/search/search`, checked: '2026-11-30' },
    { url: `${DOCS}/webhooks/using-webhooks/validating-webhook-deliveries`, checked: '2026-11-30' },
  ],
  choices: {
    account: {
      values: ['user', 'enterprise', 'actions'],
      value: 'user',
      what: 'whose token: of a user or an installation; of one of Enterprise Cloud; `GITHUB_TOKEN` of a workflow',
    },
  },
  numbers: {
    perHour: {
      value: { by: 'account', of: { user: 5_000, enterprise: 15_000, actions: 1_000 } },
      what: 'REST requests an hour and account, searches apart',
    },
    graphqlPerHour: {
      value: { by: 'account', of: { user: 5_000, enterprise: 10_000, actions: 1_000 } },
      what: 'points of GraphQL queries an hour and account',
    },
    searchPerMinute: { value: 30, what: 'searches a minute and account, those in code apart' },
    codeSearchPerMinute: { value: 10, what: 'searches in code, a minute and account' },
    restPointsPerMinute: { value: 900, what: 'secondary points of REST a minute and account: a read 1, a write 5' },
    graphqlPointsPerMinute: {
      value: 2_000,
      what: 'secondary points of GraphQL a minute and account: a query 1, a mutation 5',
    },
    contentPerMinute: { value: 80, what: 'requests that create content, a minute and account' },
    contentPerHour: { value: 500, what: 'requests that create content, an hour and account' },
    concurrent: { value: 100, what: 'calls under way at once, REST and GraphQL together', whole: true },
  },
  contract: (n) => ({
    http: { baseURL: 'https://api.github.com' },
    dimensions: ['account'],
    routes: { graphql: 'POST /graphql', 'code-search': 'GET /search/code', search: 'GET /search/:what' },
    limits: [
      fixedWindow({ name: 'hour', limit: n.perHour, per: '1h' }),
      fixedWindow({ name: 'graphql', unit: 'points', limit: n.graphqlPerHour, per: '1h', routes: ['graphql'] }),
      fixedWindow({ name: 'search', unit: 'searches', limit: n.searchPerMinute, per: '1m', routes: ['search'] }),
      fixedWindow({
        name: 'code-search',
        unit: 'searches',
        limit: n.codeSearchPerMinute,
        per: '1m',
        routes: ['code-search'],
      }),
      // Counted per endpoint at GitHub; one count for all of them is on the safe side.
      slidingWindow({ name: 'rest-minute', unit: 'rest-points', limit: n.restPointsPerMinute, per: '1m' }),
      slidingWindow({
        name: 'graphql-minute',
        unit: 'graphql-points',
        limit: n.graphqlPointsPerMinute,
        per: '1m',
        routes: ['graphql'],
      }),
      slidingWindow({ name: 'content-minute', unit: 'content', limit: n.contentPerMinute, per: '1m' }),
      slidingWindow({ name: 'content-hour', unit: 'content', limit: n.contentPerHour, per: '1h' }),
      concurrency({ name: 'concurrent', limit: n.concurrent }),
    ],
    units,
    graphql: true,
    reading: {
      scopes: {
        core: 'hour',
        graphql: 'graphql',
        search: 'search',
        code_search: 'code-search',
        secondary: 'rest-minute',
      },
      windows: [family(X_RATELIMIT, { from: 'x-ratelimit-resource' })],
      cost: { body: 'data.rateLimit.cost' },
      costUnit: 'points',
      rules: RULES,
    },
  }),
  notes: {
    refused: [
      'REST, primary: 403 or 429 with `x-ratelimit-remaining: 0`',
      'GraphQL, primary: 200 with `errors[].type` `RATE_LIMITED` and `x-ratelimit-remaining: 0`',
      'secondary: 403 or 429 (GraphQL: 200 or 403), told by the message only; `Retry-After` may be missing or blank, then at least a minute',
    ],
    told: [
      '`x-ratelimit-limit`, `-remaining`, `-used`: requests, or points of GraphQL; `-reset`: seconds since 1970; `-resource`: which limit',
      'nothing tells what is left of the secondary limits',
    ],
    cost: [
      'GraphQL: 1 before; after it `data.rateLimit.cost`, where the query asks for it',
      'secondary points: a read 1, a write 5; a GraphQL query 1, a mutation 5; some endpoints differ, unpublished',
      '`GET /rate_limit` costs no request, but a secondary point',
    ],
    resend: [
      'a refused call has not been done',
      'a 502 or 504 of GraphQL ran into 10 seconds; it costs points in the next hour',
    ],
    traps: [
      'all tokens of a user count together; an installation gains 50 an hour for each repository and user above 20, up to 12,500: give `perHour`',
      'without a token: 60 an hour and IP address, 10 searches a minute',
      '90 seconds of CPU time a minute, 60 of them GraphQL: no contract can hold it',
      'content is counted by the paths that Octokit slows down, mutations of GraphQL are not; the web interface counts too',
      "of a server of your own give the route of GraphQL: `routes: { graphql: 'POST /api/graphql' }`",
      'a server of your own has no limits unless its administrator sets them',
      'going on while refused may ban the integration',
    ],
  },
  webhooks: [
    {
      signatureHeader: 'x-hub-signature-256',
      signed: 'raw body',
      algorithm: 'hmac-sha256',
      encoding: 'hex',
      tolerance: null,
    },
  ],
});
