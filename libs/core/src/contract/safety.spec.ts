import { defineProvider } from './define-provider.js';
import type { ProviderOptions, RequestView } from './options.js';
import { acceptsKey, safetyOf } from './safety.js';

function contract(options: Partial<ProviderOptions> = {}) {
  return defineProvider({ name: 'crm', limits: [], ...options }).resolved;
}

function request(method: string, path = '/', more: Partial<RequestView> = {}): RequestView {
  return { method, path, query: {}, headers: {}, body: undefined, route: null, ...more };
}

const bare = { hasKey: false };
const withKey = { hasKey: true };

describe('safety', () => {
  test('reads are safe by default, all else is a write', () => {
    const plain = contract();
    for (const method of ['GET', 'head', 'OPTIONS']) expect(safetyOf(plain, request(method), bare)).toBe('safe');
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'QUERY']) {
      expect(safetyOf(plain, request(method), bare)).toBe('unkeyed');
    }
  });

  test('the contract’s list replaces the default', () => {
    const listed = contract({ safe: ['HEAD *', 'POST /search/:kind', 'lookup'], routes: { lookup: 'POST /lookup' } });
    expect(safetyOf(listed, request('GET'), bare)).toBe('unkeyed');
    expect(safetyOf(listed, request('POST', '/search/contacts'), bare)).toBe('safe');
    expect(safetyOf(listed, request('PUT', '/search/contacts'), bare)).toBe('unkeyed');
    expect(safetyOf(listed, request('POST', '/lookup', { route: 'lookup' }), bare)).toBe('safe');
    expect(safetyOf(listed, request('POST', '/other'), bare)).toBe('unkeyed');
  });

  test('a pattern is read after the path of the base URL too', () => {
    const based = contract({ safe: ['POST /search'], http: { baseURL: 'https://api.example.test/v2' } });
    expect(safetyOf(based, request('POST', '/v2/search'), bare)).toBe('safe');
  });

  test('what the caller says beats the list, both ways', () => {
    expect(safetyOf(contract(), request('POST'), { ...bare, safeFlag: true })).toBe('safe');
    expect(safetyOf(contract(), request('GET'), { ...bare, safeFlag: false })).toBe('unkeyed');
  });

  test('a key makes a write keyed only where the provider honours keys', () => {
    expect(safetyOf(contract(), request('POST'), withKey)).toBe('unkeyed');
    expect(safetyOf(contract({ idempotency: 'unsupported' }), request('POST'), withKey)).toBe('unkeyed');
    expect(safetyOf(contract({ idempotency: {} }), request('POST'), withKey)).toBe('keyed');
    expect(safetyOf(contract({ idempotency: {} }), request('POST'), bare)).toBe('unkeyed');
    expect(safetyOf(contract({ idempotency: { methods: ['PUT'] } }), request('POST'), withKey)).toBe('unkeyed');
  });
});

describe('acceptsKey', () => {
  test('every write, where nothing is said', () => {
    const keyed = contract({ idempotency: {} });
    expect(acceptsKey(keyed, request('POST'))).toBe(true);
    expect(acceptsKey(keyed, request('DELETE'))).toBe(true);
    expect(acceptsKey(keyed, request('GET'))).toBe(false);
  });

  test('only the methods and routes named, where they are', () => {
    const keyed = contract({
      routes: { pay: 'PUT /payments/:id' },
      idempotency: { methods: ['post'], accepts: ['pay'] },
    });
    expect(acceptsKey(keyed, request('POST'))).toBe(true);
    expect(acceptsKey(keyed, request('PUT'))).toBe(false);
    expect(acceptsKey(keyed, request('PUT', '/payments/1', { route: 'pay' }))).toBe(true);
  });
});

describe('GraphQL documents sent by POST', () => {
  const graphql = contract({ graphql: true });
  const safety = (body: unknown, query: Record<string, unknown> = {}) =>
    safetyOf(graphql, request('POST', '/graphql', { body, query }), bare);

  test('are writes, where the contract does not say graphql: true', () => {
    expect(safetyOf(contract(), request('POST', '/graphql', { body: { query: '{ me }' } }), bare)).toBe('unkeyed');
  });

  test.each([
    ['shorthand', { query: '{ me { id } }' }],
    [
      'named',
      {
        query:
          'query Me($id: ID = "}", $o: In = {a: [1, 2]}) @live(if: true) { me(id: $id) { ...F } } fragment F on User { id }',
      },
    ],
    ['a text body', JSON.stringify({ query: 'query { me }' })],
    [
      'strings and comments that look like operations',
      { query: '# mutation M { a }\nquery Q { a(t: "mutation { b }", u: """ } mutation \\""" "" { """) }' },
    ],
    ['one of several, by name', { query: 'mutation M { a } query Q { b }', operationName: 'Q' }],
    ['a batch of queries', [{ query: '{ a }' }, { query: 'query { b }' }]],
    ['numbers of every form', { query: '{ a(n: -1.5e+3) }' }],
    ['several, all of them queries', { query: 'query A { a } query B { b }' }],
  ])('are safe when they certainly select a query: %s', (_, body) => {
    expect(safety(body)).toBe('safe');
  });

  test.each([
    ['a mutation', { query: 'mutation { pay }' }],
    ['a subscription', { query: 'subscription { paid }' }],
    ['a mutation behind a string', { query: 'mutation M @d(s: """ \\""" """) { a(s: "query {") }' }],
    ['a mutation by name', { query: 'query Q { a } mutation M { b }', operationName: 'M' }],
    ['two operations, none named', { query: 'query Q { a } mutation M { b }' }],
    ['an empty name', { query: 'query Q { a } mutation M { b }', operationName: '' }],
    ['a name used twice', { query: 'query Q { a } mutation Q { b }', operationName: 'Q' }],
    ['a name that is not there', { query: 'query Q { a } mutation M { b }', operationName: 'X' }],
    ['a batch with one mutation', [{ query: '{ a }' }, { query: 'mutation { b }' }]],
    ['an empty batch', []],
    ['a stored document', { extensions: { persistedQuery: { sha256Hash: 'ab' } } }],
    ['no document', { query: '  # nothing' }],
    ['type definitions', { query: 'type A { a: Int }' }],
    ['text that cannot be read', { query: 'query { a' }],
    ['crossed brackets', { query: 'query { a( } )' }],
    ['an unfinished string', { query: 'query { a(s: "mutation) }' }],
    ['letters no document has', { query: 'query { ä }' }],
    ['a body that is no JSON', 'query { a }'],
    ['no body', undefined],
    ['a document that is no text', { query: 1 }],
    ['a document too long to be read', { query: `query { ${'a '.repeat(60_000)} }` }],
  ])('are writes when they do not: %s', (_, body) => {
    expect(safety(body)).toBe('unkeyed');
  });

  test('are writes when the address may override the body', () => {
    expect(safety({ query: '{ a }' }, { query: 'mutation { b }' })).toBe('unkeyed');
    expect(safety({ query: '{ a }' }, { operationName: 'M' })).toBe('unkeyed');
  });
});
