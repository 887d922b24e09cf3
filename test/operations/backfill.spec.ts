import { answer, hangAfterExecuting } from '../../libs/testing/src/index.js';
import { type AppProcess, OperationsWorld } from './operations-world.fixture.js';
import type { BackfillSource } from '../../libs/core/src/operations/operations.js';
import { absent, found } from '../../libs/core/src/operations/reconciled.js';

let world: OperationsWorld;
beforeEach(async () => {
  world = await OperationsWorld.begin();
});
afterEach(async () => {
  await world.end();
  expect(world.timersOfTheLiving).toBe(0);
});

interface Reading {
  readonly from: (string | null)[];
}

/** Numbers from 1 to `count`, three at a time; each is posted. */
function numbers(process: AppProcess, count: number, reading: Reading = { from: [] }): BackfillSource<number> {
  return {
    batchSize: 3,
    next: async (position, batchSize) => {
      reading.from.push(position);
      const after = Number(position ?? 0);
      const items = Array.from({ length: Math.min(batchSize, count - after) }, (_, index) => after + index + 1);
      return { items, position: String(items.at(-1) ?? after) };
    },
    handle: async (item) => void (await process.post(`n${item}`)),
  };
}

const isOver = async (process: AppProcess): Promise<boolean> =>
  (await process.states()).every((state) => /^(done|dead|discarded) /.test(state));

const sorted = (): readonly string[] => [...world.writes].sort((a, b) => Number(a.slice(1)) - Number(b.slice(1)));
const upTo = (count: number): readonly string[] => Array.from({ length: count }, (_, index) => `n${index + 1}`);

describe('a backfill', () => {
  it('reads its source batch by batch, and handles each item once', async () => {
    const a = await world.process('a');
    const reading: Reading = { from: [] };
    a.handle('job', () => a.operations.backfill(numbers(a, 8, reading)));
    await a.defer('all');
    a.operations.start();
    await world.until(() => isOver(a));
    expect([await a.states(), world.writes, reading.from]).toEqual([
      ['done completed'],
      upTo(8),
      [null, '3', '6', '8'],
    ]);
  });

  it('goes on after a crash behind the last batch that was stored; what was answered in the cut one is not sent again', async () => {
    const a = await world.process('a');
    const reading: Reading = { from: [] };
    a.handle('job', () => {
      const source = numbers(a, 8);
      return a.operations.backfill({
        ...source,
        handle: (item: number) => {
          if (item === 5) a.crash();
          return source.handle(item);
        },
      });
    });
    await a.defer('all');
    a.operations.start();
    await world.until(() => a.isDead);
    const b = await world.process('b');
    b.handle('job', () => b.operations.backfill(numbers(b, 8, reading)));
    b.operations.start();
    await world.until(() => isOver(b));
    expect([await b.states(), world.writes, reading.from]).toEqual([['done completed'], upTo(8), ['3', '6', '8']]);
  });

  it('handles what its source gives anew, though it stands where another one stood', async () => {
    const a = await world.process('a');
    let isSecond = false;
    a.handle('job', async () => {
      const names = isSecond ? ['x', 'n1', 'n2'] : ['n1', 'n2', 'n3'];
      await a.operations.backfill<string>({
        batchSize: 3,
        next: async (position) => ({ items: position === null ? names : [], position: 'end' }),
        handle: async (name) => {
          if (name === 'n3') {
            isSecond = true;
            world.provider.play([answer(429, { 'retry-after': '20' })]);
          }
          await a.post(name);
        },
      });
    });
    await a.defer('all');
    a.operations.start();
    await world.until(() => isOver(a));
    expect(world.writes).toEqual(['n1', 'n2', 'n3', 'x']);
  });

  it('waits for a pause without its slot, and without counting an attempt', async () => {
    const a = await world.process('a', { options: { concurrency: 1 } });
    a.handle('job', () => a.operations.backfill(numbers(a, 6)));
    a.handle('other', async () => 'done');
    world.provider.play([201, 201, 201, 201, answer(429, { 'retry-after': '60' })]);
    await a.defer('all');
    a.operations.start();
    await world.until(async () => (await a.states())[0] === 'waiting rescheduled');
    await a.defer('short', { name: 'other' });
    await world.until(async () => (await a.states())[1] === 'done completed', 2_000);
    await world.until(() => isOver(a), 120_000, 1_000);
    expect((await a.rows())[0]).toMatchObject({ state: 'done', attempts: 0 });
    expect(sorted()).toEqual(['n1', 'n2', 'n3', 'n4', 'n5', 'n5', 'n6']);
  });

  it('law 7: sends no write of unknown outcome again before it was looked up', async () => {
    const a = await world.process('a', { contract: { timeouts: { attempt: '2s' }, reconcile: { settleTime: '5s' } } });
    let looks = 0;
    a.handle(
      'job',
      () => a.operations.backfill(numbers(a, 4)),
      async () => ((looks += 1), looks > 2 ? found(null) : absent()),
    );
    world.provider.play([201, hangAfterExecuting]);
    await a.defer('all');
    a.operations.start();
    await world.until(async () => (await a.states())[0]!.startsWith('uncertain'), 10_000);
    expect(world.writes).toEqual(['n1', 'n2']);
    await world.until(() => isOver(a));
    expect(looks).toBe(2);
    expect(sorted()).toEqual(['n1', 'n2', 'n2', 'n3', 'n4']);
  });

  it('is given back by a process that stops, between two items', async () => {
    const [a, b] = [await world.process('a'), await world.process('b')];
    for (const process of [a, b]) process.handle('job', () => process.operations.backfill(numbers(process, 9)));
    world.provider.faults = { slowMs: 200 };
    await a.defer('all');
    a.operations.start();
    await world.until(() => world.writes.length === 4, 10_000, 50);
    await world.told(a.operations.stop(0));
    expect(await b.rows()).toMatchObject([{ state: 'queued', cause: 'given-back', deliveries: 0 }]);
    await world.told(a.end());
    b.operations.start();
    await world.until(() => isOver(b));
    expect(sorted()).toEqual(upTo(9));
  });

  it('that follows another begins where it stopped, and the one before is over', async () => {
    const a = await world.process('a');
    const readings: [Reading, Reading] = [{ from: [] }, { from: [] }];
    let isFirstRun = true;
    a.handle('job', async () => {
      await a.operations.backfill(numbers(a, 3, readings[0]));
      const source = numbers(a, 6, readings[1]);
      await a.operations.backfill({
        ...source,
        handle: async (item: number) => {
          if (item === 5 && isFirstRun) {
            isFirstRun = false;
            world.provider.play([answer(429, { 'retry-after': '20' })]);
          }
          await a.post(`m${item}`);
        },
      });
    });
    await a.defer('all');
    a.operations.start();
    await world.until(() => isOver(a));
    expect(readings.map(({ from }) => from)).toEqual([
      [null, '3'],
      [null, '3', '3', '6'],
    ]);
    expect(world.writes).toEqual([...upTo(3), 'm1', 'm2', 'm3', 'm4', 'm5', 'm5', 'm6']);
  });

  it('has as many items in hand as it says, and ends with the first that fails when those beside it have ended', async () => {
    const a = await world.process('a');
    let under = 0;
    let most = 0;
    a.handle('job', () =>
      a.operations.backfill({
        ...numbers(a, 9),
        batchSize: 9,
        concurrency: 3,
        handle: async (item: number) => {
          most = Math.max(most, (under += 1));
          await new Promise<void>((resolve) => void world.clock.schedule(100, resolve));
          under -= 1;
          if (item === 5) throw new Error('not this one');
        },
      }),
    );
    await a.defer('all');
    a.operations.start();
    await world.until(() => isOver(a));
    expect([most, under]).toEqual([3, 0]);
    expect(await a.rows()).toMatchObject([{ state: 'dead', cause: 'rejected', error: { message: 'not this one' } }]);
  });

  it.each([
    ['batchSize of backfill() is 0', { batchSize: 0 }],
    ['concurrency of backfill() is 1.5', { concurrency: 1.5 }],
    ['items of a batch of backfill() is 4', { next: async () => ({ items: [1, 2, 3, 4], position: 'x' }) }],
    ['position of a batch of backfill() is null', { next: async () => ({ items: [1], position: null as never }) }],
  ] as const)('is refused where %s', async (message, wrong) => {
    const a = await world.process('a');
    a.handle('job', () => a.operations.backfill({ ...numbers(a, 3), ...(wrong as object) }));
    await a.defer('all');
    a.operations.start();
    await world.until(() => isOver(a));
    expect((await a.rows())[0]).toMatchObject({ state: 'dead', error: { code: 'CONFIG' } });
    expect((await a.rows())[0]!.error!.message).toContain(message);
  });

  it('is refused outside of a run by a worker', async () => {
    const a = await world.process('a');
    await expect(a.operations.backfill(numbers(a, 3))).rejects.toMatchObject({ code: 'CONFIG' });
  });
});
