import type { GateView } from '../../gate-view.js';
import { VirtualClock } from '../../../../../testing/src/index.js';
import { fixedWindow, tokenBucket } from '../../../contract/builders.js';
import { request, settlement } from '../../client/gates.fixture.js';
import { File, Life, type Options } from './lives.fixture.js';

const MINUTE_MS = 60_000;

const options: Options = {
  guard: 0,
  dimensions: ['account', 'user'],
  routes: { search: 'GET /search' },
  limits: [
    tokenBucket({ name: 'of-account', burst: 10, limit: 10, per: '1s', countedBy: ['account'] }),
    fixedWindow({ name: 'of-search', limit: 10, per: '1s', countedBy: ['account'], routes: ['search'] }),
  ],
};

let clock: VirtualClock;
let file: File;
beforeEach(() => {
  clock = new VirtualClock();
  file = new File(clock);
});

const begin = (more: Partial<Options> = {}): Life => new Life(clock, (life) => file.bookFor(life), { ...options, ...more }, []); // prettier-ignore
const pausesOf = async ({ admission }: Life): Promise<GateView['pauses']> =>
  [...(await clock.advanceUntil(admission.inspect())).gate.pauses].sort((a, b) => (a.stage < b.stage ? -1 : 1));

/** A process whose provider, an account's searches and a user are paused; some seconds after it is killed. */
async function pausedBefore(): Promise<GateView['pauses']> {
  const life = begin();
  await clock.advance(0);
  const { admission } = life;
  const permit = await admission.admit(request({ route: 'search', partition: { account: 'b' } }));
  permit.settle(settlement({ refusal: { limitName: 'of-search', waitMs: 30 * MINUTE_MS } }));
  admission.pause({ account: 'a', user: 'u' }, 20 * MINUTE_MS);
  admission.pause(null, 10 * MINUTE_MS);
  await clock.advance(5_000);
  const pauses = await pausesOf(life);
  life.kill();
  return pauses;
}

test('an operator sees each pause from before a restart at once, before anything was called', async () => {
  const before = await pausedBefore();
  expect(before).toHaveLength(3);
  const second = begin();
  const after = await pausesOf(second);
  expect(after.map(({ stage }) => stage)).toEqual(before.map(({ stage }) => stage));
  // The wall clock ticks in whole milliseconds.
  for (const [at, { lastedMs }] of after.entries()) expect(lastedMs).toBeGreaterThanOrEqual(before[at]!.lastedMs - 1);
  second.kill();
});

test('to resume the provider ends the pauses of partitions too that nobody has called since the restart', async () => {
  await pausedBefore();
  const second = begin();
  second.admission.resume(null);
  expect(await pausesOf(second)).toEqual([]);
  const call = second.call({ route: 'search', partition: { account: 'b' }, maxWaitMs: MINUTE_MS });
  expect(await clock.advanceUntil(call)).toBe('sent');
  second.kill();
});

test('a pause of what the contract counts by no more is none', async () => {
  await pausedBefore();
  const second = begin({ dimensions: ['account'], routes: {}, limits: [options.limits[0]!] });
  expect((await pausesOf(second)).map(({ stage }) => stage)).toEqual(['*']);
  second.kill();
});

test('an operator who looks while the store is away is told so, and not that nothing is paused', async () => {
  const life = new Life(clock, { load: () => new Promise(() => undefined), save: () => Promise.resolve() }, options, []); // prettier-ignore
  await expect(clock.advanceUntil(life.admission.inspect())).rejects.toThrow('did not answer within');
  life.kill();
});
