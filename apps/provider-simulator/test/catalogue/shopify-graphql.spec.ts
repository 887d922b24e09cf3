import { shopify } from 'nestjs-sluice/providers';
import { shopifyGraphql as standIn } from '../../src/catalogue/shopify-graphql.js';
import { expectFull, run, times } from './run.fixture.js';

const call = (shop: string, query: string, points?: number) => ({
  method: 'POST',
  url: '/admin/api/2026-10/graphql.json',
  headers: { 'x-shopify-access-token': shop },
  data: { query },
  sluice: { partition: { shop }, ...(points === undefined ? {} : { units: { points } }) },
});

const calls = ['s1', 's2'].flatMap((shop) =>
  times(300, (i) =>
    i % 3 === 0
      ? call(shop, `mutation { productUpdate(id: ${i}) { id } }`)
      : call(shop, '{ products(first: 80) { id } }', 82),
  ),
);

test('Shopify, GraphQL: queries that say what they might cost, and mutations, are never throttled', async () => {
  const { failures, refused } = await run((settings) => shopify(settings), standIn(), calls);
  expect([failures, refused]).toEqual([[], []]);
});

test('Shopify, GraphQL: the pace is that of what calls did cost', async () => {
  // 100 x 10 and 200 x 42 points: 9,400, of which 2,000 at once and the rest at 100 a second; for the last the 40 points must be
  // there that come back.
  expectFull(await run((settings) => shopify(settings), standIn(), calls), ((9_400 + 40 - 2_000) / 100) * 1_000);
});

test('Shopify, GraphQL: pages that are found full, at the pace of their points', async () => {
  const full = times(500, (i) => call('s1', `{ product(id: ${i}) { id } }`, 3));
  const mutations = times(300, (i) => call('s1', `mutation { productUpdate(id: ${i}) { id } }`));
  const pages = times(500, () => call('s1', '{ products(first: 80) { id } }', 82));
  // 500 x 3, 300 x 10 and 500 x 82 points, of which 2,000 at once.
  const least = ((500 * 3 + 300 * 10 + 500 * 82 - 2_000) / 100) * 1_000;
  expectFull(await run((settings) => shopify(settings), standIn(1), [...full, ...mutations, ...pages]), least);
});
