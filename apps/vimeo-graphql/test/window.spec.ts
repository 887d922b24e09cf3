import { Test } from '@nestjs/testing';
import { sluiceTesting, VirtualClock } from 'nestjs-sluice/testing';
import { createAccount } from '../../provider-simulator/src/vimeo/model.js';
import {
  createVimeo,
  type VimeoStandIn,
  type VimeoStandInOptions,
} from '../../provider-simulator/src/vimeo/stand-in.js';
import type { VimeoToken } from '../src/tokens/token-store.js';
import { VimeoModule } from '../src/vimeo/vimeo.module.js';
import { VimeoService } from '../src/vimeo/vimeo.service.js';

interface World {
  readonly clock: VirtualClock;
  readonly vimeo: VimeoStandIn;
  readonly service: VimeoService;
  close(): Promise<void>;
}

/** The client without GraphQL and sockets, on a virtual clock, with Vimeo's own minute. */
async function world(options: VimeoStandInOptions, contractLimit?: number): Promise<World> {
  const clock = new VirtualClock({ wall: '2026-07-31T17:00:00.250Z' });
  const vimeo = createVimeo({ accounts, ...options });
  const http = { adapter: vimeo.simulator.transport(clock, { networkMs: 10 }) };
  const app = await Test.createTestingModule({
    imports: [
      sluiceTesting({ clock }),
      VimeoModule.register({ baseURL: 'http://vimeo.example', http, limit: contractLimit }),
    ],
  }).compile();
  await app.init();
  return { clock, vimeo, service: app.get(VimeoService), close: () => app.close() };
}

const accounts = ['101', '102', '103', '104'].map((id) => createAccount(id, `User ${id}`, 1));

const ada: VimeoToken = { userId: 'ada', vimeoId: '101', accessToken: 'token-of-101' };

/** `Retry-After` is not sent: the date of `X-RateLimit-Reset` is all there is. */
const timesOf = ({ vimeo }: World): [number, string][] =>
  vimeo.simulator.log.map(({ atMs, verdict }) => [Math.round(atMs), verdict]);

test('a window that is used up costs a wait until the next, and no refusal', async () => {
  const w = await world({ limit: 3 }, 3);
  const calls = Promise.all(accounts.map(({ id }) => w.service.user(ada, id)));
  await w.clock.advanceUntil(calls);
  const times = timesOf(w);
  expect(times.slice(0, 3)).toEqual([
    [10, 'accepted'],
    [10, 'accepted'],
    [10, 'accepted'],
  ]);
  expect(times).toHaveLength(4);
  const [lastMs, verdict] = times[3] as [number, string];
  expect(verdict).toBe('accepted');
  // The window began at 10 ms; its reset is told in whole seconds, and the guard comes on top.
  expect(lastMs).toBeGreaterThanOrEqual(60_010);
  expect(lastMs).toBeLessThanOrEqual(62_000);
  await w.close();
  expect(w.clock.pendingTimers).toBe(0);
});

test('a refusal that nobody foresaw is waited out until the date of the reset, at most 61 s, and sent again', async () => {
  const w = await world({ limit: 2 });
  await w.clock.advanceUntil(w.service.user(ada, '101'));
  await w.clock.advance(20_000);
  // Another program of the user takes what is left.
  w.vimeo.simulator.faults = { limited: { share: 1, waitMs: 40_000 } };
  const call = w.service.user(ada, '101');
  await w.clock.advance(1_000);
  w.vimeo.simulator.faults = {};
  await w.clock.advanceUntil(call);
  const times = timesOf(w);
  expect(times.map(([, verdict]) => verdict)).toEqual(['accepted', 'limited', 'accepted']);
  const waitedMs = (times[2]?.[0] ?? 0) - (times[1]?.[0] ?? 0);
  expect(waitedMs).toBeGreaterThanOrEqual(40_000);
  expect(waitedMs).toBeLessThanOrEqual(42_000);
  await w.close();
  expect(w.clock.pendingTimers).toBe(0);
});

test('three refusals are enough: the call ends with the last of them', async () => {
  const w = await world({});
  w.vimeo.simulator.faults = { limited: { share: 1, waitMs: 5_000 } };
  const ended = w.clock.advanceUntil(w.service.user(ada, '101'));
  await expect(ended).rejects.toMatchObject({
    isAxiosError: true,
    response: { status: 429 },
    sluice: { attempts: 3, reason: 'attempts-exhausted' },
  });
  expect(timesOf(w).map(([, verdict]) => verdict)).toEqual(['limited', 'limited', 'limited']);
  await w.close();
});

test('a user who is refused does not hold up another', async () => {
  const w = await world({ limits: { '101': 1 } }, 1);
  await w.clock.advanceUntil(w.service.user(ada, '101'));
  const waiting = w.service.user(ada, '101');
  const sentAt = w.clock.monoMs();
  await w.clock.advanceUntil(w.service.user({ userId: 'ben', vimeoId: '102', accessToken: 'token-of-102' }, '102'));
  expect(w.clock.monoMs() - sentAt).toBeLessThan(100);
  await w.clock.advanceUntil(waiting);
  await w.close();
});
