import { tokenBucket } from '../../core/src/index.js';
import { AXIOS_COPIES, World } from './axios-world.fixture.js';
import { HttpProvider, status } from './http-provider.fixture.js';

/** What an answer did cost stands at its end, as GraphQL has it. */
const nodes = Array.from({ length: 16_000 }, (_, i) => ({ id: i, title: `A title of number ${i}, “in quotes”` }));
const text = JSON.stringify({ data: { nodes }, extensions: { cost: { actualQueryCost: 7 } } });
const answer = status(200, Buffer.from(text), { 'content-type': 'application/json; charset=utf-8' });

describe.each(AXIOS_COPIES)('an answer of a megabyte through axios %s', (_version, axios) => {
  let provider: HttpProvider;
  let world: World;
  beforeEach(() => (provider = new HttpProvider()));
  afterEach(() => world.end(provider));

  it.each([
    ['http', 'json'],
    ['http', 'text'],
    ['http', 'arraybuffer'],
    ['fetch', 'json'],
    ['fetch', 'text'],
    ['fetch', 'arraybuffer'],
  ] as const)('is read to its end (%s, %s)', async (adapter, responseType) => {
    expect(Buffer.byteLength(text)).toBeGreaterThan(990_000);
    await provider.start(answer);
    world = new World({
      axios,
      provider: {
        limits: [tokenBucket({ unit: 'points', burst: 1000, limit: 50, per: '1s' })],
        units: () => ({ points: 100 }),
        reading: { cost: { body: 'extensions.cost.actualQueryCost' } },
      },
      http: { baseURL: provider.url, adapter: adapter as 'http', responseType },
    });
    const { data } = await world.http.get('/graphql');
    const given = responseType === 'json' ? JSON.stringify(data) : Buffer.from(data).toString();
    expect(given).toBe(text);
    expect(world.gate.settlements.map(({ trueUnits }) => trueUnits)).toEqual([{ points: 7 }]);
  });
});
