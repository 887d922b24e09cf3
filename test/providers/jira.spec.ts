import { matchRoute } from '../../libs/core/src/contract/match-route.js';
import { isListedSafe } from '../../libs/core/src/contract/safety.js';
import { unitsOf } from '../../libs/core/src/contract/units.js';
import { type ProviderContract, readAnswer, type RequestView } from '../../libs/core/src/index.js';
import { readingToSeen, refusingLimit } from '../../libs/core/src/reading/seen.js';
import { jira } from '../../libs/providers/src/index.js';

const receivedAt = new Date('2026-11-30T12:00:00Z');

/** `PUT /rest/api/3/issue/ABC-1`, as functions of the contract see it. */
function view({ resolved }: ProviderContract, text: string, body?: unknown): RequestView {
  const [method = '', target = ''] = text.split(' ');
  const url = new URL(target, 'https://site.example');
  const { pathname: path } = url;
  const query = Object.fromEntries(url.searchParams);
  return { method, path, query, headers: {}, body, route: matchRoute(resolved, method, path) };
}

/** What a request is charged to before it is sent, by the names of the limits. */
function charges(contract: ProviderContract, text: string, body?: unknown): object {
  const { resolved } = contract;
  const request = view(contract, text, body);
  const units = unitsOf(resolved, request, undefined, () => undefined);
  return Object.fromEntries(
    resolved.limits
      .filter(({ routes }) => routes === null || (request.route !== null && routes.includes(request.route)))
      .map(({ name, unit }) => [name, units[unit]]),
  );
}

const WRITES = { 'issue-2s': 1, 'issue-30s': 1 };

describe('what a request to Jira is charged to', () => {
  it.each<[string, object]>([
    ['GET /rest/api/3/issue/ABC-1', { hour: 2, getIssue: 1 }],
    ['GET /rest/api/2/issue/10001/changelog', { hour: 2, getChangelog: 1 }],
    ['GET /rest/api/3/issue/ABC-1/watchers', { hour: 2, reads: 1 }],
    ['GET /rest/api/3/issue/createmeta/ABC/issuetypes', { hour: 2, getCreateMeta: 1 }],
    ['GET /rest/api/3/project/search', { hour: 51, searchProjects: 1 }],
    ['GET /rest/agile/1.0/board/7/issue', { hour: 51, getBoardIssues: 1 }],
    ['GET /rest/api/3/user', { hour: 3, getUser: 1 }],
    ['POST /rest/api/3/issue', { hour: 1, createIssue: 1 }],
    ['POST /rest/api/3/issue/bulk', { hour: 1, createIssues: 1 }],
    ['PUT /rest/api/3/issue/archive', { hour: 1, archiveIssues: 1 }],
    ['PUT /rest/api/3/issue/properties/done', { hour: 1, putProperties: 1 }],
    ['PUT /rest/api/3/issue/ABC-1', { hour: 1, editIssue: 1, ...WRITES }],
    ['DELETE /rest/api/3/issue/ABC-1', { hour: 1, deleteIssue: 1, ...WRITES }],
    ['POST /rest/api/3/issue/ABC-1/comment', { hour: 1, addComment: 1, ...WRITES }],
    ['PUT /rest/api/3/issue/ABC-1/comment/7', { hour: 1, updateComment: 1, ...WRITES }],
    ['POST /rest/api/3/issue/ABC-1/watchers', { hour: 1, postToIssue: 1, ...WRITES }],
    ['DELETE /rest/api/3/issue/ABC-1/worklog/7', { hour: 1, deleteFromIssue: 1, ...WRITES }],
    ['PUT /rest/api/3/field/7', { hour: 1, changes: 1 }],
    ['GET /rest/servicedeskapi/servicedesk/1/customer', { hour: 2, getCustomers: 1 }],
  ])('%s', (text, limits) => {
    expect(charges(jira(), text)).toEqual(limits);
  });

  it('is the same below a site, below an API root, and of many sites through api.atlassian.com', () => {
    const edited = { hour: 1, editIssue: 1, ...WRITES };
    const through = '/ex/jira/11111111-aaaa/rest/api/3/issue/ABC-1';
    const at = (baseURL: string) => jira({ http: { baseURL } });
    expect(charges(at('https://acme.atlassian.net'), 'PUT /rest/api/3/issue/ABC-1')).toEqual(edited);
    expect(charges(at('https://acme.atlassian.net/rest/api/3'), 'PUT /rest/api/3/issue/ABC-1')).toEqual(edited);
    expect(charges(at('https://api.atlassian.com'), `PUT ${through}`)).toEqual(edited);
    expect(charges(at('https://api.atlassian.com/ex/jira/11111111-aaaa'), `PUT ${through}`)).toEqual(edited);
  });

  it('has no points for an API token', () => {
    expect(charges(jira({ access: 'token' }), 'PUT /rest/api/3/issue/ABC-1')).toEqual({ editIssue: 1, ...WRITES });
    expect(jira({ access: 'token' }).resolved.limits.map(({ unit }) => unit)).not.toContain('points');
  });

  it('needs no issue where the limits of writes to one are left out', () => {
    const contract = jira({ limits: (known) => known.filter(({ unit }) => unit !== 'writes') });
    expect(charges(contract, 'PUT /rest/api/3/issue/ABC-1')).toEqual({ hour: 1, editIssue: 1 });
    expect(contract.resolved.limits.some(({ countedBy }) => countedBy.includes('issue'))).toBe(false);
  });

  it('counts reads of an endpoint by tenant, writes by issue too, and points of the global pool by nothing', () => {
    const countedBy = (name: string, tier?: 'standard') =>
      jira(tier && { tier }).resolved.limits.find((limit) => limit.name === name)?.countedBy;
    expect(countedBy('getIssue')).toEqual(['tenant']);
    expect(countedBy('issue-30s')).toEqual(['tenant', 'issue']);
    expect(countedBy('hour')).toEqual([]);
    expect(countedBy('hour', 'standard')).toEqual(['tenant']);
  });
});

describe('the points of Jira', () => {
  const before = (text: string, body?: unknown) => (charges(jira(), text, body) as { hour: number }).hour;
  const after = (text: string, body: unknown, status = 200) => {
    const contract = jira();
    const { settleUnits } = contract.resolved.options;
    return settleUnits?.({ status, headers: {}, body, request: view(contract, text) });
  };

  it('are set aside for as many objects as the answer may have', () => {
    expect(before('GET /rest/api/3/search/jql?jql=a')).toBe(51);
    expect(before('GET /rest/api/3/search/jql?maxResults=10')).toBe(11);
    expect(before('POST /rest/api/3/search/jql', { maxResults: 10 })).toBe(11);
    expect(before('POST /rest/api/3/issue/bulkfetch', { issueIdsOrKeys: ['A-1', 'A-2', 'A-3'] })).toBe(4);
    expect(before('GET /rest/api/3/group/member?groupname=g')).toBe(101);
    for (const odd of ['0', '-5', 'all', '']) expect(before(`GET /rest/api/3/search/jql?maxResults=${odd}`)).toBe(2);
    expect(before('GET /rest/api/3/search/jql?maxResults=1e9')).toBe(5_001);
  });

  it('are corrected by the objects of the answer', () => {
    expect(after('GET /rest/api/3/group/member', { values: Array(8).fill({}) })).toEqual({ points: 17 });
    expect(after('GET /rest/api/3/issue/ABC-123', { key: 'ABC-123' })).toEqual({ points: 2 });
    expect(after('POST /rest/api/3/search/jql', { issues: [{}, {}, {}] })).toEqual({ points: 4 });
    expect(after('GET /rest/api/3/search/jql', { errorMessages: [] }, 400)).toEqual({ points: 2 });
  });

  it('stay as they were set aside for a write, and where the objects of an answer cannot be counted', () => {
    expect(after('POST /rest/api/3/issue', { key: 'ABC-124' }, 201)).toBeUndefined();
    // Too long to be parsed.
    expect(after('GET /rest/api/3/search/jql', '{"issues":[')).toBeUndefined();
  });
});

it('a search of Jira by POST may be sent again, and no write', () => {
  const contract = jira();
  const safe = (text: string) => isListedSafe(contract.resolved, view(contract, text));
  expect(
    ['GET /rest/api/3/issue/A-1', 'POST /rest/api/3/search/jql', 'POST /rest/api/3/issue/bulkfetch'].filter(safe),
  ).toHaveLength(3);
  expect(['POST /rest/api/3/issue', 'POST /rest/api/3/issue/bulk', 'PUT /rest/api/3/issue/A-1'].filter(safe)).toEqual(
    [],
  );
});

describe('a refusal of Jira', () => {
  const answer = (reason: string, text: string, contract = jira()) => {
    const request = view(contract, text);
    const headers = { 'RateLimit-Reason': reason, 'Retry-After': '3', 'X-RateLimit-Remaining': '0' };
    const reading = readAnswer(contract, { status: 429, headers, receivedAt, request });
    return [reading.kind, reading.waitMs, refusingLimit(contract.resolved, reading, request.route)];
  };

  it('for the calls of an endpoint a second stops that endpoint alone', () => {
    const reason = 'jira-burst-based';
    expect(answer(reason, 'GET /rest/api/3/issue/ABC-1')).toEqual(['rate', 3_000, 'getIssue']);
    expect(answer(reason, 'PUT /rest/api/3/issue/ABC-1')).toEqual(['rate', 3_000, 'editIssue']);
    expect(answer(reason, 'GET /rest/api/3/priority')).toEqual(['rate', 3_000, 'reads']);
    expect(answer(reason, 'GET /wiki/page')).toEqual(['rate', 3_000, null]);
  });

  it('for writes to one issue stops writes to that issue', () => {
    expect(answer('jira-per-issue-on-write', 'PUT /rest/api/3/issue/ABC-1')).toEqual(['rate', 3_000, 'issue-30s']);
  });

  it('for spent points stops the whole pool', () => {
    expect(answer('jira-quota-global-based', 'GET /rest/api/3/field')).toEqual(['quota', 3_000, 'hour']);
    const tenant = jira({ tier: 'premium' });
    expect(answer('jira-quota-tenant-based', 'GET /rest/api/3/field', tenant)).toEqual(['quota', 3_000, 'hour']);
  });
});

it('what Jira tells of points lowers them, and what it tells of a second lowers nothing', () => {
  const contract = jira();
  const { route } = view(contract, 'GET /rest/api/3/issue/ABC-1');
  const headers = {
    'X-RateLimit-Limit': '150',
    'X-RateLimit-Remaining': '3',
    'RateLimit-Policy': '"global-app-quota";q=65000;w=3600',
    RateLimit: '"global-app-quota";r=11000;t=600',
    'Beta-RateLimit-Policy': '"jira-burst-based";q=150;w=1',
    'Beta-RateLimit': '"jira-burst-based";r=3;t=1',
  };
  const reading = readAnswer(contract, { status: 200, headers, receivedAt });
  expect(readingToSeen(contract.resolved, reading, route)).toEqual([
    { limitName: 'hour', remaining: 11_000, resetInMs: 600_000 },
  ]);
});
