import { mutates } from './graphql.js';

const asked = (body: unknown) =>
  mutates({ method: 'POST', path: '/graphql', query: {}, headers: {}, body, route: null });

describe('a GraphQL request', () => {
  it('mutates where its document has a mutation, or cannot be read', () => {
    expect(asked({ query: 'mutation { close(id: 1) { id } }' })).toBe(true);
    expect(asked({ query: 'fragment F on A { b } mutation M($id: ID!) { close(id: $id) { ...F } }' })).toBe(true);
    for (const body of [undefined, null, 7, [], {}, [{ query: '{ a }' }], { id: 'stored' }])
      expect(asked(body)).toBe(true);
  });

  it('does not where it asks only', () => {
    expect(asked({ query: 'query Q { viewer { mutationCount } }' })).toBe(false);
    expect(asked('{ viewer { id } }')).toBe(false);
  });
});
