import { getEventListeners } from 'node:events';
import axios, { AxiosError } from 'axios';
import { concurrency } from 'nestjs-sluice';
import { firstValueFrom, timeout } from 'rxjs';
import { closeWorlds, type FaultWorld, type Sent, type Setup, world } from './faults.fixture.js';

afterEach(closeWorlds);

const HOUR = 3_600_000;

describe('case 103: one long-lived signal under five hundred calls', () => {
  // Past ten Node warns of a leak; Jest keeps its warnings from a test.
  test('has ten listeners at most, and none after them', async () => {
    const opened = await world({
      s: { next: ({ path }) => (path === '/ok' ? null : { answer: { status: 503 } }) },
      p: {
        limits: [concurrency({ limit: 50 })],
        retry: { maxAttempts: 3 },
        breaker: { consecutiveFailures: 600, probeEvery: '1h' },
        demand: { singleFlight: true },
      },
    });
    const { signal } = new AbortController();
    const listeners = (): number => getEventListeners(signal, 'abort').length;
    const round = async (count: number, path: (index: number) => string): Promise<Sent[]> => {
      const calls = Array.from({ length: count }, (_, index) => opened.call({ url: path(index), signal }));
      await opened.clock.advance(0);
      expect(listeners()).toBeLessThanOrEqual(10);
      await opened.clock.advance(HOUR);
      expect(listeners()).toBe(0);
      return calls;
    };
    const shared = await round(50, () => '/ok');
    expect([new Set(shared.map(({ told }) => told)), opened.provider.log.length]).toEqual([new Set(['200']), 1]);
    for (let i = 0; i < 4; i += 1) await round(50, (index) => `/ok?${index}`);
    expect(opened.provider.log).toHaveLength(201);
    for (let i = 0; i < 4; i += 1) await round(50, (index) => `/bad?${index}`);
    expect(opened.provider.log).toHaveLength(801);
    const refused = await round(50, (index) => `/ok?${index}`);
    expect(new Set(refused.map(({ told }) => told))).toEqual(new Set(['CIRCUIT_OPEN']));
    await opened.leavesNothing();
  });
});

test('case 103: a hundred calls at once, on the wire and waiting, have ten listeners at most', async () => {
  const opened = await world({ s: 'slow(100) 200...', p: { limits: [concurrency({ limit: 50 })] } });
  const { signal } = new AbortController();
  const calls = Array.from({ length: 100 }, (_, index) => opened.call({ url: `/${index}`, signal }));
  await opened.clock.advance(50);
  expect(getEventListeners(signal, 'abort').length).toBeLessThanOrEqual(10);
  await opened.clock.advance(150);
  expect(new Set(calls.map(({ told }) => told))).toEqual(new Set(['200']));
  await opened.leavesNothing();
});

describe('case 104: an abort around the pause before a retry', () => {
  async function abortedAt(atMs: number, script = '503, hang'): Promise<FaultWorld & { sent: Sent }> {
    const opened = await world({ s: script });
    const controller = new AbortController();
    opened.clock.schedule(atMs, () => controller.abort());
    const sent = opened.call({ url: '/x', signal: controller.signal });
    await opened.clock.advance(HOUR);
    await opened.leavesNothing();
    return Object.assign(opened, { sent });
  }

  test.each([
    ['in the pause', 500, [0]],
    ['exactly when it is over', 1000, [0]],
    ['during the second attempt', 1500, [0, 1000]],
  ])('%s: one CanceledError, and no further send', async (_when, atMs, log) => {
    const opened = await abortedAt(atMs);
    expect([opened.sent.told, opened.sent.atMs, opened.log]).toEqual(['cancelled', atMs, log]);
  });

  test('in the hook that tells of the retry: likewise', async () => {
    const opened = await world({ s: '503, 200' });
    const controller = new AbortController();
    opened.limits.events.subscribe((event) => {
      if (event.type === 'decision' && event.decision === 'retry') controller.abort();
    });
    const sent = opened.call({ url: '/x', signal: controller.signal });
    await opened.clock.advance(HOUR);
    expect([sent.told, sent.atMs, opened.log]).toEqual(['cancelled', 0, [0]]);
    await opened.leavesNothing();
  });

  test('after the end: nothing happens any more', async () => {
    const opened = await abortedAt(5000, '503, 200');
    expect([opened.sent.told, opened.log]).toEqual(['200', [0, 1000]]);
  });
});

describe.each([
  ['a DOMException', new DOMException('enough', 'AbortError')],
  ['nothing', undefined],
  ['an AxiosError', new AxiosError('not wanted', 'ERR_USER')],
])('case 105: an abort with %s', (_name, reason) => {
  test.each<[string, Setup]>([
    ['while queued', { s: 'hang', p: { limits: [concurrency({ limit: 1 })] } }],
    ['in the pause', { s: '503' }],
    ['on the wire', { s: 'hang' }],
  ])('%s ends as Axios cancels', async (where, setup) => {
    const opened = await world({
      ...setup,
      p: { ...setup.p, auth: { credentials: () => ({ headers: { authorization: 'Bearer secret' } }) } },
    });
    const first = new AbortController();
    if (where === 'while queued') opened.call({ url: '/first', signal: first.signal });
    await opened.clock.advance(0);
    const controller = new AbortController();
    const sent = opened.call({ url: '/x', signal: controller.signal });
    await opened.clock.advance(50);
    controller.abort(reason);
    await opened.clock.advance(0);
    expect([sent.told, sent.atMs]).toEqual(['cancelled', 50]);
    expect(axios.isCancel(sent.error)).toBe(true);
    expect(sent.error).toMatchObject({ code: 'ERR_CANCELED', config: { url: '/x' } });
    expect(sent.error.cause).toBe(controller.signal.reason);
    expect(JSON.stringify(sent.error.config.headers)).not.toContain('secret');
    first.abort();
    await opened.leavesNothing();
  });
});

test('case 107: unsubscribing at 100 ms ends the request, and the next one is sent at 100 ms', async () => {
  const opened = await world({ s: 'hang, 200', p: { limits: [concurrency({ limit: 1 })] } });
  const { clock } = opened;
  const now = { now: () => clock.monoMs(), schedule: scheduleOn(opened) };
  const first = opened.watch(
    firstValueFrom(opened.caller.http.get('/1').pipe(timeout({ each: 100, scheduler: now as never }))),
  );
  const second = opened.watch(firstValueFrom(opened.caller.http.get('/2')));
  await clock.advance(1000);
  expect([first.error?.name, first.atMs, second.told]).toEqual(['TimeoutError', 100, '200']);
  expect(opened.log).toEqual([0, 100]);
  expect(opened.provider.log[0]).toMatchObject({ path: '/1', end: 'client-left', endedAtMs: 100 });
  await opened.leavesNothing();
});

/** An RxJS scheduler on the virtual clock. */
function scheduleOn({ clock }: FaultWorld) {
  return function schedule(this: unknown, work: (this: unknown, state?: unknown) => void, delay = 0, state?: unknown) {
    let cancel = (): void => undefined;
    const action = {
      closed: false,
      unsubscribe: () => cancel(),
      add: () => undefined,
      remove: () => undefined,
      schedule(next: unknown, ms = 0) {
        cancel();
        cancel = clock.schedule(ms, () => work.call(action, next));
        return action;
      },
    };
    return action.schedule(state, delay);
  };
}
