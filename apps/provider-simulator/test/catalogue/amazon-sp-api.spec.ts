import { amazonSpApi } from 'nestjs-sluice/providers';
import { amazonSpApi as standIn } from '../../src/catalogue/amazon-sp-api.js';
import { expectFull, only, run, times } from './run.fixture.js';

const SELLERS = ['a', 'b'];

const ofEach = (count: number, method: string, url: (index: number) => string) =>
  SELLERS.flatMap((seller) =>
    times(count, (i) => ({
      method,
      url: url(i),
      headers: { 'x-amz-access-token': seller },
      sluice: { partition: { seller } },
    })),
  );

test('Amazon SP-API: five operations of two sellers, each at its own rate', async () => {
  const all = await run((settings) => amazonSpApi(settings), standIn(), [
    ...ofEach(35, 'GET', () => '/orders/v0/orders'),
    ...ofEach(330, 'GET', (i) => `/orders/v0/orders/${i}/orderItems`),
    ...ofEach(1_010, 'GET', (i) => `/listings/2021-08-01/items/s/${i}`),
    ...ofEach(115, 'POST', () => '/feeds/2021-06-30/documents'),
    ...ofEach(402, 'GET', () => '/catalog/2022-04-01/items'),
  ]);
  // The burst at once, then one after another: (calls - burst) / rate.
  expectFull(
    only(all, ({ path }) => path.endsWith('/orders')),
    (15 / 0.0167) * 1_000,
  );
  expectFull(
    only(all, ({ path }) => path.endsWith('/orderItems')),
    (300 / 0.5) * 1_000,
  );
  expectFull(
    only(all, ({ path }) => path.startsWith('/listings')),
    (1_000 / 5) * 1_000,
  );
  expectFull(
    only(all, ({ path }) => path.startsWith('/feeds')),
    (100 / 0.5) * 1_000,
  );
  expectFull(
    only(all, ({ path }) => path.startsWith('/catalog')),
    (400 / 2) * 1_000,
  );
});
