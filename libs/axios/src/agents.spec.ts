import http from 'node:http';
import type { Socket } from 'node:net';
import { AXIOS_COPIES, World } from './axios-world.fixture.js';
import { HttpProvider } from './http-provider.fixture.js';

/** Node's binding of a socket, where its system calls are made. */
interface Handle {
  setKeepAlive(...given: unknown[]): number;
}

let provider: HttpProvider;
beforeEach(async () => {
  provider = await new HttpProvider().start((_request, response) => response.end('done'));
});

afterEach(() => provider.stop());

/** How often the keep-alive of its socket was set while a second request went over it. */
async function setBySecond(world: World): Promise<number> {
  const { request } = await world.http.get('/first');
  const { socket } = request as { socket: Socket };
  const { _handle: handle } = socket as unknown as { _handle: Handle };
  const { setKeepAlive } = handle;
  let calls = 0;
  handle.setKeepAlive = (...given) => {
    calls += 1;
    return setKeepAlive.apply(handle, given);
  };
  const second = await world.http.get('/second');
  expect((second.request as { socket: Socket }).socket).toBe(socket);
  return calls;
}

describe.each(AXIOS_COPIES)('the agents of a guarded instance (axios %s)', (_version, axios) => {
  it('leave the keep-alive of a socket as Axios has set it', async () => {
    const world = new World({ axios, http: { baseURL: provider.url } });
    expect(await setBySecond(world)).toBe(0);
    world.detach();
  });

  it("leave an agent of the user's as it is", async () => {
    const httpAgent = new http.Agent({ keepAlive: true });
    const world = new World({ axios, http: { baseURL: provider.url, httpAgent } });
    expect(await setBySecond(world)).toBeGreaterThan(0);
    world.detach();
    httpAgent.destroy();
  });
});
