import { answer, hangAfterExecuting } from '../../libs/testing/src/index.js';
import { OperationsWorld } from './operations-world.fixture.js';

let world: OperationsWorld;
beforeEach(async () => {
  world = await OperationsWorld.begin();
});
afterEach(async () => {
  await world.end();
  expect(world.timersOfTheLiving).toBe(0);
});

const settled = async (process: { states(): Promise<readonly string[]> }): Promise<boolean> =>
  (await process.states()).every((state) => /^(done|dead|discarded) /.test(state));

describe('deferred work', () => {
  it('is run by the worker of a process, once, and each of its moves is told once', async () => {
    const a = await world.process('a');
    a.handle('job', (name: string) => a.post(name));
    a.operations.start();
    expect(await a.defer('one')).toMatchObject({ created: true, state: 'queued' });
    const [row] = await a.rows();
    expect(await world.told(a.operations.wait(row!.id))).toMatchObject({ state: 'done', result: '{"done":"one"}' });
    expect(world.writes).toEqual(['one']);
    expect(a.moves.map(({ from, to, cause }) => [from, to, cause])).toEqual([
      [null, 'queued', 'created'],
      ['queued', 'running', 'claimed'],
      ['running', 'done', 'completed'],
    ]);
    expect(a.failures).toEqual([]);
  });

  it('waits for its moment', async () => {
    const a = await world.process('a');
    a.handle('job', (name: string) => a.post(name));
    a.operations.start();
    await a.defer('later', { delay: '20s' });
    await world.pass(19_000, 1_000);
    expect(world.writes).toEqual([]);
    await world.pass(2_000);
    expect(world.writes).toEqual(['later']);
    expect(a.moves[1]).toMatchObject({ from: 'waiting', to: 'running' });
  });

  it('case 81: the same key is the same work, whether it runs or has ended; other work under it is a conflict; what is dead can be driven again', async () => {
    const a = await world.process('a');
    a.handle('job', (name: string) => a.post(name));
    const first = (await a.defer('one', { key: 'k' })) as { id: string };
    expect(await a.defer('one', { key: 'k' })).toEqual({ id: first.id, created: false, state: 'queued' });
    world.provider.play([422]);
    a.operations.start();
    expect(await world.told(a.operations.wait(first.id))).toMatchObject({ state: 'dead', cause: 'rejected' });
    expect(await a.defer('one', { key: 'k' })).toEqual({ id: first.id, created: false, state: 'dead' });
    expect(await a.defer('two', { key: 'k' })).toBe('IDEMPOTENCY_CONFLICT');
    expect(await a.defer('two', { key: 'k', tenant: 'other' })).toMatchObject({ created: true });
    await world.told(a.operations.redrive(first.id));
    expect(await world.told(a.operations.wait(first.id))).toMatchObject({ state: 'done' });
    expect(await a.defer('one', { key: 'k' })).toEqual({ id: first.id, created: false, state: 'done' });
  });

  it('case 118: of a name that nobody here knows is left to others, and told of once', async () => {
    const [a, b] = [await world.process('a'), await world.process('b')];
    a.handle('job', (name: string) => a.post(name));
    b.handle('other', (name: string) => b.post(name));
    b.operations.start();
    await a.defer('one');
    await a.defer('two');
    await world.pass(3_000);
    expect(await a.states()).toEqual(['waiting rescheduled', 'waiting rescheduled']);
    expect(b.failures).toEqual(['operations: no method job']);
    a.operations.start();
    await world.until(() => settled(a));
    expect([...world.writes].sort()).toEqual(['one', 'two']);
  });

  it('case 77: work that was discarded is not run, whoever had it in mind', async () => {
    const [a, b] = [await world.process('a'), await world.process('b')];
    for (const process of [a, b]) process.handle('job', (name: string) => process.post(name));
    const { id } = (await a.defer('one')) as { id: string };
    const { claimed } = await a.store.claim({ provider: 'crm', owner: 'slow', leaseMs: 1_000, limit: 1, lanes: [] });
    await world.pass(1_001);
    // Its lease is over: one takes it back while the other gives it up.
    const orders = [world.told(b.operations.discard(id, 'not wanted')), a.store.recover(10)];
    await orders[1];
    await orders[0]!.catch(() => undefined);
    if ((await a.states())[0] === 'queued lease-expired') await world.told(b.operations.discard(id, 'not wanted'));
    expect(await a.states()).toEqual(['discarded discarded']);
    expect(await a.store.settle({ id, fence: claimed[0]!.operation.fence }, { to: 'queued', cause: 'given-back' })).toMatchObject({ type: 'stale' }); // prettier-ignore
    a.operations.start();
    await world.pass(5_000);
    expect([world.writes, await a.states()]).toEqual([[], ['discarded discarded']]);
  });
});

describe('a failure', () => {
  it('case 85: moves the work to a later moment: what is fresh goes first', async () => {
    const a = await world.process('a', { options: { concurrency: 1 }, contract: { retry: { maxAttempts: 5, baseDelay: '10s', jitter: 'none', budget: false } } }); // prettier-ignore
    a.handle('job', (name: string) => a.http.get(`/jobs/${name}`));
    world.provider.faults = { applies: ({ path }) => path === '/jobs/bad', failing: { share: 1, status: 500 } };
    await a.defer('bad');
    for (let fresh = 0; fresh < 10; fresh += 1) await a.defer(`good${fresh}`);
    await world.told(
      a.post('good0').then(() => Promise.all(Array.from({ length: 9 }, (_, i) => a.post(`good${i + 1}`)))),
    );
    a.operations.start();
    await world.pass(2_000);
    const seen = world.provider.log.filter(({ method }) => method === 'GET').map(({ path }) => path);
    expect(seen.slice(0, 11)).toEqual(['/jobs/bad', ...Array.from({ length: 10 }, (_, i) => `/jobs/good${i}`)]);
    expect(await a.states()).toEqual(['waiting retry', ...Array<string>(10).fill('done completed')]);
  });

  it('case 87: one that always fails holds up nobody, and is dead in the end with its reason', async () => {
    const a = await world.process('a', { options: { concurrency: 2, maxHold: 0 } });
    a.handle('job', (name: string) => a.http.get(`/jobs/${name}`).then(({ status }) => status));
    world.provider.faults = { applies: ({ path }) => path === '/jobs/bad', failing: { share: 1, status: 500 } };
    for (let good = 0; good < 50; good += 1) {
      if (good === 3) await a.defer('bad');
      await a.defer(`good${good}`);
    }
    await world.told(Promise.all(Array.from({ length: 50 }, (_, i) => a.post(`good${i}`))));
    a.operations.start();
    await world.pass(500, 50);
    expect((await a.states()).filter((state) => state === 'done completed')).toHaveLength(50);
    await world.until(() => settled(a));
    const bad = (await a.rows()).find(({ state }) => state === 'dead');
    expect(bad).toMatchObject({ cause: 'attempts-exhausted', attempts: 2, error: { status: 500 } });
    expect(world.provider.log.filter(({ path }) => path === '/jobs/bad')).toHaveLength(3);
  });

  it('keeps the order of an ordering key: the next one goes when the one before has ended, however', async () => {
    const a = await world.process('a', { options: { maxHold: 0 } });
    a.handle('job', (name: string) => a.post(name));
    world.provider.play([answer(429, { 'retry-after': '20' }), 201, 422, 201]);
    for (const name of ['first', 'second', 'third']) await a.defer(name, { orderingKey: 'customer 7' });
    a.operations.start();
    await world.until(() => settled(a));
    expect(world.writes).toEqual(['first', 'first', 'second', 'third']);
    expect(await a.states()).toEqual(['done completed', 'dead rejected', 'done completed']);
  });

  it('that finds the budget spent waits, or is given up where the contract says so', async () => {
    for (const onSpent of ['wait', 'dead-letter'] as const) {
      const budget = { ratio: 0, floor: 0, onSpent } as const;
      const a = await world.process(onSpent, { contract: { retry: { maxAttempts: 3, baseDelay: '1s', jitter: 'none', budget } } }); // prettier-ignore
      a.handle(onSpent, (name: string) => a.http.get(`/jobs/${name}`));
      world.provider.faults = { failing: { share: 1, status: 500 } };
      await a.defer(onSpent, { name: onSpent });
      a.operations.start();
      await world.pass(300);
      const row = (await a.rows()).find(({ name }) => name === onSpent)!;
      expect([row.state, row.cause]).toEqual(onSpent === 'wait' ? ['waiting', 'retry'] : ['dead', 'budget-exhausted']);
      await world.told(a.end());
    }
  });
});

it('law 9: the retries of failed runs count against the budget too, and work that finds it spent waits', async () => {
  const budget = { ratio: 0, floor: 2, onSpent: 'wait' } as const;
  const a = await world.process('a', {
    options: { maxHold: '1s' },
    contract: { retry: { maxAttempts: 3, baseDelay: '5s', jitter: 'none', budget } },
  });
  a.handle('job', (name: string) => a.http.get(`/jobs/${name}`, { validateStatus: (status) => status < 500 }));
  world.provider.play(Array.from({ length: 6 }, () => answer(500)));
  for (let job = 0; job < 6; job += 1) await a.defer(`job${job}`);
  a.operations.start();
  await world.until(() => settled(a), 400_000, 500);
  const { log } = world.provider;
  expect(log).toHaveLength(12);
  const retries = log.slice(6).map(({ wallMs }) => Math.floor(wallMs / 60_000));
  for (const minute of retries) expect(retries.filter((other) => other === minute).length).toBeLessThanOrEqual(2);
});

describe('a wait', () => {
  it('cases 26 and 32: holds no slot: 100 jobs of a paused partition leave room for the work of another', async () => {
    const a = await world.process('a', {
      options: { concurrency: 4 },
      contract: { dimensions: ['realm'], limits: [{ kind: 'concurrency', limit: 50, countedBy: ['realm'] } as never] },
    });
    a.handle('job', (name: string) => a.post(name));
    a.runtime.admission.pause({ realm: 'slow' }, 60_000);
    for (let job = 0; job < 100; job += 1) await a.defer(`slow${job}`, { partition: { realm: 'slow' } });
    a.operations.start();
    await world.pass(2_000);
    const states = await a.states();
    expect(states.filter((state) => state === 'waiting rescheduled')).toHaveLength(100);
    await a.defer('fast', { partition: { realm: 'fast' } });
    await world.pass(200, 20);
    expect(world.writes).toEqual(['fast']);
    const { gate, waiting, active } = await a.runtime.admission.inspect();
    expect([gate.leases, waiting, active]).toEqual([0, 0, 0]);
    await world.until(() => settled(a), 120_000, 1_000);
    expect(world.writes).toHaveLength(101);
    expect((await a.rows()).every(({ attempts, state }) => attempts === 0 && state === 'done')).toBe(true);
  });
});

describe('a crash', () => {
  it('case 88: a job that kills its worker ends dead after three hand-outs, with one event of it', async () => {
    const { length } = await endOfKiller();
    expect(length).toBe(1);
  });

  async function endOfKiller(): Promise<readonly unknown[]> {
    const hands: string[] = [];
    for (const name of ['p', 'q', 'r']) {
      const process = await world.process(name);
      process.handle('job', () => {
        hands.push(name);
        process.crash();
        return new Promise(() => undefined);
      });
      if (name === 'p') await process.defer('killer');
      process.operations.start();
      await world.until(() => process.isDead);
    }
    const last = await world.process('s');
    last.handle('job', () => Promise.reject(new Error('It must not be run again.')));
    last.operations.start();
    await world.until(() => settled(last));
    expect(hands).toEqual(['p', 'q', 'r']);
    expect(await last.states()).toEqual(['dead deliveries-exhausted']);
    return last.moves.filter(({ to, cause }) => to === 'dead' && cause === 'deliveries-exhausted');
  }

  it('case 86: before the row is dead in the file leaves it to the next process, which brings it there', async () => {
    const a = await world.process('a', {
      wrap: (store) => ({
        ...bound(store),
        settle: () => {
          a.crash();
          return new Promise(() => undefined);
        },
      }),
    });
    world.provider.play([422, 422]);
    a.handle('job', (name: string) => a.post(name));
    await a.defer('one');
    a.operations.start();
    await world.until(() => a.isDead);
    const b = await world.process('b');
    b.handle('job', (name: string) => b.post(name));
    b.operations.start();
    await world.until(() => settled(b));
    expect(await b.states()).toEqual(['dead rejected']);
    expect(b.moves.map(({ to, cause }) => [to, cause])).toEqual([['queued', 'lease-expired'], ['running', 'claimed'], ['dead', 'rejected']]); // prettier-ignore
  });

  it('case 90: a job that takes longer than its lease is renewed, each by itself, and handed out once', async () => {
    const [a, b] = [await world.process('a'), await world.process('b')];
    const ran: string[] = [];
    for (const process of [a, b]) {
      process.handle('job', async (name: string) => {
        ran.push(name);
        await new Promise<void>((resolve) => void world.clock.schedule(100_000, resolve));
        return process.post(name);
      });
    }
    for (let job = 0; job < 10; job += 1) await a.defer(`job${job}`);
    a.operations.start();
    b.operations.start();
    await world.pass(250_000, 1_000);
    expect((await a.rows()).map(({ state, deliveries }) => [state, deliveries])).toEqual(Array(10).fill(['done', 1]));
    expect(new Set(ran).size).toBe(10);
    expect([ran.length, world.writes.length]).toEqual([10, 10]);
  });
});

describe('a stop', () => {
  it('case 79: the failure of what runs is written down before the store is closed', async () => {
    const a = await world.process('a', { options: { maxHold: 0 } });
    a.handle('job', (name: string) => a.http.get(`/jobs/${name}`));
    world.provider.faults = { failing: { share: 1, status: 500 }, slowMs: 500 };
    await a.defer('one');
    a.operations.start();
    await world.until(() => world.provider.log.length === 1, 1_000, 10);
    const ended = a.operations.stop(5_000).then(() => a.operations.close());
    await world.pass(1_000);
    expect(await world.told(ended)).toBeUndefined();
    const b = await world.process('b');
    expect(await b.rows()).toMatchObject([{ state: 'waiting', cause: 'retry', attempts: 1, owner: null }]);
  });

  it('case 80: ends after what runs, though each deferral makes room for the next', async () => {
    const a = await world.process('a', { options: { concurrency: 5, maxHold: 0 } });
    a.handle('job', (name: string) => a.post(name));
    world.provider.faults = { limited: { share: 1, waitMs: 60_000 }, slowMs: 200 };
    for (let job = 0; job < 100; job += 1) await a.defer(`job${job}`);
    a.operations.start();
    await world.until(() => world.provider.log.length > 0, 1_000, 10);
    const claims = (): number => a.moves.filter(({ cause }) => cause === 'claimed').length;
    const before = claims();
    await world.told(a.operations.stop(1_000));
    expect(claims() - before).toBeLessThanOrEqual(5);
    const sent = world.provider.log.length;
    await world.pass(5_000);
    expect(world.provider.log).toHaveLength(sent);
    const states = await a.states();
    expect(states.filter((state) => state === 'queued created').length).toBeGreaterThan(50);
    expect(states.filter((state) => /^(running|uncertain|dead)/.test(state))).toEqual([]);
  });

  it('gives back what does not end in time: no delivery is counted, nothing is uncertain, and the next process goes on', async () => {
    const [a, b] = [await world.process('a'), await world.process('b')];
    a.handle('job', (_: string, signal: AbortSignal) => new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)))); // prettier-ignore
    a.handle('deaf', () => new Promise(() => undefined));
    for (const name of ['job', 'deaf']) b.handle(name, (arg: string) => b.post(arg));
    await a.defer('one');
    await a.defer('two', { name: 'deaf' });
    a.operations.start();
    await world.until(async () => (await a.states()).every((state) => state === 'running claimed'));
    await world.told(a.operations.stop(2_000));
    expect((await a.rows()).map(({ state, cause, deliveries }) => [state, cause, deliveries])).toEqual(Array(2).fill(['queued', 'given-back', 0])); // prettier-ignore
    await world.told(a.end());
    b.operations.start();
    await world.until(() => settled(b));
    expect([...world.writes].sort()).toEqual(['one', 'two']);
  });

  it('case 91: asks the store for nothing after it is closed', async () => {
    const asked: string[] = [];
    let isClosed = false;
    const a = await world.process('a', {
      wrap: (store) =>
        new Proxy(bound(store), {
          get(target, name) {
            if (isClosed) asked.push(String(name));
            if (name === 'close') isClosed = true;
            return target[name as keyof typeof target];
          },
        }),
    });
    a.handle('job', (name: string) => a.post(name));
    world.provider.faults = { slowMs: 300 };
    await a.defer('one');
    await a.defer('two');
    a.operations.start();
    await world.until(() => world.writes.length === 2, 1_000, 10);
    const stopped = a.operations.stop(2_000).then(() => a.operations.close());
    await world.told(stopped);
    await world.clock.advance(120_000);
    expect(asked).toEqual([]);
    expect(world.clock.pendingTimers).toBe(0);
    const b = await world.process('b');
    expect(await b.states()).toEqual(['done completed', 'done completed']);
  });
});

describe('a write of a job whose outcome is unknown', () => {
  it('is not sent again by its worker', async () => {
    const a = await world.process('a');
    a.handle('job', (name: string) => a.post(name));
    world.provider.play([hangAfterExecuting]);
    await a.defer('one');
    a.operations.start();
    await world.until(() => settled(a));
    // Nobody looks it up: a person has to.
    expect(await a.states()).toEqual(['dead unresolved']);
    expect(world.writes).toEqual(['one']);
    const [row] = await a.rows();
    expect(await world.told(a.operations.resolve(row!.id, { done: 'one' }, 'seen at the provider'))).toBe('done');
    expect(await world.told(a.operations.get(row!.id))).toMatchObject({ state: 'done', result: '{"done":"one"}' });
  });
});

function bound<T extends object>(store: T): T {
  return Object.fromEntries(
    ['create', 'get', 'requests', 'claim', 'claimUncertain', 'renew', 'recordRequest', 'recordAnswer', 'checkpoint', 'settle', 'recover', 'flush', 'purge', 'list', 'counts', 'redrive', 'discard', 'resolve', 'saveUsed', 'loadUsed', 'close'].map(
      (name) => [name, (store[name as keyof T] as () => unknown).bind(store)],
    ),
  ) as T; // prettier-ignore
}
