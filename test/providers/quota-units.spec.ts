import { matchRoute } from '../../libs/core/src/contract/match-route.js';
import { unitsOf } from '../../libs/core/src/contract/units.js';
import type { ProviderContract, RequestView } from '../../libs/core/src/index.js';
import { asana, github, gitlab, vimeo } from '../../libs/providers/src/index.js';

const view = (method: string, path: string, rest: Partial<RequestView> = {}): RequestView => ({
  method,
  path,
  query: {},
  headers: {},
  body: undefined,
  route: null,
  ...rest,
});

/** What a request is charged to before it is sent, by the names of limits that count over time. */
function charges(contract: ProviderContract, ...request: Parameters<typeof view>): object {
  const { resolved } = contract;
  const seen = view(...request);
  const route = matchRoute(resolved, seen.method, seen.path);
  const units = unitsOf(resolved, { ...seen, route }, undefined, () => undefined);
  const applied = resolved.limits.filter(({ kind, routes }) => kind !== 'concurrency' && applies(routes, route));
  return Object.fromEntries(applied.map(({ name, unit }) => [name, units[unit]]).filter(([, cost]) => cost !== 0));
}

const applies = (routes: readonly string[] | null, route: string | null): boolean =>
  routes === null || (route !== null && routes.includes(route));

describe('GitHub', () => {
  it('takes requests from the hour, searches from their own minute, and secondary points for all', () => {
    expect(charges(github(), 'GET', '/repos/o/r/issues')).toEqual({ hour: 1, 'rest-minute': 1 });
    expect(charges(github(), 'PATCH', '/repos/o/r/issues/1')).toEqual({ hour: 1, 'rest-minute': 5 });
    expect(charges(github(), 'GET', '/search/issues')).toEqual({ search: 1, 'rest-minute': 1 });
    expect(charges(github(), 'GET', '/search/code')).toEqual({ 'code-search': 1, 'rest-minute': 1 });
    expect(charges(github(), 'GET', '/repos/o/search/code')).toEqual({ hour: 1, 'rest-minute': 1 });
    expect(charges(github(), 'GET', '/rate_limit')).toEqual({ 'rest-minute': 1 });
  });

  it.each([
    undefined,
    'https://github.example.com/api/v3',
    'https://proxy.example.com/github',
    'https://proxy.example.com/a/api/v3/b',
  ])('takes no request of the hour for a search below the base URL %s', (baseURL) => {
    const contract = github(baseURL === undefined ? {} : { http: { baseURL } });
    const below = baseURL === undefined ? '' : new URL(baseURL).pathname;
    expect(charges(contract, 'GET', `${below}/search/issues`)).toEqual({ search: 1, 'rest-minute': 1 });
    expect(charges(contract, 'GET', `${below}/search/code`)).toEqual({ 'code-search': 1, 'rest-minute': 1 });
    expect(charges(contract, 'GET', `${below}/rate_limit`)).toEqual({ 'rest-minute': 1 });
    expect(charges(contract, 'GET', `${below}/repos/o/search/issues`)).toEqual({ hour: 1, 'rest-minute': 1 });
  });

  it('counts what creates content, and no other write', () => {
    for (const path of ['/repos/o/r/issues', '/repos/o/r/issues/1/comments', '/repos/o/r/pulls/2/reviews']) {
      expect(charges(github(), 'POST', path)).toMatchObject({ 'content-minute': 1, 'content-hour': 1 });
    }
    expect(charges(github(), 'PUT', '/repos/o/r/collaborators/somebody')).toMatchObject({
      'content-minute': 1,
      'content-hour': 1,
    });
    expect(charges(github(), 'POST', '/repos/o/r/git/refs')).toEqual({ hour: 1, 'rest-minute': 5 });
  });

  it('takes points for GraphQL, five secondary ones for a mutation', () => {
    expect(charges(github(), 'POST', '/graphql', { body: { query: '{ viewer { id } }' } })).toEqual({
      graphql: 1,
      'graphql-minute': 1,
    });
    expect(charges(github(), 'POST', '/graphql', { body: { query: 'mutation { a { b } }' } })).toEqual({
      graphql: 1,
      'graphql-minute': 5,
    });
  });
});

describe('GitLab', () => {
  it('counts notes, issues and searches besides the request', () => {
    expect(charges(gitlab(), 'POST', '/api/v4/projects/7/issues/3/notes')).toEqual({ minute: 1, notes: 1 });
    expect(charges(gitlab(), 'POST', '/api/v4/projects/7/issues')).toEqual({ minute: 1, issues: 1 });
    expect(charges(gitlab(), 'GET', '/api/v4/projects/7/issues')).toEqual({ minute: 1 });
    expect(charges(gitlab(), 'GET', '/api/v4/projects/7/search')).toEqual({ minute: 1, search: 1 });
    expect(charges(gitlab(), 'GET', '/api/v4/projects')).toEqual({ minute: 1, projects: 1 });
  });
});

describe('Asana', () => {
  it('counts a batch by its actions, whatever else stands in its place', () => {
    const batch = (body: unknown) => charges(asana(), 'POST', '/api/1.0/batch', { body });
    expect(batch({ data: { actions: [{}, {}, {}] } })).toEqual({ minute: 3 });
    for (const body of [undefined, null, 'text', 5, {}, { data: null }, { data: { actions: [] } }]) {
      expect(batch(body)).toEqual({ minute: 1 });
    }
    expect(charges(asana(), 'GET', '/api/1.0/workspaces/1/tasks/search')).toEqual({ minute: 1, search: 1 });
  });
});

describe('Vimeo', () => {
  it('counts a request for single fields half', () => {
    expect(charges(vimeo(), 'GET', '/me/videos', { query: { fields: 'uri' } })).toEqual({ minute: 0.5 });
    expect(charges(vimeo(), 'GET', '/me/videos')).toEqual({ minute: 1 });
  });
});
