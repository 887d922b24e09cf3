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

test('Shopify, GraphQL: queries that say what they might cost, and mutations, at the pace of what they did cost', async () => {
  const calls = ['s1', 's2'].flatMap((shop) =>
    times(300, (i) =>
      i % 3 === 0
        ? call(shop, `mutation { productUpdate(id: ${i}) { id } }`)
        : call(shop, '{ products(first: 80) { id } }', 82),
    ),
  );
  // 100 x 10 and 200 x 42 points did they cost: 9,400, of which 2,000 at once and the rest at 100 a second; for the last the
  // 40 points must be there that come back.
  expectFull(await run((settings) => shopify(settings), standIn(), calls), ((9_400 + 40 - 2_000) / 100) * 1_000);
});
