import http from 'node:http';
import { HttpService } from '@nestjs/axios';
import type { AxiosAdapter } from 'axios';
import axiosRetry from 'axios-retry';
import { firstValueFrom } from 'rxjs';
import { tokenBucket } from '../../core/src/index.js';
import { AXIOS_COPIES, errorOf, World } from './axios-world.fixture.js';
import { HttpProvider, ok, status } from './http-provider.fixture.js';
import { attachAxios, sluiceOf } from './index.js';

describe.each(AXIOS_COPIES)('an attached instance of axios %s', (_version, axios) => {
  let provider: HttpProvider;
  let world: World;
  beforeEach(() => (provider = new HttpProvider()));
  afterEach(async () => {
    world.detach();
    await provider.stop();
    expect(world.gate).toMatchObject({ open: 0, endedTwice: 0 });
  });

  it('sends through the gate and tells how the answer came', async () => {
    await provider.start(ok);
    world = new World({ axios, http: { baseURL: provider.url } });
    const response = await world.http.get('/contacts/1', { params: { a: 1 } });
    expect(response.data).toEqual({ ok: true });
    expect(response.sluice).toEqual({ attempts: 1, waitedMs: 0, operationId: null });
    expect(provider.paths).toEqual(['GET /contacts/1?a=1']);
    expect(world.gate.granted).toBe(1);
  });

  it('gives an error of its own copy of axios, with the config of the caller', async () => {
    await provider.start(status(404, { why: 'gone' }));
    world = new World({ axios, http: { baseURL: provider.url } });
    const error = await errorOf(world.http.get('/x'));
    expect(error).toBeInstanceOf(axios.AxiosError);
    expect(error).toMatchObject({ code: 'ERR_BAD_REQUEST', response: { status: 404, data: { why: 'gone' } } });
    expect(sluiceOf(error)).toEqual({
      provider: 'crm',
      reason: 'permanent',
      attempts: 1,
      retryAt: null,
      operationId: null,
    });
    expect(error.config).toMatchObject({ url: '/x', baseURL: provider.url, validateStatus: expect.any(Function) });
    expect(error.config.transport).toBeUndefined();
    expect(error.response.config).toBe(error.config);
  });

  it('refuses a partition that is no object unsent, in words, and does not tell it', async () => {
    await provider.start(ok);
    const limits = [tokenBucket({ burst: 5, limit: 5, per: '1s' })];
    world = new World({ axios, http: { baseURL: provider.url }, provider: { dimensions: ['account'], limits } });
    const error = await errorOf(world.http.get('/x', { sluice: { partition: 'acme' as never } }));
    expect(error).toMatchObject({ code: 'CONFIG', provider: 'crm' });
    expect(error.message).toMatch(/partition is of type string; expected values by dimension: \{ account: \.\.\. \}/);
    expect(error.message).not.toContain('acme');
    expect(provider.log).toEqual([]);
  });

  it('case 129: a failure reaches the caller, however few attempts there are', async () => {
    await provider.start(status(500));
    world = new World({ axios, http: { baseURL: provider.url }, provider: { retry: { maxAttempts: 1 } } });
    const error = await errorOf(world.http.get('/x'));
    expect(error).toMatchObject({ response: { status: 500 }, sluice: { reason: 'attempts-exhausted', attempts: 1 } });
    expect(provider.log).toHaveLength(1);
  });

  it('case 48: every way to send passes the gate', async () => {
    await provider.start(ok);
    world = new World({ axios, http: { baseURL: provider.url } });
    const { http: client } = world;
    const service = new HttpService(client as never);
    const { url } = provider;
    await client.request({ url: '/1' });
    await client({ url: '/2' });
    await client('/3');
    await client.get('/4');
    await client.post('/5', {});
    await client.putForm('/6', { a: 1 });
    await client.create().get(`${url}/7`);
    await firstValueFrom(service.get('/8'));
    await service.axiosRef.delete('/9');
    await client.get('/10', { adapter: 'http' });
    await client.get('/11', { adapter: 'fetch' });
    const stream = await client.get('/12', { responseType: 'stream' });
    for await (const _ of stream.data) continue;
    await client.get('/13', { adapter: ['xhr', 'http'] });
    expect(provider.log).toHaveLength(13);
    expect(world.gate.granted).toBe(13);
  });

  it('law 1: guards the instances that it makes, whatever adapter they or their requests bring', async () => {
    await provider.start(ok);
    world = new World({ axios, http: { baseURL: provider.url } });
    const child = world.http.create();
    const own: AxiosAdapter = async (config) => ({ status: 200, statusText: '', headers: {}, data: 'own', config });
    expect((await child.get('/1', { adapter: 'http' })).data).toEqual({ ok: true });
    expect((await child.get('/2', { adapter: own })).data).toBe('own');
    expect((await child.create({ adapter: own }).get('/3')).data).toBe('own');
    expect((await world.http.create({ adapter: 'http' }).get('/4')).data).toEqual({ ok: true });
    expect(world.gate.granted).toBe(4);
    world.detach();
    expect((await child.get('/5', { adapter: own })).data).toBe('own');
    expect((await child.get('/6')).data).toEqual({ ok: true });
    expect((await world.http.create({ adapter: 'http' }).get('/7')).data).toEqual({ ok: true });
    expect(provider.paths).toEqual(['GET /1', 'GET /4', 'GET /6', 'GET /7']);
    expect(world.gate.granted).toBe(4);
  });

  it('goes on with retries of its own where an instance that it made is asked', async () => {
    await provider.start(status(503), status(503), ok);
    world = new World({ axios, http: { baseURL: provider.url } });
    await world.http.create().get('/x', { adapter: 'http' });
    expect(provider.log).toHaveLength(3);
    expect(world.gate.granted).toBe(3);
  });

  it('makes the adapter of a request its transport, inside the gate', async () => {
    world = new World({ axios });
    const seen: unknown[] = [];
    const adapter = async (config: any): Promise<any> => {
      seen.push(config.url);
      const code = seen.length < 3 ? 503 : 200;
      return { status: code, statusText: '', headers: {}, data: '{"a":1}', config };
    };
    const response = await world.http.get('/mine', { adapter });
    expect(response.data).toEqual({ a: 1 });
    expect(seen).toEqual(['/mine', '/mine', '/mine']);
    expect(world.gate.granted).toBe(3);
    await provider.start(ok);
  });

  it('keeps the gate when the interceptors are cleared or the default adapter is replaced', async () => {
    await provider.start(ok);
    world = new World({ axios, http: { baseURL: provider.url } });
    world.http.interceptors.request.clear();
    await world.http.get('/1', { adapter: 'http' });
    world.http.defaults.adapter = 'http';
    await world.http.get('/2');
    expect(world.gate.granted).toBe(2);
    world.http.defaults.adapter = undefined;
  });

  it('lets a cache that answers from an interceptor answer without the gate', async () => {
    world = new World({ axios });
    world.http.interceptors.request.use((config) => {
      config.adapter = async () => ({ status: 200, statusText: '', headers: {}, data: 'cached', config });
      return config;
    });
    expect((await world.http.get('/x')).data).toBe('cached');
    expect(world.gate.granted).toBe(0);
    await provider.start(ok);
  });

  it('law 13: a request with an option that no call has is refused unsent', async () => {
    await provider.start(ok);
    world = new World({ axios, http: { baseURL: provider.url } });
    const error = await errorOf(world.http.get('/x', { sluice: { lanes: 'interactive' } as never }));
    expect(error).toMatchObject({ code: 'CONFIG', message: expect.stringContaining('"lanes"') });
    expect(provider.log).toEqual([]);
    expect((await world.http.post('/x', undefined, { sluice: { body: () => 'made' } })).status).toBe(200);
  });

  it('case 125: interceptors run once per call, whatever the attempts', async () => {
    await provider.start(status(503), status(503), ok);
    world = new World({ axios, http: { baseURL: provider.url } });
    const runs: string[] = [];
    world.http.interceptors.request.use((config) => {
      runs.push('request');
      return config;
    });
    world.http.interceptors.response.use((response) => {
      runs.push('response');
      return response.data;
    });
    expect(await world.http.get('/x')).toEqual({ ok: true });
    expect(runs).toEqual(['request', 'response']);
    expect(provider.log).toHaveLength(3);
  });

  it('case 113: nothing piles up: one send per attempt and no handler more after fifty calls', async () => {
    await provider.start(status(503));
    world = new World({ axios, http: { baseURL: provider.url }, provider: { retry: { maxAttempts: 3 } } });
    const { request, response } = world.http.interceptors as unknown as Record<string, { handlers: unknown[] }>;
    const before = [request?.handlers.length, response?.handlers.length];
    for (let i = 0; i < 50; i += 1) await errorOf(world.http.get('/x'));
    expect(provider.log).toHaveLength(150);
    expect([request?.handlers.length, response?.handlers.length]).toEqual(before);
  });

  it('refuses to be attached twice, also through a copy of the instance, and names both providers', async () => {
    world = new World({ axios });
    const again = (instance: typeof world.http) => () =>
      attachAxios(instance, world.runtime, { clock: world.clock, random: Math as never });
    expect(again(world.http)).toThrow(/already attached to provider "crm"/);
    expect(again(world.http.create())).toThrow(expect.objectContaining({ code: 'CONFIG' }));
    await provider.start(ok);
  });

  it('never sends through another copy of axios, whichever export is at hand', async () => {
    await provider.start(ok);
    world = new World({ axios });
    for (const [, other] of AXIOS_COPIES) {
      const instance = axios.create({ baseURL: provider.url, proxy: false, maxContentLength: 1 });
      const detach = attachAxios(instance, world.runtime, { clock: world.clock, random: Math as never, axios: other });
      expect(await errorOf(instance.get('/x'))).toBeInstanceOf(axios.AxiosError);
      detach();
    }
  });

  it('refuses a request that carries state of axios-retry', async () => {
    await provider.start(ok);
    world = new World({ axios, http: { baseURL: provider.url } });
    axiosRetry(world.http as never, { retries: 3 });
    const error = await errorOf(world.http.get('/x'));
    expect(error).toMatchObject({ code: 'CONFIG', provider: 'crm' });
    expect(error.message).toMatch(/axios-retry/);
    expect(provider.log).toHaveLength(0);
  });

  it('refuses an agent with fewer sockets than the concurrency limit', async () => {
    await provider.start(ok);
    world = new World({ axios, http: { baseURL: provider.url } });
    const few = new http.Agent({ maxSockets: 9 });
    const error = await errorOf(world.http.get('/x', { httpAgent: few }));
    expect(error).toMatchObject({ code: 'CONFIG' });
    expect(error.message).toMatch(/httpAgent\.maxSockets is 9; expected at least the concurrency limit, 10/);
    expect(() => new World({ axios, http: { httpAgent: few } })).toThrow(/maxSockets/);
    await world.http.get('/x', { httpAgent: new http.Agent({ maxSockets: 10 }) });
    expect(provider.log).toHaveLength(1);
  });

  it('is given back exactly as it was', async () => {
    await provider.start(ok);
    const instance = axios.create({ baseURL: provider.url });
    const { adapter } = instance.defaults;
    world = new World({ axios });
    const deps = { clock: world.clock, random: Math as never };
    const keys = Object.getOwnPropertyNames(instance.interceptors.request);
    const detach = attachAxios(instance, world.runtime, deps);
    const guarded = instance.defaults.adapter;
    detach();
    detach();
    expect(instance.defaults.adapter).toBe(adapter);
    expect(Object.getOwnPropertyNames(instance.interceptors.request)).toEqual(keys);
    await instance.get('/x');
    await instance.get('/y', { adapter: guarded });
    expect(provider.log).toHaveLength(2);
    expect(world.gate.granted).toBe(0);
    attachAxios(instance, world.runtime, deps)();
  });

  it('keeps its connections, without a cap of its own', async () => {
    await provider.start(ok);
    world = new World({ axios, http: { baseURL: provider.url } });
    for (let i = 0; i < 5; i += 1) await world.http.get('/x');
    expect(provider.connections).toBe(1);
    await Promise.all(Array.from({ length: 8 }, () => world.http.get('/x')));
    expect(provider.connections).toBeGreaterThan(1);
  });
});
