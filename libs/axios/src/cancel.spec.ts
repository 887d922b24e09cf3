import { getEventListeners } from 'node:events';
import { HttpService } from '@nestjs/axios';
import { AXIOS_COPIES, errorOf, until, World } from './axios-world.fixture.js';
import { hang, HttpProvider, ok, status } from './http-provider.fixture.js';

const listeners = (signal: AbortSignal): number => getEventListeners(signal, 'abort').length;

describe.each(AXIOS_COPIES)('a cancelled call of axios %s', (_version, axios) => {
  let provider: HttpProvider;
  let world: World;
  beforeEach(() => (provider = new HttpProvider()));
  afterEach(async () => {
    await world.end(provider);
  });

  const reasons: readonly [string, unknown][] = [
    ['an exception of the platform', new DOMException('enough', 'AbortError')],
    ['a text', 'a text'],
    ['an error of axios', new axios.AxiosError('mine', 'X')],
  ];

  it.each(reasons)('case 105: ends alike while queued, in the pause and on the wire (%s)', async (_name, reason) => {
    for (const place of ['queued', 'pause', 'wire'] as const) {
      const server = await new HttpProvider().start(place === 'pause' ? status(503) : hang);
      world = new World({ axios, http: { baseURL: server.url }, provider: { retry: { baseDelay: '20s' } } });
      if (place === 'queued') world.gate.hold = new Promise(() => undefined);
      const { signal, abort } = controller();
      const headers = { Authorization: 'Bearer mine' };
      const failing = errorOf(world.http.get('/x', { signal, headers }));
      await until(() => (place === 'queued' ? listeners(signal) > 0 : server.log.length > 0));
      if (place === 'pause') await until(() => world.gate.open === 0);
      abort(reason);
      const error = await failing;
      expect(axios.isCancel(error)).toBe(true);
      expect(error).toBeInstanceOf(axios.CanceledError);
      expect(error).toMatchObject({ code: 'ERR_CANCELED', config: { url: '/x' } });
      expect(error.cause).toBe(reason);
      expect(listeners(signal)).toBe(0);
      expect(server.log.length).toBe(place === 'queued' ? 0 : 1);
      await until(() => world.gate.open === 0);
      await server.stop();
    }
    await provider.start(ok);
  });

  it('case 22: is not taken for a failure of the network and sent again', async () => {
    await provider.start(hang);
    world = new World({ axios, http: { baseURL: provider.url } });
    const { signal, abort } = controller();
    const failing = errorOf(world.http.get('/x', { signal }));
    await until(() => provider.log.length === 1);
    abort(undefined);
    expect(axios.isCancel(await failing)).toBe(true);
    await until(() => provider.sockets.size === 0);
    expect(provider.log).toHaveLength(1);
  });

  it('ends at once while its write stays on the wire, and keeps the permit until the write has ended', async () => {
    let answer = (): void => undefined;
    await provider.start((_request, response) => (answer = () => void response.end('{}')));
    world = new World({ axios, http: { baseURL: provider.url } });
    const { signal, abort } = controller();
    const failing = errorOf(world.http.post('/x', {}, { signal }));
    await until(() => provider.log.length === 1);
    abort('enough');
    expect(axios.isCancel(await failing)).toBe(true);
    expect(world.gate.open).toBe(1);
    expect(provider.sockets.size).toBe(1);
    answer();
    await until(() => world.gate.open === 0);
    expect(world.gate.settlements).toMatchObject([{ end: 'answered' }]);
  });

  it('case 103: leaves nothing on a long-lived signal', async () => {
    await provider.start((request, response) => (request.url === '/ok' ? ok : status(503))(request, response));
    world = new World({ axios, http: { baseURL: provider.url }, provider: { retry: { maxAttempts: 3 } } });
    const { signal } = new AbortController();
    let most = 0;
    for (let round = 0; round < 4; round += 1) {
      const calls = Array.from({ length: 50 }, (_, i) => world.http.get(i % 2 ? '/ok' : '/bad', { signal }));
      most = Math.max(most, listeners(signal));
      await Promise.allSettled(calls);
      expect(listeners(signal)).toBe(0);
    }
    // Past ten Node warns of a leak; Jest keeps its warnings from a test.
    expect(most).toBeLessThanOrEqual(10);
  });

  it('case 104: rejects once, whenever it was aborted', async () => {
    for (const moment of ['in the pause', 'in the second attempt', 'after the end'] as const) {
      const script = moment === 'in the pause' ? [status(503)] : [status(503), moment === 'after the end' ? ok : hang];
      const server = await new HttpProvider().start(...script);
      const baseDelay = moment === 'in the pause' ? '20s' : 1;
      world = new World({ axios, http: { baseURL: server.url }, provider: { retry: { baseDelay } } });
      const { signal, abort } = controller();
      const outcome = world.http.get('/x', { signal }).then(
        () => 'answered',
        (error: unknown) => axios.isCancel(error),
      );
      await until(() => server.log.length === script.length && (script.length === 2 || world.gate.open === 0));
      if (moment === 'after the end') await outcome;
      abort(undefined);
      expect(await outcome).toBe(moment === 'after the end' ? 'answered' : true);
      expect(listeners(signal)).toBe(0);
      expect(server.log).toHaveLength(script.length);
      await until(() => world.gate.open === 0);
      await server.stop();
    }
    await provider.start(ok);
  });

  it('takes a cancel token, whose own text it keeps', async () => {
    await provider.start(hang);
    world = new World({ axios, http: { baseURL: provider.url } });
    const source = axios.CancelToken.source();
    const failing = errorOf(world.http.get('/x', { cancelToken: source.token }));
    await until(() => provider.log.length === 1);
    source.cancel('no longer needed');
    const error = await failing;
    expect(error).toMatchObject({ code: 'ERR_CANCELED', message: 'no longer needed' });
    expect(axios.isCancel(error)).toBe(true);
    expect((source.token as unknown as { _listeners: unknown[] | null })._listeners ?? []).toEqual([]);
  });

  it('case 107: unsubscribing ends the request and gives the permit back', async () => {
    await provider.start(hang, ok);
    world = new World({ axios, http: { baseURL: provider.url } });
    const service = new HttpService(world.http as never);
    const results: unknown[] = [];
    const call = service.get('/x');
    expect(provider.log).toHaveLength(0);
    const subscription = call.subscribe({
      next: (value) => results.push(value),
      error: (error) => results.push(error),
    });
    await until(() => provider.log.length === 1);
    subscription.unsubscribe();
    await until(() => provider.sockets.size === 0);
    await until(() => world.gate.open === 0);
    call.subscribe((response) => results.push(response.data));
    await until(() => provider.log.length === 2 && results.some((each) => (each as { ok?: boolean }).ok));
  });
});

function controller(): { signal: AbortSignal; abort: (reason: unknown) => void } {
  const each = new AbortController();
  return { signal: each.signal, abort: (reason) => each.abort(reason) };
}
