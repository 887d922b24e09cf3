import type { ProviderContract, RequestView } from '../../../core/src/index.js';
import { asana, github, gitlab, jira, vimeo } from '../index.js';

const view = (method: string, path: string, rest: Partial<RequestView> = {}): RequestView => ({
  method,
  path,
  query: {},
  headers: {},
  body: undefined,
  route: null,
  ...rest,
});

/** What a request costs before it is sent, without what costs nothing. */
function cost({ resolved }: ProviderContract, ...request: Parameters<typeof view>): object {
  const units = resolved.options.units?.(view(...request)) ?? {};
  return Object.fromEntries(Object.entries(units).filter(([, each]) => each !== 0));
}

describe('GitHub', () => {
  it('takes requests from the hour, searches from their own minute, and secondary points for all', () => {
    expect(cost(github(), 'GET', '/repos/o/r/issues')).toEqual({ requests: 1, 'rest-points': 1 });
    expect(cost(github(), 'PATCH', '/repos/o/r/issues/1')).toEqual({ requests: 1, 'rest-points': 5 });
    expect(cost(github(), 'GET', '/search/issues')).toEqual({ search: 1, 'rest-points': 1 });
    expect(cost(github(), 'GET', '/api/v3/search/code')).toEqual({ 'code-search': 1, 'rest-points': 1 });
    expect(cost(github(), 'GET', '/repos/o/search/code')).toEqual({ requests: 1, 'rest-points': 1 });
    expect(cost(github(), 'GET', '/rate_limit')).toEqual({ 'rest-points': 1 });
  });

  it('counts what creates content, and no other write', () => {
    for (const path of ['/repos/o/r/issues', '/repos/o/r/issues/1/comments', '/repos/o/r/pulls/2/reviews']) {
      expect(cost(github(), 'POST', path)).toMatchObject({ content: 1 });
    }
    expect(cost(github(), 'PUT', '/repos/o/r/collaborators/somebody')).toMatchObject({ content: 1 });
    expect(cost(github(), 'POST', '/repos/o/r/git/refs')).toEqual({ requests: 1, 'rest-points': 5 });
  });

  it('takes points for GraphQL, five secondary ones for a mutation', () => {
    expect(cost(github(), 'POST', '/graphql', { body: { query: '{ viewer { id } }' } })).toEqual({
      points: 1,
      'graphql-points': 1,
    });
    expect(cost(github(), 'POST', '/graphql', { body: { query: 'mutation { a { b } }' } })).toEqual({
      points: 1,
      'graphql-points': 5,
    });
  });
});

describe('GitLab', () => {
  it('counts notes, issues and searches besides the request', () => {
    expect(cost(gitlab(), 'POST', '/api/v4/projects/7/issues/3/notes')).toEqual({ requests: 1, notes: 1 });
    expect(cost(gitlab(), 'POST', '/api/v4/projects/7/issues')).toEqual({ requests: 1, issues: 1 });
    expect(cost(gitlab(), 'GET', '/api/v4/projects/7/issues')).toEqual({ requests: 1 });
    expect(cost(gitlab(), 'GET', '/api/v4/projects/7/search')).toEqual({ requests: 1, search: 1 });
    expect(cost(gitlab(), 'GET', '/api/v4/projects')).toEqual({ requests: 1, projects: 1 });
  });
});

describe('Jira', () => {
  const settled = (request: RequestView, body: unknown, status = 200) =>
    jira().resolved.options.settleUnits?.({ status, headers: {}, body, request });

  it('takes a point for a write, two for a read, three for a read of people', () => {
    expect(cost(jira(), 'POST', '/rest/api/3/issue')).toEqual({ points: 1, burst: 1 });
    expect(cost(jira(), 'GET', '/rest/api/3/issue/ABC-123')).toEqual({ points: 2, burst: 1 });
    expect(cost(jira(), 'POST', '/rest/api/3/search/jql')).toEqual({ points: 2, burst: 1 });
    expect(cost(jira(), 'GET', '/rest/api/3/user')).toEqual({ points: 3, burst: 1 });
    expect(cost(jira(), 'DELETE', '/rest/api/3/issue/ABC-123')).toEqual({ points: 1, burst: 2 });
  });

  it('corrects it by the objects of the answer', () => {
    const members = { values: Array.from({ length: 8 }, () => ({})) };
    expect(settled(view('GET', '/rest/api/3/group/member'), members)).toEqual({ points: 17 });
    expect(settled(view('GET', '/rest/api/3/issue/ABC-123'), { key: 'ABC-123' })).toEqual({ points: 2 });
    expect(settled(view('POST', '/rest/api/3/search/jql'), { issues: [{}, {}, {}] })).toEqual({ points: 4 });
    expect(settled(view('GET', '/rest/api/3/issue/NO-1'), { errorMessages: [] }, 404)).toBeUndefined();
    expect(settled(view('POST', '/rest/api/3/issue'), { key: 'ABC-124' }, 201)).toBeUndefined();
  });

  it('has no points for an API token', () => {
    expect(cost(jira({ auth: 'token' }), 'GET', '/rest/api/3/issue/ABC-123')).toEqual({ burst: 1 });
    expect(jira({ auth: 'token' }).resolved.limits.map(({ name }) => name)).toEqual(['burst']);
  });
});

describe('Asana', () => {
  it('counts a batch by its actions, whatever else stands in its place', () => {
    const batch = (body: unknown) => cost(asana(), 'POST', '/api/1.0/batch', { body });
    expect(batch({ data: { actions: [{}, {}, {}] } })).toEqual({ requests: 3 });
    for (const body of [undefined, null, 'text', 5, {}, { data: null }, { data: { actions: [] } }]) {
      expect(batch(body)).toEqual({ requests: 1 });
    }
    expect(cost(asana(), 'GET', '/api/1.0/workspaces/1/tasks/search')).toEqual({ requests: 1, search: 1 });
  });
});

describe('Vimeo', () => {
  it('counts a request for single fields half', () => {
    expect(cost(vimeo(), 'GET', '/me/videos', { query: { fields: 'uri' } })).toEqual({ requests: 0.5 });
    expect(cost(vimeo(), 'GET', '/me/videos')).toEqual({ requests: 1 });
  });
});
