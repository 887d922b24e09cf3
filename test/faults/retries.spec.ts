import { HttpService } from '@nestjs/axios';
import { Injectable } from '@nestjs/common';
import axios, { type AxiosInstance, type AxiosResponse } from 'axios';
import axiosRetry from 'axios-retry';
import { concurrency, defineProvider, InjectProvider, RateLimitService, Throttled } from 'nestjs-sluice';
import { firstValueFrom } from 'rxjs';
import { Caller, closeWorlds, type FaultWorld, P, world } from './faults.fixture.js';

afterEach(closeWorlds);

const HOUR = 3_600_000;

/** An instance of the application's own, before the same provider. */
function attached(opened: FaultWorld, defaults: object = {}): AxiosInstance {
  const adapter = opened.provider.transport(opened.clock);
  return opened.limits.attach('crm', axios.create({ baseURL: 'http://crm.test', adapter, ...defaults }));
}

test('case 16: attempts end although everything that Axios does not know is taken out of the config', async () => {
  const opened = await world({ s: '503...' });
  const known = new Set([
    'url',
    'method',
    'baseURL',
    'headers',
    'adapter',
    'transformRequest',
    'transformResponse',
    'timeout',
    'validateStatus',
  ]);
  const transport = opened.provider.transport(opened.clock);
  const strip = <C extends object>(config: C): C => {
    for (const key of Object.keys(config)) if (!known.has(key)) delete (config as Record<string, unknown>)[key];
    return config;
  };
  const http = attached(opened, { adapter: (config: never) => transport(strip(config)) });
  http.interceptors.request.use(strip);
  const get = opened.watch(http.get('/x'));
  await opened.clock.advance(HOUR);
  expect(opened.log).toEqual([0, 1000, 3000, 7000]);
  expect(get.told).toBe('503 attempts-exhausted');
  await opened.leavesNothing();
});

test('case 16: two calls of one frozen config have four sends each', async () => {
  const opened = await world({ s: '503...' });
  const config = Object.freeze({ url: '/x', headers: Object.freeze({ 'x-one': '1' }) });
  const both = [opened.call(config as never), opened.call(config as never)];
  await opened.clock.advance(HOUR);
  expect(opened.log).toEqual([0, 0, 1000, 1000, 3000, 3000, 7000, 7000]);
  expect(both.map(({ told }) => told)).toEqual(['503 attempts-exhausted', '503 attempts-exhausted']);
  await opened.leavesNothing();
});

test('case 17: of two calls that wait at the same time each counts its own attempts', async () => {
  const opened = await world({ s: '429(retry-after: 1) x2, 200 x2' });
  const both = [opened.call('/a'), opened.call('/b')];
  await opened.clock.advance(HOUR);
  expect(both.map(({ told }) => told)).toEqual(['200', '200']);
  expect(opened.provider.log).toHaveLength(4);
  const seen = opened.ofType('attempt-started').map(({ callId, attempt }) => `${callId} ${attempt}`);
  const [first, second] = [...new Set(seen.map((each) => each.split(' ')[0]))];
  expect(seen).toEqual([`${first} 1`, `${second} 1`, `${first} 2`, `${second} 2`]);
  await opened.leavesNothing();
});

test('case 18: a call that has used up its tries leaves the next one all of its own', async () => {
  const opened = await world({ s: '503 x4, 503, 200' });
  const first = opened.call();
  await opened.clock.advance(7000);
  expect([first.told, opened.log.length]).toEqual(['503 attempts-exhausted', 4]);
  const second = opened.call();
  await opened.clock.advance(1000);
  expect([second.told, opened.log.slice(4)]).toEqual(['200', [7000, 8000]]);
  await opened.leavesNothing();
});

@Injectable()
class Layers {
  constructor(private readonly caller: Caller) {}

  @Throttled('crm')
  outer(): Promise<AxiosResponse> {
    return this.caller.send({ url: '/x' }, {});
  }
}

test('case 21: guarded methods around a guarded client do not multiply (durable attempts around them need a store)', async () => {
  const opened = await world({ s: '429...', providers: [Layers] });
  const sent = opened.watch(opened.app.get(Layers).outer());
  await opened.clock.advance(HOUR);
  expect(opened.log).toEqual([0, 1000, 3000, 7000]);
  expect(sent.told).toBe('429 attempts-exhausted');
  await opened.leavesNothing();
});

describe('case 21: a call of the provider inside a function that is its attempt already', () => {
  @Injectable()
  class Nested {
    constructor(
      private readonly caller: Caller,
      @InjectProvider('crm') private readonly http: HttpService,
      private readonly limits: RateLimitService,
    ) {}

    @Throttled('crm', { guard: 'method' })
    client(): Promise<AxiosResponse> {
      return firstValueFrom(this.http.get('/x'));
    }

    @Throttled('crm', { guard: 'method' })
    method(): Promise<AxiosResponse> {
      return this.caller.send({ url: '/x' }, {});
    }

    @Throttled('crm', { guard: 'method' })
    run(): Promise<unknown> {
      return this.limits.run('crm', () => 1);
    }

    service(): Promise<unknown> {
      return this.limits.run('crm', () => firstValueFrom(this.http.get('/x')));
    }
  }

  test.each(['client', 'method', 'run', 'service'] as const)(
    'is refused unsent (%s): it would wait for itself, and its retries would multiply',
    async (way) => {
      const opened = await world({ s: '429...', providers: [Nested], p: { limits: [concurrency({ limit: 1 })] } });
      const sent = opened.watch(opened.app.get(Nested)[way]());
      await opened.clock.advance(0);
      expect([sent.told, sent.error.cause.code]).toEqual(['OUTCOME_UNKNOWN', 'CONFIG']);
      expect(sent.error.cause.message).toContain("guard: 'requests'");
      expect(opened.log).toEqual([]);
      await opened.leavesNothing();
    },
  );

  test('is a call of its own once that function has ended', async () => {
    const opened = await world();
    let later = Promise.resolve<unknown>(null);
    await opened.limits.run('crm', () => {
      later = new Promise((resolve) => opened.clock.schedule(10, () => resolve(null))).then(() =>
        opened.caller.send({ url: '/x' }, {}),
      );
    });
    const sent = opened.watch(later);
    await opened.clock.advance(HOUR);
    expect([sent.told, opened.log]).toEqual(['200', [10]]);
    await opened.leavesNothing();
  });
});

test('case 21: a client with retries of its own is refused unsent', async () => {
  const opened = await world({ s: '429...' });
  const http = attached(opened);
  axiosRetry(http as never, { retries: 2 });
  const get = opened.watch(http.get('/x'));
  await opened.clock.advance(HOUR);
  expect(get.told).toBe('CONFIG');
  expect(get.error.message).toContain('axios-retry');
  expect(opened.log).toEqual([]);
  await opened.leavesNothing();
});

test('case 22: a cancelled call is sent once, also where everything is retried', async () => {
  const opened = await world({ s: 'hang, 200', p: { classify: () => ({ retryable: true }) } as never });
  const controller = new AbortController();
  const get = opened.call({ url: '/x', signal: controller.signal });
  await opened.clock.advance(50);
  controller.abort();
  await opened.clock.advance(HOUR);
  expect([get.told, get.atMs]).toEqual(['cancelled', 50]);
  expect(axios.isCancel(get.error)).toBe(true);
  expect(opened.log).toEqual([0]);
  expect(opened.provider.log[0]).toMatchObject({ end: 'client-left', endedAtMs: 50 });
  await opened.leavesNothing();
});

test('case 23: the second try ends with the deadline', async () => {
  const opened = await world({ s: 'slow(600) 503, slow(5000) 200', p: { retry: { baseDelay: 300 } } });
  const get = opened.call({ url: '/x', timeout: 1000 }, { deadline: 1000 });
  await opened.clock.advance(HOUR);
  expect(opened.log).toEqual([0, 900]);
  expect(opened.provider.log[1]).toMatchObject({ end: 'client-left', endedAtMs: 1000 });
  expect([get.told, get.atMs]).toEqual(['503 deadline', 1000]);
  await opened.leavesNothing();
});

test('case 23: a backoff that would pass the deadline is not begun', async () => {
  const opened = await world({ s: 'slow(600) 503, 200' });
  const get = opened.call('/x', { deadline: 1000 });
  await opened.clock.advance(HOUR);
  expect([get.told, get.atMs]).toEqual(['503 deadline', 600]);
  expect(opened.log).toEqual([0]);
  await opened.leavesNothing();
});

test('case 25: a hook that returns nothing leaves the default; one of a wrong shape is no contract', async () => {
  const nothing = (): undefined => undefined;
  const opened = await world({
    s: '429(retry-after: 1), 200',
    p: { beforeSend: nothing, settleUnits: nothing, classify: nothing } as never,
  });
  const get = opened.call();
  await opened.clock.advance(HOUR);
  expect([get.told, opened.log]).toEqual(['200', [0, 1000]]);
  expect(opened.ofType('hook-failed')).toEqual([]);
  await opened.leavesNothing();
  expect(() => defineProvider({ ...P, name: 'crm', beforeSend: 'sign' as never })).toThrow(/beforeSend/);
});

test('case 25: what a failure path calls passes the gate too', async () => {
  const opened = await world({ s: '500...', p: { retry: { maxAttempts: 1 } } });
  const get = opened.watch(
    opened.caller.send({ url: '/x' }, {}).catch(() => opened.caller.send({ url: '/report' }, {})),
  );
  await opened.clock.advance(HOUR);
  expect(get.told).toBe('500 attempts-exhausted');
  expect(opened.provider.log.map(({ path }) => path)).toEqual(['/x', '/report']);
  expect(opened.ofType('granted')).toHaveLength(2);
  await opened.leavesNothing();
});

test('case 26: four waits of half an hour occupy nothing (in this process: the jobs are refused with their moment)', async () => {
  const other = defineProvider({ ...P, name: 'other' });
  const opened = await world({ s: '429(retry-after: 1800) x4', contracts: [other] });
  const wall = opened.clock.wallMs();
  const jobs = opened.calls(4);
  await opened.clock.advance(0);
  const fifth = opened.watch(opened.limits.run('other', () => 'done'));
  await opened.clock.advance(0);
  expect(jobs.map(({ told, atMs }) => [told, atMs])).toEqual(Array(4).fill(['429 wait-too-long', 0]));
  for (const { error } of jobs) expect(error.sluice.retryAt).toEqual(new Date(wall + 1_800_000));
  expect([fifth.told, fifth.atMs]).toEqual(['done', 0]);
  await opened.leavesNothing();
});
