import { VirtualClock } from '../../../testing/src/index.js';
import { isSluiceError } from '../errors/sluice-error.js';
import { breaking, LEASE, LedgerWorld, never, type Process } from './ledger-world.fixture.js';
import type { OperationStore } from './port.js';
import { STORE_LIMIT_MS, StoreAccess } from './store-access.js';

let world: LedgerWorld;
beforeEach(async () => {
  world = await LedgerWorld.begin();
});
afterEach(() => world.end());

const failing = () => () => Promise.reject(new Error('The disk is full.'));
const hanging = () => () => never();

/** Holds the answers of a method back, though it does what it is asked. */
function slow<Name extends 'create' | 'recordRequest' | 'settle' | 'redrive'>(name: Name) {
  const gate = { isSlow: true, release: (): void => undefined };
  const wrap = breaking({
    [name]:
      (real: OperationStore) =>
      async (...args: never[]): Promise<unknown> => {
        const answer = await (real[name] as (...args: never[]) => Promise<unknown>).apply(real, args);
        if (gate.isSlow) await new Promise<void>((resolve) => (gate.release = resolve));
        return answer;
      },
  });
  return { wrap, gate };
}

const paid = (process: Process) => process.pay((operation) => process.write(operation, 'done'));

async function stateOf(process: Process): Promise<string | undefined> {
  const { operations } = await process.store.list({ limit: 1 });
  return operations[0] && `${operations[0].state} ${operations[0].cause}`;
}

describe('law 15: a store that fails or hangs', () => {
  it.each([
    ['fails', failing],
    ['hangs', hanging],
  ])('and %s when an operation is to begin: nothing is sent, and the caller is told in time', async (_, broken) => {
    const a = await world.process('a', breaking({ create: broken }));
    expect(await world.told(paid(a), STORE_LIMIT_MS + 100)).toBe('STORE_UNAVAILABLE');
    expect([world.log, a.ledger.size, world.clock.pendingTimers]).toEqual([[], 0, 0]);
  });

  it.each([
    ['fails', failing],
    ['hangs', hanging],
  ])('and %s before a write leaves: that is not sent, and the operation is given up unsent', async (_, broken) => {
    const a = await world.process('a', breaking({ recordRequest: broken }));
    expect(await world.told(paid(a))).toBe('STORE_UNAVAILABLE');
    expect(world.log).toEqual([]);
    await world.pass(2 * STORE_LIMIT_MS);
    expect(await stateOf(a)).toBe('discarded not-sent');
    expect([a.keeper.size, world.clock.pendingTimers]).toEqual([0, 0]);
  });

  it('and begins an operation after its caller was told that it did not: it is given back at once', async () => {
    const { wrap, gate } = slow('create');
    const a = await world.process('a', wrap);
    expect(await world.told(paid(a))).toBe('STORE_UNAVAILABLE');
    gate.isSlow = false;
    gate.release();
    await world.quiet();
    expect(await stateOf(a)).toBe('discarded not-sent');
    expect(await world.told(paid(a))).toEqual({ paid: 1 });
  });

  it('and begins one again after its caller was told that it did not: what went wrong before is still to be seen', async () => {
    const { wrap, gate } = slow('redrive');
    const a = await world.process('a', wrap);
    await world.told(a.pay((operation) => a.write(operation, 'rejected')));
    expect(await world.told(paid(a))).toBe('STORE_UNAVAILABLE');
    gate.isSlow = false;
    gate.release();
    await world.quiet();
    expect(await stateOf(a)).toBe('dead cancelled');
    expect(await world.told(paid(a))).toEqual({ paid: 2 });
  });

  it('and writes a request down after the call was told that it did not: it counts as not sent', async () => {
    const { wrap, gate } = slow('recordRequest');
    const a = await world.process('a', wrap);
    const asked = paid(a);
    for (let waited = 0; waited < STORE_LIMIT_MS; waited += 100) await world.pass(100, 100);
    gate.isSlow = false;
    gate.release();
    expect(await world.told(asked)).toBe('STORE_UNAVAILABLE');
    expect([await stateOf(a), world.log]).toEqual(['discarded not-sent', []]);
    expect(await world.told(paid(a))).toEqual({ paid: 1 });
  });

  it('and does not learn of an answer: the caller gets it all the same, and nothing is sent again', async () => {
    const a = await world.process('a', breaking({ recordAnswer: failing }));
    expect(await world.told(paid(a))).toEqual({ paid: 1 });
    expect(a.failures).toEqual(['answer']);
    expect(await world.told(paid(a))).toEqual({ paid: 1 });
    expect(world.log).toHaveLength(1);
  });

  it('and does not learn of an end: the caller gets its result, and the next run takes the answers from the journal', async () => {
    const a = await world.process('a', breaking({ settle: failing }));
    expect(await world.told(paid(a))).toEqual({ paid: 1 });
    expect(a.failures).toEqual(['settle']);
    const b = await world.process('b');
    expect(await world.told(paid(b))).toEqual({ paid: 1 });
    expect(world.log).toHaveLength(1);
  });

  it('law 7: and learns neither of the answer nor of the end: it is unknown, and not sent again', async () => {
    const a = await world.process('a', breaking({ settle: hanging, recordAnswer: failing }));
    expect(await world.told(paid(a))).toEqual({ paid: 1 });
    const b = await world.process('b');
    expect(await world.told(paid(b))).toBe('OUTCOME_UNKNOWN');
    expect(world.log).toHaveLength(1);
  });

  it('and ends an operation late: the move is told once', async () => {
    const { wrap, gate } = slow('settle');
    const a = await world.process('a', wrap);
    expect(await world.told(paid(a))).toEqual({ paid: 1 });
    gate.release();
    await world.quiet();
    expect(a.moves.map(({ to }) => to)).toEqual(['running', 'done']);
    expect(a.failures).toEqual(['settle']);
  });

  it('and forgets what earlier runs sent while one is begun again: nothing is sent, and it stays as it was', async () => {
    let isBroken = true;
    const requests = (real: OperationStore) => (id: string) => (isBroken ? never() : real.requests(id));
    const a = await world.process('a', breaking({ requests }));
    await world.told(a.pay((operation) => a.write(operation, 'rejected')));
    expect(await world.told(paid(a))).toBe('STORE_UNAVAILABLE');
    expect(await stateOf(a)).toBe('dead cancelled');
    isBroken = false;
    expect(await world.told(paid(a))).toEqual({ paid: 2 });
  });

  it('law 7: and renews no lease: who lost its hold sends nothing more, and never two run at once', async () => {
    const a = await world.process('a', breaking({ renew: failing }));
    let goOn: () => void = () => undefined;
    const first = a.pay(async (operation) => {
      await new Promise<void>((resolve) => (goOn = resolve));
      return a.write(operation, 'done');
    });
    await world.quiet();
    const b = await world.process('b');
    const second = b.pay((operation) => b.write(operation, 'done'));
    expect(await world.told(second)).toEqual({ paid: 1 });
    goOn();
    expect(await world.told(first)).toBe('OPERATION_IN_PROGRESS');
    expect([world.log.map(({ process }) => process), world.overlaps]).toEqual([['b'], 0]);
    expect(world.clock.monoMs()).toBeGreaterThanOrEqual(LEASE);
  });
});

it('a store that never opens is unavailable', async () => {
  const clock = new VirtualClock();
  const access = new StoreAccess(never(), clock);
  const asked = access.ask('crm', (store) => store.counts()).catch((error: unknown) => error);
  await clock.advance(STORE_LIMIT_MS);
  expect(isSluiceError(await asked, 'STORE_UNAVAILABLE')).toBe(true);
  const closed = new StoreAccess(Promise.reject<OperationStore>(new Error('cannot be opened')), clock);
  await expect(closed.ask('crm', (store) => store.counts())).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
  expect(clock.pendingTimers).toBe(0);
});
