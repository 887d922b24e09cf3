/** Equal reads at once, whose callers have not the same time: a flight has the latest deadline of its members. */
import { slow } from 'nestjs-sluice/testing';
import { concurrency } from 'nestjs-sluice';
import { closeWorlds, P, world } from './faults.fixture.js';

afterEach(closeWorlds);

const demand = { singleFlight: true };
const retry = { ...(P.retry as object), maxAttempts: 1 };

test('the attempt on the wire goes on for a caller who joined it with a later deadline than the first has', async () => {
  const opened = await world({ s: [slow(3000)], p: { demand, retry } });
  const first = opened.call('/x', { deadline: '1s' });
  await opened.clock.advance(500);
  const second = opened.call('/x', { deadline: '60s' });
  await opened.clock.advance(5000);
  expect([first.told, first.atMs]).toEqual(['DEADLINE_EXCEEDED', 1000]);
  expect([second.told, second.atMs]).toEqual(['200', 3000]);
  expect(opened.log).toEqual([0]);
  await opened.leavesNothing();
});

test('and no longer than the attempt may take', async () => {
  const timeouts = { attempt: '2s' as const, total: '1d' as const };
  const opened = await world({ s: 'hang', p: { demand, retry, timeouts } });
  const first = opened.call('/x', { deadline: '1s' });
  await opened.clock.advance(500);
  const second = opened.call('/x', { deadline: '60s' });
  await opened.clock.advance(5000);
  expect([first.told, first.atMs]).toEqual(['DEADLINE_EXCEEDED', 1000]);
  expect([second.told, second.atMs]).toEqual(['ATTEMPT_TIMEOUT', 2000]);
  await opened.leavesNothing();
});

test('what waits in line goes on waiting for a caller who joined it with a later deadline', async () => {
  const limits = [concurrency({ limit: 1 })];
  const opened = await world({ s: [slow(3000)], p: { demand, retry, limits } });
  const holding = opened.call('/holds');
  const first = opened.call('/x', { deadline: '1s' });
  await opened.clock.advance(500);
  const second = opened.call('/x', { deadline: '60s' });
  await opened.clock.advance(5000);
  expect([holding.told, first.told, first.atMs]).toEqual(['200', 'DEADLINE_EXCEEDED', 1000]);
  expect([second.told, second.atMs]).toEqual(['200', 3000]);
  expect(opened.log).toEqual([0, 3000]);
  await opened.leavesNothing();
});

test('law 3: a read that all have left waits no longer, whoever took off first', async () => {
  const opened = await world({ s: [slow(10_000)], p: { demand, limits: [concurrency({ limit: 1 })] } });
  const holding = opened.call('/holds');
  const { axiosRef } = opened.caller.http;
  const controller = new AbortController();
  // It can leave by its deadline alone.
  const first = opened.watch(axiosRef.get('/x', { sluice: { deadline: '5s' } }));
  const second = opened.watch(axiosRef.get('/x', { sluice: { deadline: '60s' }, signal: controller.signal }));
  await opened.clock.advance(6000);
  controller.abort();
  await opened.clock.advance(0);
  expect([first.told, second.told]).toEqual(['DEADLINE_EXCEEDED', 'cancelled']);
  expect((await opened.limits.inspect('crm')).waiting).toBe(0);
  await opened.clock.advance(10_000);
  expect([holding.told, opened.log]).toEqual(['200', [0]]);
  await opened.leavesNothing();
});
