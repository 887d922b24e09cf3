import fc from 'fast-check';
import { getOperationAST, parse } from 'graphql';
import { selectsQuery } from './graphql-query.js';
import type { RequestView } from './options.js';

const view = (body: unknown): RequestView => ({
  method: 'POST',
  path: '/graphql',
  query: {},
  headers: {},
  body,
  route: null,
});

/** Text that looks like a document where it is none. */
const bait = fc.constantFrom(
  'mutation M { a }',
  'query Q { a }',
  '{',
  '}',
  '"',
  '""',
  '\\"',
  '"""',
  '\\"""',
  '#',
  '\\',
  '',
);
const plain = bait.map((text) => JSON.stringify(text));
const block = fc
  .array(bait, { maxLength: 3 })
  .map((parts) => `"""${parts.join(' ').replaceAll(/\\?"""/g, '\\"""')} """`);
const value = fc.oneof(
  plain,
  block,
  fc.constantFrom('1', '-1.5e+3', '$v', 'null', '[1, {a: "}"}]', '{a: {b: "{"}}', 'ENUM'),
);
const gap = fc.constantFrom(' ', '\n', ' , ', ' # mutation M { a }\n', '\t', ' # "\r\n');
const name = fc.constantFrom('A', 'B', 'query', 'mutation', 'fragment');
const directive = fc.oneof(
  fc.constant(''),
  value.map((given) => `@d(x: ${given})`),
);
const selection = fc
  .tuple(gap, value, directive, fc.boolean())
  .map(
    ([space, given, mark, deep]) =>
      `{${space}a(x: ${given}) ${mark} ${deep ? '{ ...F ... on T { query mutation } }' : ''}}`,
  );
const operation = fc
  .tuple(fc.constantFrom('query', 'mutation', 'subscription'), fc.option(name), directive, selection, gap)
  .map(
    ([type, called, mark, body, space]) => `${type}${space}${called ?? ''} ($v: [In!]! = [{a: "}"}]) ${mark} ${body}`,
  );
const definition = fc.oneof(
  { weight: 4, arbitrary: operation },
  { weight: 2, arbitrary: selection },
  { weight: 1, arbitrary: selection.map((body) => `fragment F on T ${body}`) },
  { weight: 1, arbitrary: fc.constantFrom('type T { a: Int }', 'extend type T { b: Int }', 'mutation', '}', '"""') },
);
const document = fc.tuple(fc.array(definition, { maxLength: 4 }), gap).map(([parts, space]) => parts.join(space));

/** What a server would run; null = nothing: it answers with an error. */
function selected(query: string, operationName: string | null): string | null {
  try {
    return getOperationAST(parse(query), operationName)?.operation ?? null;
  } catch {
    return null;
  }
}

test('law 7: a document that a server would take for a write never passes for a read', () => {
  let reads = 0;
  let writes = 0;
  fc.assert(
    fc.property(document, fc.option(name), (query, operationName) => {
      const runs = selected(query, operationName);
      const judged = selectsQuery(view({ query, operationName }));
      if (judged && runs !== null) expect(runs).toBe('query');
      if (runs === 'query' && judged) reads++;
      if (runs !== null && runs !== 'query' && !judged) writes++;
    }),
    { numRuns: 3_000 },
  );
  // Both kinds have occurred, so the property has said something.
  expect(Math.min(reads, writes)).toBeGreaterThan(50);
});

test('a document with one query in it, and nothing but fragments besides, always passes for a read', () => {
  const fragments = fc.array(
    selection.map((body) => `fragment F on T ${body}`),
    { maxLength: 2 },
  );
  fc.assert(
    fc.property(selection, fragments, gap, (query, others, space) => {
      const text = [query, ...others].join(space);
      expect(selected(text, null)).toBe('query');
      expect(selectsQuery(view({ query: text }))).toBe(true);
    }),
    { numRuns: 500 },
  );
});
