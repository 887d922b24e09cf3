import { OperationsWorld } from './operations-world.fixture.js';

let world: OperationsWorld;
beforeEach(async () => {
  world = await OperationsWorld.begin();
});
afterEach(async () => {
  await world.end();
  expect(world.timersOfTheLiving).toBe(0);
});

const HOUR = 3_600_000;
/** Each look of a loop falls on the end of a step, so that the store can answer before time goes on. */
const RARELY = { poll: '30m', lease: '2h' } as const;
const realms = { dimensions: ['realm'], limits: [{ kind: 'concurrency', limit: 50, countedBy: ['realm'] } as never] };

describe('work that a pause holds up', () => {
  it('is given up after 36 hours of it, with one event each; that of other partitions and what is younger is not', async () => {
    const a = await world.process('a', { options: RARELY, contract: realms });
    a.handle('job', (name: string) => a.post(name));
    a.operations.start();
    a.runtime.admission.pause({ realm: 'slow' }, 48 * HOUR);
    for (const name of ['old1', 'old2']) await a.defer(name, { partition: { realm: 'slow' } });
    await a.defer('elsewhere', { partition: { realm: 'fast' }, delay: '40h' });
    await world.pass(35 * HOUR, HOUR / 2);
    expect((await a.rows()).map(({ state }) => state)).toEqual(['waiting', 'waiting', 'waiting']);
    await a.defer('young', { partition: { realm: 'slow' } });
    await world.pass(2 * HOUR, HOUR / 2);
    expect((await a.rows()).map(({ state, cause }) => `${state} ${cause}`)).toEqual([
      'dead flushed',
      'dead flushed',
      'waiting scheduled',
      'waiting rescheduled',
    ]);
    expect(a.moves.filter(({ cause }) => cause === 'flushed')).toHaveLength(2);
    expect(world.writes).toEqual([]);
  }, 60_000);

  it('is not given up where the pause began anew in between', async () => {
    const a = await world.process('a', { options: RARELY, contract: realms });
    a.handle('job', (name: string) => a.post(name));
    // Nobody runs it: the pause alone is looked at.
    await a.defer('old', { partition: { realm: 'slow' }, delay: '80h' });
    a.operations.start();
    a.runtime.admission.pause(null, 20 * HOUR);
    await world.pass(20 * HOUR, HOUR / 2);
    a.runtime.admission.resume(null);
    a.runtime.admission.pause(null, 40 * HOUR);
    await world.pass(30 * HOUR, HOUR / 2);
    expect(await a.states()).toEqual(['waiting scheduled']);
    await world.pass(7 * HOUR, HOUR / 2);
    expect(await a.states()).toEqual(['dead flushed']);
  }, 60_000);
});

it('what ended long ago is forgotten', async () => {
  const a = await world.process('a', { options: RARELY });
  a.handle('job', (name: string) => a.post(name));
  a.operations.start();
  await a.defer('one');
  await world.pass(HOUR, HOUR / 2);
  expect(await a.states()).toEqual(['done completed']);
  await world.pass(24 * 40 * HOUR, 24 * HOUR);
  await world.pass(HOUR, HOUR / 2);
  expect(await a.states()).toEqual([]);
}, 60_000);

it('what a dead process held is taken back by one that does not know its provider', async () => {
  const [a, b] = [await world.process('a'), await world.process('b')];
  a.handle('job', () => {
    a.crash();
    return new Promise(() => undefined);
  });
  await a.defer('one');
  a.operations.start();
  await world.until(() => a.isDead);
  b.operations.start();
  await world.pass(32_000, 500);
  expect(await b.states()).toEqual(['queued lease-expired']);
});

describe('a store that is away', () => {
  it('makes all loops ask less and less often, is told of once a minute, and is asked again when it is back', async () => {
    let isAway = false;
    let asked = 0;
    const a = await world.process('a', {
      wrap: (store) =>
        new Proxy(store, {
          get:
            (target, name) =>
            (...args: unknown[]) => {
              asked += 1;
              const method = target[name as keyof typeof target] as (...all: unknown[]) => Promise<unknown>;
              return isAway ? Promise.reject(new Error('the disk is gone')) : method.apply(target, args);
            },
        }),
    });
    a.handle('job', (name: string) => a.post(name));
    a.operations.start();
    await world.pass(1_000);
    isAway = true;
    asked = 0;
    await world.pass(50_000, 500);
    expect(asked).toBeLessThan(3 * 12);
    expect([...a.failures].sort()).toEqual(['operations: claim', 'operations: maintenance']);
    isAway = false;
    await a.defer('one');
    await world.pass(31_000, 500);
    expect(await a.states()).toEqual(['done completed']);
  });

  it('that never answers holds up no stop', async () => {
    let isStuck = false;
    const a = await world.process('a', {
      wrap: (store) =>
        new Proxy(store, {
          get:
            (target, name) =>
            (...args: unknown[]) =>
              isStuck && name !== 'close'
                ? new Promise(() => undefined)
                : (target[name as keyof typeof target] as (...all: unknown[]) => unknown).apply(target, args),
        }),
    });
    a.handle('job', (name: string) => a.post(name));
    a.operations.start();
    await world.pass(1_000);
    isStuck = true;
    await world.pass(1_500);
    expect(await world.told(a.operations.stop(100))).toBeUndefined();
  });
});
