import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { AXIOS_COPIES, until, World } from './axios-world.fixture.js';
import { HttpProvider } from './http-provider.fixture.js';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

let provider: HttpProvider;
beforeEach(async () => {
  provider = await new HttpProvider().start((_request, response) => response.end('done'));
});

afterEach(() => provider.stop());

/** The request on the wire and the config of one call that is over. */
async function served(world: World): Promise<WeakRef<object>[]> {
  const { request, config } = await world.http.get('/x', { headers: { authorization: 'of a caller' } });
  return [new WeakRef(request as object), new WeakRef(config)];
}

describe.each(AXIOS_COPIES)('an idle socket (axios %s)', (_version, axios) => {
  it.each(['enforce', 'observe'] as const)(
    'holds nothing of the requests that it served, neither the first nor the last (%s)',
    async (mode) => {
      const world = new World({ axios, http: { baseURL: provider.url }, provider: { mode } });
      const first = await served(world);
      const last = await served(world);
      await until(() => {
        collectGarbage();
        return [...first, ...last].every((each) => each.deref() === undefined);
      }, 60_000);
      expect([provider.connections, provider.sockets.size]).toEqual([1, 1]);
      world.detach();
    },
  );
});
