import { shopify } from 'nestjs-sluice/providers';
import { shopifyRest as standIn } from '../../src/catalogue/shopify-rest.js';
import { expectFull, run, times } from './run.fixture.js';

test('Shopify, REST: reads and writes of three shops, each at the pace at which its own bucket leaks', async () => {
  const calls = times(3, (shop) =>
    times(275, (i) => ({
      method: i % 5 === 0 ? 'PUT' : 'GET',
      url: `/admin/api/2026-10/products/${i}.json`,
      headers: { 'x-shopify-access-token': `s${shop}` },
      sluice: { partition: { shop: `s${shop}` } },
    })),
  ).flat();
  // 40 at once, and of the other 235 two a second.
  expectFull(await run((settings) => shopify({ ...settings, api: 'rest' }), standIn(), calls), 117_500);
});
