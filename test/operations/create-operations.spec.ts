import { answer } from '../../libs/testing/src/index.js';
import { VirtualClock, SeededRandom } from '../../libs/testing/src/index.js';
import { EventHub } from '../../libs/core/src/events/event-hub.js';
import type { SluiceEvent } from '../../libs/core/src/events/events.js';
import { createOperations } from '../../libs/core/src/operations/create-operations.js';
import { OperationsWorld } from './operations-world.fixture.js';
import type { OperationsOptions } from '../../libs/core/src/operations/operations.js';
import { OperationNews } from '../../libs/core/src/operations/news.js';

let world: OperationsWorld;
beforeEach(async () => {
  world = await OperationsWorld.begin();
});
afterEach(async () => {
  await world.end();
  expect(world.timersOfTheLiving).toBe(0);
});

describe('an operator', () => {
  it('drives what is dead again, discards with a reason what nobody holds, and resolves what is unknown', async () => {
    const a = await world.process('a');
    a.handle('job', (name: string) => a.post(name));
    world.provider.play([422, 422, 201]);
    const ids: string[] = [];
    for (const name of ['one', 'two', 'three']) ids.push(((await a.defer(name)) as { id: string }).id);
    a.operations.start();
    await world.until(async () => (await a.states()).filter((state) => state.startsWith('d')).length === 3);
    const told = (promise: Promise<unknown>): Promise<unknown> => world.told(promise);
    expect(await told(a.operations.redrive(ids[0]!))).toBe('queued');
    await told(a.operations.wait(ids[0]!));
    expect(await told(a.operations.discard(ids[1]!, 'the customer left'))).toBe('discarded');
    expect(await a.rows()).toMatchObject([
      { state: 'done', cause: 'completed' },
      { state: 'discarded', error: { message: 'the customer left' } },
      { state: 'done' },
    ]);
    for (const order of [
      () => a.operations.redrive(ids[1]!),
      () => a.operations.discard(ids[2]!, 'why not'),
      () => a.operations.resolve(ids[2]!, 1, 'seen'),
    ]) {
      await expect(told(order())).resolves.toBe('CONFIG');
    }
    expect(a.moves.filter(({ id }) => id === ids[1]).map(({ from, to, cause }) => [from, to, cause])).toEqual([
      [null, 'queued', 'created'],
      ['queued', 'running', 'claimed'],
      ['running', 'dead', 'rejected'],
      ['dead', 'discarded', 'discarded'],
    ]);
    expect(await told(a.operations.counts())).toMatchObject({
      counts: expect.arrayContaining([
        { provider: 'crm', lane: 'default', state: 'done', count: 2 },
        { provider: 'crm', lane: 'default', state: 'discarded', count: 1 },
      ]) as unknown,
    });
  });

  it('is told what to do where an order makes no sense', async () => {
    const a = await world.process('a');
    a.handle('job', (name: string) => a.post(name));
    const { id } = (await a.defer('one')) as { id: string };
    const message = (promise: Promise<unknown>): Promise<unknown> =>
      world.told(promise.then(() => 'nothing', (error: Error) => error.message)); // prettier-ignore
    expect(await message(a.operations.redrive('nobody'))).toContain('the id of an operation is "nobody"');
    expect(await message(a.operations.redrive(id))).toContain('is queued and cannot be driven again');
    expect(await message(a.operations.discard(id, ' '))).toContain('why is " "');
    expect(await message(a.operations.list({ limit: 0 }))).toContain('limit of list() is 0');
    expect(await message(a.operations.list({ limit: 1, state: 'lost' as never }))).toContain(
      'state of list() is "lost"',
    );
    expect(await message(a.operations.wait('nobody'))).toContain('the id of an operation');
    expect(await a.states()).toEqual(['queued created']);
  });
});

describe('wait', () => {
  it('ends at its deadline, with its signal, or as soon as the operation ends', async () => {
    const a = await world.process('a');
    a.handle('job', (name: string) => a.post(name));
    const { id } = (await a.defer('one')) as { id: string };
    expect(await world.told(a.operations.wait(id, { deadline: '2s' }))).toBe('OPERATION_IN_PROGRESS');
    const words = a.operations.wait(id, { deadline: '2s' }).catch((error: Error) => error.message);
    expect(await world.told(words)).toContain(`operation ${id} is queued (created) and was not over`);
    const stop = new AbortController();
    const gone = a.operations.wait(id, { signal: stop.signal });
    await world.quiet();
    stop.abort(new Error('gone'));
    expect(await world.told(gone)).toBe('gone');
    const done = a.operations.wait(id);
    await world.pass(5_000);
    a.operations.start();
    const before = world.clock.monoMs();
    await world.told(done);
    expect(world.clock.monoMs() - before).toBeLessThanOrEqual(200);
  });
});

describe('law 8: what was accepted', () => {
  it('by a store that answered too late is done where it has a key to be found by, and discarded where it has none', async () => {
    const clock = world.clock;
    let isSlow = false;
    const a = await world.process('a', {
      wrap: (store) =>
        new Proxy(store, {
          get: (target, name) => async (...args: unknown[]) => {
            const done: unknown = await (target[name as keyof typeof target] as (...all: unknown[]) => unknown).apply(target, args);
            if (isSlow && name === 'create') await new Promise<void>((resolve) => void clock.schedule(6_000, resolve));
            return done;
          },
        }),
    }); // prettier-ignore
    a.handle('job', (name: string) => a.post(name));
    isSlow = true;
    expect(await a.defer('keyed', { key: 'k' })).toBe('STORE_UNAVAILABLE');
    expect(await a.defer('bare')).toBe('STORE_UNAVAILABLE');
    await world.pass(8_000);
    isSlow = false;
    expect(await a.states()).toEqual(['queued created', 'discarded discarded']);
    expect(await a.defer('keyed', { key: 'k' })).toMatchObject({ created: false, state: 'queued' });
    expect(a.moves.map(({ to }) => to)).toEqual(['queued', 'queued', 'discarded']);
  });
});

describe('the runtime', () => {
  it('refuses a second method of one name, one of another provider, one after the start, and work that nobody can run', async () => {
    const a = await world.process('a');
    a.handle('job', async () => null);
    expect(() => a.handle('job', async () => null)).toThrow('is "job"; expected a name that no other method');
    const handler = { provider: 'erp', name: 'x', run: async () => null, reconcile: null };
    expect(() => a.operations.register(handler, a.runtime)).toThrow('expected one of provider "crm"');
    a.operations.start();
    expect(() => a.handle('late', async () => null)).toThrow('before start()');
    await expect(world.told(a.operations.defer({ ...REQUEST, name: 'none' }))).resolves.toBe('CONFIG');
    await expect(world.told(a.operations.defer({ ...REQUEST, lane: 'none' }))).resolves.toBe('CONFIG');
    await expect(world.told(a.operations.defer({ ...REQUEST, args: [() => 1] }))).resolves.toBe('CONFIG');
    await expect(world.told(a.operations.defer({ ...REQUEST, delay: 'soon' as never }))).resolves.toBe('CONFIG');
    expect(await a.rows()).toEqual([]);
  });

  it('whose store cannot be opened refuses each use, and ends all the same', async () => {
    const clock = new VirtualClock();
    const failures: SluiceEvent[] = [];
    const events = new EventHub();
    events.subscribe((event) => void failures.push(event));
    const store = Promise.reject<never>(new Error('no such folder'));
    const operations = createOperations({ store, clock, random: new SeededRandom(1), events, owner: 'a' });
    operations.start();
    await clock.advance(20_000);
    await expect(operations.get('x')).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    expect(failures).toMatchObject([{ type: 'hook-failed', provider: '*', hook: 'operations: maintenance' }]);
    await operations.stop(0);
    await operations.close();
    expect(clock.pendingTimers).toBe(0);
  });

  it.each([
    [{ concurrency: 0 }, 'operations.concurrency is 0; expected a whole number from 1'],
    [{ poll: 0 }, 'operations.poll is 0; expected at least 10 ms'],
    [{ lease: '10ms' }, 'operations.lease is "10ms"; expected at least 1000 ms'],
    [{ maxHold: 'long' }, 'operations.maxHold is "long"'],
    [{ maxChecks: 1.5 }, 'operations.maxChecks is 1.5'],
    [{ leese: '1s' }, 'operations.leese is not an option; expected one of concurrency, poll, lease'],
    ['fast', 'operations is "fast"; expected an object'],
  ])('refuses the options %j', (options, message) => {
    const clock = new VirtualClock();
    const make = (): unknown =>
      createOperations({
        store: Promise.reject(new Error('not opened')),
        clock,
        random: new SeededRandom(1),
        events: new EventHub(),
        owner: 'a',
        options: options as OperationsOptions,
      });
    expect(make).toThrow(message);
  });
});

describe('what went wrong', () => {
  it('is told once a minute for each kind, without the words of the error', () => {
    const clock = new VirtualClock();
    const events = new EventHub();
    const heard: SluiceEvent[] = [];
    events.watchTrouble((event) => void heard.push(event));
    const news = new OperationNews(events, clock, () => undefined);
    for (let times = 0; times < 3; times += 1) news.failed('crm', 'settle', new TypeError('a secret'));
    news.failed('crm', 'renew', new Error('another'));
    expect(heard).toEqual([
      { type: 'hook-failed', provider: 'crm', at: clock.wallMs(), hook: 'operations: settle', error: 'TypeError' },
      { type: 'hook-failed', provider: 'crm', at: clock.wallMs(), hook: 'operations: renew', error: 'Error' },
    ]);
  });
});

it('law 12: neither rows, but for arguments, nor events hold values of partitions, of ordering keys or references', async () => {
  const a = await world.process('a', {
    contract: { dimensions: ['user'], limits: [{ kind: 'concurrency', limit: 5, countedBy: ['user'] } as never] },
  });
  a.handle('job', (name: string) => a.post(name));
  world.provider.play([answer(422, {}, { token: 'sk_live_secret' })]);
  await a.defer('one', { partition: { user: 'ada@example.com' }, orderingKey: 'ada@example.com', reference: 'ada@example.com' }); // prettier-ignore
  a.operations.start();
  await world.until(async () => (await a.states())[0] === 'dead rejected');
  const told = JSON.stringify([await a.rows(), a.events]);
  expect(told).not.toContain('ada@');
  expect(told).not.toContain('sk_live');
});

const REQUEST = {
  name: 'job',
  provider: 'crm',
  args: [],
  key: null,
  fingerprint: 'f',
  lane: null,
  tenant: '',
  partition: {},
  orderingKey: null,
  reference: null,
};
