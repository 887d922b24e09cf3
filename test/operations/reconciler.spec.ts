import { answer, hang, hangAfterExecuting } from '../../libs/testing/src/index.js';
import { type AppProcess, OperationsWorld } from './operations-world.fixture.js';
import type { OperationsOptions } from '../../libs/core/src/operations/operations.js';
import { MAX_DELIVERIES } from '../../libs/core/src/operations/states.js';
import { absent, found, inconclusive, type Reconciled } from '../../libs/core/src/operations/reconciled.js';

let world: OperationsWorld;
beforeEach(async () => {
  world = await OperationsWorld.begin();
});
afterEach(async () => {
  await world.end();
  expect(world.timersOfTheLiving).toBe(0);
});

const CONTRACT = { reconcile: { settleTime: '10s' }, timeouts: { attempt: '2s' } } as const;

/** Looks up at the provider whether it is there. */
async function look(process: AppProcess, name: string): Promise<Reconciled> {
  const { status, data } = await process.http.get(`/jobs/${name}`, { validateStatus: () => true });
  return status === 404 ? absent() : found(data as unknown);
}

function paying(process: AppProcess): AppProcess {
  process.handle('job', (name: string) => process.post(name), (name: string) => look(process, name)); // prettier-ignore
  process.operations.start();
  return process;
}

const isOver = async (process: AppProcess): Promise<boolean> =>
  (await process.states()).every((state) => /^(done|dead|discarded) /.test(state));

describe('law 7: a write of unknown outcome', () => {
  it('case 135: that happened is found, and its result recorded; it is not sent again', async () => {
    const a = paying(await world.process('a', { contract: CONTRACT }));
    world.provider.play([hangAfterExecuting]);
    const { id } = (await a.defer('one')) as { id: string };
    expect(await world.told(a.operations.wait(id))).toMatchObject({ state: 'done', cause: 'found', result: '{"done":"one"}' }); // prettier-ignore
    expect(world.writes).toEqual(['one']);
    expect(a.moves.map(({ to, cause }) => [to, cause])).toEqual([
      ['queued', 'created'],
      ['running', 'claimed'],
      ['uncertain', 'outcome-unknown'],
      ['reconciling', 'claimed'],
      ['done', 'found'],
    ]);
  });

  it('case 135: that is absent twice, the settle time apart, is sent exactly once more', async () => {
    const a = paying(await world.process('a', { contract: CONTRACT }));
    world.provider.play([hang]);
    await a.defer('one');
    await world.until(() => isOver(a));
    expect(await a.states()).toEqual(['done completed']);
    expect([world.writes.length, world.provider.effects.length]).toEqual([2, 1]);
    const [first, second] = world.provider.log.filter(({ method }) => method === 'GET').map(({ atMs }) => atMs);
    expect(second! - first!).toBeGreaterThanOrEqual(10_000);
    expect(a.moves.filter(({ from }) => from === 'reconciling').map(({ cause }) => cause)).toEqual(['absent-once', 'absent-twice']); // prettier-ignore
  });

  it('that never arrives ends with a person, and is not sent for ever', async () => {
    const a = paying(await world.process('a', { contract: CONTRACT }));
    world.provider.faults = { applies: ({ method }) => method === 'POST', hang: true };
    await a.defer('one');
    await world.until(() => isOver(a));
    expect(await a.states()).toEqual(['dead unresolved']);
    expect(world.writes.length).toBe(3);
  });

  it('that cannot be looked up is looked up less and less often, and ends with a person', async () => {
    const a = await world.process('a', { contract: CONTRACT, options: { maxChecks: 4 } });
    const asked: number[] = [];
    const answers = [() => inconclusive(), () => Promise.reject(new Error('not now')), () => undefined, () => inconclusive()]; // prettier-ignore
    a.handle('job', (name: string) => a.post(name), async () => {
      asked.push(world.clock.monoMs());
      return answers[asked.length - 1]!();
    }); // prettier-ignore
    a.operations.start();
    world.provider.play([hangAfterExecuting]);
    await a.defer('one');
    await world.until(() => isOver(a), 600_000, 500);
    expect(await a.rows()).toMatchObject([{ state: 'dead', cause: 'unresolved', error: { message: 'The lookup was inconclusive.' } }]); // prettier-ignore
    const gaps = asked.slice(1).map((at, index) => Math.round((at - asked[index]!) / 10_000));
    expect(gaps).toEqual([1, 2, 4]);
    expect(world.writes).toEqual(['one']);
    expect(a.moves.filter(({ to }) => to === 'dead')).toHaveLength(1);
  });

  it('of one reference is looked up by one at a time, and not while another of it is on its way', async () => {
    const [a, b] = [await world.process('a', { contract: CONTRACT }), await world.process('b', { contract: CONTRACT })];
    let most = 0;
    let under = 0;
    for (const process of [a, b]) {
      process.handle('job', (name: string) => process.post(name), async (name: string) => {
        most = Math.max(most, (under += 1));
        await new Promise<void>((resolve) => void world.clock.schedule(3_000, resolve));
        under -= 1;
        return look(process, name);
      }); // prettier-ignore
    }
    world.provider.faults = { applies: ({ method }) => method === 'POST', reset: 'after' };
    for (let job = 0; job < 6; job += 1) await a.defer(`job${job}`, { reference: 'invoice 7' });
    for (const process of [a, b]) process.operations.start();
    await world.until(() => isOver(a));
    expect(await a.states()).toEqual(Array(6).fill('done found'));
    expect([most, world.writes.length]).toEqual([1, 6]);
  });

  it('is left to a version of the application that knows its method, for a while', async () => {
    const [a, b] = [await world.process('a', { contract: CONTRACT }), await world.process('b', { contract: CONTRACT })];
    a.handle('job', (name: string) => a.post(name), (name: string) => look(a, name)); // prettier-ignore
    world.provider.play([hangAfterExecuting]);
    await a.defer('one');
    a.operations.start();
    await world.until(async () => (await a.states())[0]!.startsWith('uncertain'));
    await world.told(a.end());
    b.operations.ledger(b.runtime);
    b.operations.start();
    await world.pass(15_000, 500);
    expect((await b.states())[0]).toMatch(/^uncertain/);
    await world.told(b.end());
    const c = paying(await world.process('c', { contract: CONTRACT }));
    await world.until(() => isOver(c));
    expect([await c.states(), world.writes]).toEqual([['done found'], ['one']]);
  });

  it('is given back by a process that stops, and its lookup is not counted', async () => {
    const a = await world.process('a', { contract: CONTRACT });
    a.handle('job', (name: string) => a.post(name), () => new Promise(() => undefined)); // prettier-ignore
    a.operations.start();
    world.provider.play([hangAfterExecuting]);
    await a.defer('one');
    await world.until(async () => (await a.states())[0]!.startsWith('reconciling'));
    await world.told(a.operations.stop(1_000));
    expect(await a.rows()).toMatchObject([{ state: 'uncertain', cause: 'given-back', deliveries: 0, checks: 0 }]);
  });

  it('survives more kills during its lookups than work may be handed out, and is found by the next', async () => {
    const a = await world.process('a', { contract: CONTRACT });
    a.handle('job', (name: string) => a.post(name));
    world.provider.play([hangAfterExecuting]);
    await a.defer('one');
    a.operations.start();
    await world.until(async () => (await a.states())[0]!.startsWith('uncertain'));
    a.crash();
    for (let kill = 0; kill <= MAX_DELIVERIES; kill += 1) await killedAtLookup(`kill ${kill}`);
    const z = paying(await world.process('z', { contract: CONTRACT }));
    await world.until(() => isOver(z));
    expect([await z.states(), world.writes]).toEqual([['done found'], ['one']]);
  });

  it('ends with a person where each of its lookups kills its process', async () => {
    const options = { maxChecks: 3, lease: '5s' } as const;
    const a = await world.process('a', { contract: CONTRACT, options });
    a.handle('job', (name: string) => a.post(name));
    world.provider.play([hangAfterExecuting]);
    await a.defer('one');
    a.operations.start();
    await world.until(async () => (await a.states())[0]!.startsWith('uncertain'));
    a.crash();
    for (let kill = 0; kill < 3; kill += 1) await killedAtLookup(`kill ${kill}`, options);
    const z = await world.process('z', { contract: CONTRACT, options });
    let looks = 0;
    z.handle('job', (name: string) => z.post(name), async (name: string) => ((looks += 1), look(z, name))); // prettier-ignore
    z.operations.start();
    await world.until(() => isOver(z));
    expect([await z.states(), looks, world.writes]).toEqual([['dead unresolved'], 0, ['one']]);
  });
});

/** A process that begins, looks the one operation up, and dies of it. */
async function killedAtLookup(name: string, options: OperationsOptions = {}): Promise<void> {
  const process = await world.process(name, { contract: CONTRACT, options: { lease: '5s', ...options } });
  process.handle('job', (job: string) => process.post(job), () => {
    process.crash();
    return new Promise(() => undefined);
  }); // prettier-ignore
  process.operations.start();
  await world.until(() => process.isDead);
}

describe('law 6: a lookup that cannot be made now', () => {
  const pausedFor = async (a: AppProcess, ms: number): Promise<void> => {
    await world.until(async () => (await a.states())[0]!.startsWith('uncertain'));
    a.runtime.admission.pause(null, ms);
  };

  it('holds its place no longer than a run may, and waits in the store until the pause is over', async () => {
    const options = { concurrency: 1, maxHold: '2s' } as const;
    const a = paying(await world.process('a', { contract: CONTRACT, options }));
    world.provider.play([hangAfterExecuting]);
    await a.defer('one');
    await pausedFor(a, 300_000);
    await world.pass(5_000);
    expect(await a.rows()).toMatchObject([{ state: 'uncertain', cause: 'rescheduled', owner: null }]);
    await world.until(() => isOver(a));
    expect([await a.states(), world.writes]).toEqual([['done found'], ['one']]);
  });

  it('is none of those after which a person has to look, however long it cannot be made', async () => {
    const a = paying(await world.process('a', { contract: CONTRACT, options: { maxChecks: 2 } }));
    world.provider.play([hangAfterExecuting]);
    await a.defer('one');
    await pausedFor(a, 60_000);
    for (let pauses = 0; pauses < 5; pauses += 1) {
      await world.pass(55_000, 500);
      a.runtime.admission.pause(null, 60_000);
    }
    expect(await a.rows()).toMatchObject([{ state: 'uncertain', checks: 0 }]);
    await world.until(() => isOver(a));
    expect([await a.states(), world.writes]).toEqual([['done found'], ['one']]);
  });

  it('is none of those either where it found the operation absent: one more send follows the second', async () => {
    const a = await world.process('a', { contract: CONTRACT, options: { maxChecks: 1 } });
    let looks = 0;
    a.handle('job', (name: string) => a.post(name), () => Promise.resolve(((looks += 1), absent()))); // prettier-ignore
    a.operations.start();
    world.provider.play([hang]);
    await a.defer('one');
    await world.until(() => isOver(a));
    expect([await a.states(), looks]).toEqual([['done completed'], 2]);
  });

  it('is no answer where its method says inconclusive for it', async () => {
    const a = await world.process('a', { contract: CONTRACT, options: { maxChecks: 1 } });
    a.handle('job', (name: string) => a.post(name), (name: string) => look(a, name).catch(inconclusive)); // prettier-ignore
    a.operations.start();
    world.provider.play([hangAfterExecuting]);
    await a.defer('one');
    await pausedFor(a, 60_000);
    await world.until(() => isOver(a));
    expect(await a.states()).toEqual(['done found']);
  });
});

it('a refusal of the lookup by a pause says nothing about the write', async () => {
  const a = paying(await world.process('a', { contract: CONTRACT }));
  world.provider.play([hangAfterExecuting, answer(429, { 'retry-after': '30' })]);
  await a.defer('one');
  await world.until(() => isOver(a));
  expect([await a.states(), world.writes]).toEqual([['done found'], ['one']]);
});
