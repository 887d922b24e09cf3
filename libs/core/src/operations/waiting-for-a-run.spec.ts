import { LEASE, LedgerWorld, never, type Process } from './ledger-world.fixture.js';

let world: LedgerWorld;
beforeEach(async () => {
  world = await LedgerWorld.begin();
});
afterEach(() => world.end());

const stored = { invocation: { args: [1], owner: { lane: null, tenant: '', partition: {} } } } as const;

describe('who asks for an operation that another runs', () => {
  it('case 134: of two processes with one key in the same millisecond one sends; both get the result', async () => {
    const [a, b] = [await world.process('a'), await world.process('b')];
    const pay = (process: Process) => process.pay((operation) => process.write(operation, 'done'));
    const all = Promise.all([pay(a), pay(b), pay(a), pay(b)]);
    expect(await world.told(all)).toEqual(Array(4).fill({ paid: 1 }));
    expect(world.log).toHaveLength(1);
    expect([a.ledger.size, b.ledger.size, a.keeper.size, b.keeper.size]).toEqual([0, 0, 0, 0]);
    expect(world.clock.pendingTimers).toBe(0);
  });

  it('case 134: one who waits for another process does so no longer than its deadline, or until it gives up', async () => {
    const [a, b] = [await world.process('a'), await world.process('b')];
    let answer: (fate: unknown) => void = () => undefined;
    const first = a.pay((operation) => a.write(operation, new Promise((resolve) => (answer = resolve))));
    await world.quiet();
    const late = b.pay(never, { deadlineMono: world.clock.monoMs() + 5_000 });
    expect(await world.told(late, 5_000)).toBe('OPERATION_IN_PROGRESS');
    const stop = new AbortController();
    const gone = b.pay(never, { signal: stop.signal });
    await world.quiet();
    stop.abort(new Error('gone'));
    expect(await world.told(gone, 100)).toBe('gone');
    answer('done');
    expect(await world.told(first)).toEqual({ paid: 1 });
    expect(world.clock.pendingTimers).toBe(0);
  });

  it('joiners in one process get copies of their own', async () => {
    const a = await world.process('a');
    const pay = () => a.pay(async (operation) => ({ ...((await a.write(operation, 'done')) as object), lines: [1] }));
    const [first, second] = [pay(), pay()];
    await world.told(Promise.all([first, second]));
    (await first).lines.push(2);
    expect(await second).toEqual({ paid: 1, lines: [1] });
    const third = pay();
    await world.told(third);
    expect(await third).toEqual({ paid: 1, lines: [1] });
    expect(world.log).toHaveLength(1);
  });

  it('one who wants to wait for the reconciliation gets its result, or at its deadline that it is unknown', async () => {
    const a = await world.process('a');
    const durable = { ...stored, whenUnknown: 'wait' } as const;
    const waiting = a.pay((operation) => a.write(operation, 'lost'), { durable });
    const short = a.pay(never, { durable, deadlineMono: world.clock.monoMs() + 2_000 });
    expect(await world.told(short, 10_000)).toMatch('OUTCOME_UNKNOWN');
    const { operations } = await a.store.list({ limit: 1 });
    await a.store.resolve(operations[0]!.id, '{"paid":"found"}', 'looked up');
    expect(await world.told(waiting)).toEqual({ paid: 'found' });
    expect(world.log).toHaveLength(1);
    expect(world.clock.pendingTimers).toBe(0);
  });

  it('one who waits for a reconciliation that cannot tell learns that it is unknown', async () => {
    const a = await world.process('a');
    const waiting = a.pay((operation) => a.write(operation, 'lost'), { durable: { ...stored, whenUnknown: 'wait' } });
    await world.pass(1_000, 100);
    const request = { provider: 'crm', owner: 'reconciler', leaseMs: LEASE, limit: 1 };
    const { operation } = (await a.store.claimUncertain(request)).claimed[0]!;
    await a.store.settle(operation, { to: 'dead', cause: 'unresolved', error: null });
    expect(await world.told(waiting)).toBe('OUTCOME_UNKNOWN');
    expect(world.log).toHaveLength(1);
  });

  it('one who waits for another whose runs end and begin anew does not wait past its deadline', async () => {
    const [a, b] = [await world.process('a'), await world.process('b')];
    let answer: (fate: unknown) => void = () => undefined;
    const hang = () => a.pay((operation) => a.write(operation, new Promise((resolve) => (answer = resolve))));
    const first = hang();
    await world.quiet();
    const late = b.pay(never, { deadlineMono: world.clock.monoMs() + 1_000 });
    await world.pass(950, 50);
    await world.clock.advance(50);
    answer('rejected');
    await expect(late).rejects.toMatchObject({ code: 'OPERATION_IN_PROGRESS' });
    expect(await world.told(first)).toBe('answered 422');
  });

  it('law 4: an operation that asks for itself is refused instead of waiting for ever', async () => {
    const a = await world.process('a');
    expect(await world.told(a.pay(() => a.pay(async () => 1)))).toBe('CONFIG');
  });
});
