import { jest } from '@jest/globals';
import { answer, forever, hang, type Script, type ScriptStep, slow } from 'nestjs-sluice/testing';
import { Jobs, StoredWork } from './stored-work.fixture.js';

// Minutes pass in steps in which a file answers.
jest.setTimeout(180_000);

let work: StoredWork;
afterEach(() => work.world.end());

/** What the provider does to the jobs of that name, always. */
const always = (id: string, step: ScriptStep): Script => ({
  next: (request) => (request.path === `/jobs/${id}` ? forever(step).next(request) : null),
});
const names = (count: number): string[] => Array.from({ length: count }, (_, i) => `good-${i}`);
const failed = (promise: Promise<unknown>): Promise<any> => work.world.go(promise.then(() => null, (error: unknown) => error)); // prettier-ignore

test('case 77: what was discarded or forgotten is not resurrected: no method runs with an empty payload', async () => {
  work = await StoredWork.begin();
  const keepDoneMs = 300_000;
  const fate = { isDead: false };
  const a = await work.process({ fate, keepDoneMs });
  work.provider.play([hang]);
  await work.defer(a, 'held');
  await work.world.until(() => work.log.length === 1);
  fate.isDead = true;
  const b = await work.process({ keepDoneMs });
  const later = await work.world.go(b.operations.defer(Jobs, 'run', [{ id: 'later' }], { delay: '20s' }));
  await work.world.go(b.operations.discard(later.id, 'not wanted'));
  await work.world.pass(60_000, 500);
  expect(await work.states()).toEqual(['done completed', 'discarded discarded']);
  // In the end it is forgotten; the next process scans, and nothing comes back.
  await work.world.pass(keepDoneMs, 1_000);
  const c = await work.process({ keepDoneMs });
  await work.world.pass(120_000, 1_000);
  expect(await work.states()).toEqual(['discarded discarded']);
  expect([a, b, c].flatMap(({ jobs }) => jobs.given)).toEqual([{ id: 'held' }, { id: 'held' }]);
  expect(work.log.map(([id]) => id)).toEqual(['held', 'held']);
});

test('case 79: the failure of a running job is in the file before the store is closed, as one attempt', async () => {
  work = await StoredWork.begin();
  const a = await work.process();
  work.provider.play([slow(500, 503)]);
  await work.defer(a, 'one');
  await work.world.until(() => work.log.length === 1);
  await work.world.stop(a.module);
  expect(await work.rows()).toMatchObject([{ state: 'waiting', cause: 'retry', attempts: 1, owner: null }]);
  expect(work.log).toHaveLength(1);
});

test('case 80: a close among a hundred jobs that are all put off ends after those that run; the rest is untouched', async () => {
  work = await StoredWork.begin();
  const a = await work.process();
  work.provider.play(forever(slow(50, answer(429, { 'retry-after': '600' }))));
  await work.defer(a, ...names(100));
  await work.world.until(() => work.log.length > 0);
  const before = work.world.clock.monoMs();
  await work.world.stop(a.module);
  expect(work.world.clock.monoMs() - before).toBeLessThan(1_000);
  expect(work.log.length).toBeLessThanOrEqual(8);
  const rows = await work.rows();
  expect(rows.filter(({ state }) => state === 'queued' || state === 'waiting')).toHaveLength(100);
  expect(rows.filter(({ attempts }) => attempts > 0)).toEqual([]);
});

test('case 81: the same id says what is there; another payload is a conflict; what failed can be put to the queue again', async () => {
  work = await StoredWork.begin();
  const a = await work.process();
  const defer = (amount: number) => a.operations.defer(Jobs, 'run', [{ id: 'k', amount }]);
  work.provider.play([slow(2_000, 400)]);
  const first = await work.world.go(defer(1), { stepMs: 10 });
  expect(first).toMatchObject({ created: true, state: 'queued' });
  await work.world.until(() => work.log.length === 1);
  expect(await work.world.go(defer(1), { stepMs: 10 })).toEqual({ id: first.id, created: false, state: 'running' });
  expect(await failed(defer(2))).toMatchObject({ code: 'IDEMPOTENCY_CONFLICT', operationId: first.id });
  expect(await work.world.go(a.operations.wait(first.id))).toMatchObject({ state: 'dead', cause: 'rejected' });
  expect(await work.world.go(a.operations.redrive(first.id))).toBe('queued');
  expect(await work.world.go(a.operations.wait(first.id))).toMatchObject({ state: 'done', result: { done: 'k' } });
  expect(await work.world.go(defer(1))).toEqual({ id: first.id, created: false, state: 'done' });
  expect(await failed(defer(2))).toMatchObject({ code: 'IDEMPOTENCY_CONFLICT' });
  expect(work.log).toHaveLength(2);
});

test('case 85: a job that fails at once is moved behind its backoff: ten fresh ones are done first', async () => {
  work = await StoredWork.begin();
  const a = await work.process({ operations: { concurrency: 1 } });
  work.provider.play(always('bad', 503));
  await work.defer(a, 'bad', ...names(10));
  await work.world.until(() => work.log.length === 13);
  expect(work.log.map(([id]) => id)).toEqual(['bad', ...names(10), 'bad', 'bad']);
  const moments = work.log.filter(([id]) => id === 'bad').map(([, atMs]) => atMs);
  expect(moments[1]! - moments[0]!).toBeGreaterThanOrEqual(10_000);
  expect(moments[2]! - moments[1]!).toBeGreaterThanOrEqual(20_000);
});

test.each(['before', 'after'] as const)(
  'case 86: a crash %s the move to dead loses no row and makes no second one',
  async (when) => {
    work = await StoredWork.begin();
    work.provider.play(forever(400));
    const a = await work.process({ fate: { diesAt: { command: 'settle', when } } });
    const [id] = await work.defer(a, 'one');
    await work.world.until(() => work.log.length === 1);
    const b = await work.process();
    await work.world.pass(60_000, 500);
    expect(await work.rows()).toMatchObject([{ id, state: 'dead', cause: 'rejected' }]);
    expect(work.log).toHaveLength(when === 'before' ? 2 : 1);
    // What is dead holds up nothing.
    await work.defer(b, 'two');
    await work.world.until(() => work.log.some(([name]) => name === 'two'));
  },
);

test('case 87: fifty good jobs are done while one fails and waits', async () => {
  work = await StoredWork.begin();
  const a = await work.process();
  work.provider.play(always('bad', 503));
  await work.defer(a, 'bad', ...names(50));
  await work.world.pass(5_000);
  const states = await work.states();
  expect(states[0]).toBe('waiting retry');
  expect(states.slice(1)).toEqual(Array(50).fill('done completed'));
  await work.world.pass(60_000, 500);
  expect((await work.rows())[0]).toMatchObject({ state: 'dead', cause: 'attempts-exhausted' });
  expect(work.log.filter(([id]) => id === 'bad')).toHaveLength(3);
});

test('case 88: a job that kills its process three times is dead with its reason, and one event tells it', async () => {
  work = await StoredWork.begin();
  work.provider.play(forever(hang));
  const told: (readonly [string, string])[] = [];
  for (let life = 0; life < 4; life += 1) {
    const fate = { isDead: false };
    const process = await work.process({ fate });
    if (life === 0) await work.defer(process, 'killer');
    await work.world.pass(35_000, 500);
    fate.isDead = true;
    told.push(
      ...process
        .moves()
        .filter(({ to }) => to === 'dead')
        .map(({ to, cause }) => [to, cause] as const),
    );
  }
  expect(told).toEqual([['dead', 'deliveries-exhausted']]);
  expect(await work.rows()).toMatchObject([{ state: 'dead', cause: 'deliveries-exhausted' }]);
  expect(work.log).toHaveLength(3);
});

test('case 90: ten jobs that each take longer than their lease are handed out once, each under its own id', async () => {
  work = await StoredWork.begin();
  const options = { operations: { lease: '6s', concurrency: 10 } } as const;
  const [a, b] = [await work.process(options), await work.process(options)];
  work.provider.play(forever(slow(20_000)));
  const ids = await work.defer(a, ...names(10));
  await work.world.pass(30_000, 200);
  expect(await work.states()).toEqual(Array(10).fill('done completed'));
  expect((await work.rows()).map(({ id }) => id).sort()).toEqual([...ids].sort());
  expect(work.log.map(([id]) => id).sort()).toEqual(names(10).sort());
  expect([...a.moves(), ...b.moves()].filter(({ cause }) => cause === 'lease-expired')).toEqual([]);
});
