import { SluiceError } from '../errors/sluice-error.js';
import { LEASE, LedgerWorld, never, type Process } from './ledger-world.fixture.js';
import type { OperationState } from './states.js';

let world: LedgerWorld;
beforeEach(async () => {
  world = await LedgerWorld.begin();
});
afterEach(() => world.end());

const paused = new SluiceError({ code: 'PAUSED', provider: 'crm', message: 'It is paused.' });
const stored = { invocation: { args: [1], owner: { lane: null, tenant: '', partition: {} } } } as const;

async function state(process: Process): Promise<[OperationState, string] | null> {
  const { operations } = await process.store.list({ provider: 'crm', limit: 10 });
  return operations[0] === undefined ? null : [operations[0].state, operations[0].cause];
}

describe('the ledger with a store', () => {
  it('case 132: a result is given again to equal arguments, also after a restart; other arguments conflict unsent', async () => {
    const a = await world.process('a');
    const first = a.pay((operation) => a.write(operation, 'done'), { args: { a: 1, b: 2 } });
    expect(await world.told(first)).toEqual({ paid: 1 });
    a.crash();
    const b = await world.process('b');
    const again = (args: unknown) => world.told(b.pay((operation) => b.write(operation, 'done'), { args }));
    expect(await again({ b: 2, a: 1 })).toEqual({ paid: 1 });
    expect(await again({ a: 1, b: 3 })).toBe('IDEMPOTENCY_CONFLICT');
    expect(await world.told(b.pay(async (operation) => b.write(operation, 'done'), { scope: 'Payments.refund' }))).toEqual({ paid: 2 }); // prettier-ignore
    expect(world.log).toHaveLength(2);
  });

  it('case 131: the key that the provider gets is the same after a restart', async () => {
    const a = await world.process('a');
    const lost = a.pay((operation) => a.write(operation, 'lost', true));
    expect(await world.told(lost)).toBe('ATTEMPT_TIMEOUT');
    a.crash();
    const b = await world.process('b');
    expect(await world.told(b.pay((operation) => b.write(operation, 'done', true)))).toEqual({ paid: 2 });
    expect(world.log[1]!.key).toBe(world.log[0]!.key);
    expect(world.log[0]!.key).not.toBe('');
  });

  it('case 133: a failure is not remembered as the answer: the next try is sent', async () => {
    const a = await world.process('a');
    for (const fate of ['rejected', 'refused', 'unsent'] as const) {
      await world.told(a.pay((operation) => a.write(operation, fate)));
      expect((await state(a))?.[0]).toBe('dead');
    }
    expect(await world.told(a.pay((operation) => a.write(operation, 'done')))).toEqual({ paid: 3 });
    expect(a.moves.map(({ from, to, cause }) => [from, to, cause])).toEqual([
      [null, 'running', 'started'],
      ['running', 'dead', 'rejected'],
      ['dead', 'running', 'redriven'],
      ['running', 'dead', 'rejected'],
      ['dead', 'running', 'redriven'],
      ['running', 'dead', 'rejected'],
      ['dead', 'running', 'redriven'],
      ['running', 'done', 'completed'],
    ]);
  });

  it('keeps of what was rejected the answer, for who looks later', async () => {
    const a = await world.process('a');
    await world.told(a.pay((operation) => a.write(operation, 'rejected')));
    const { operations } = await a.store.list({ limit: 1 });
    expect(operations[0]!.error).toMatchObject({ status: 422, body: '{"field":"amount"}' });
  });

  it('case 135, law 7: an unkeyed write of unknown outcome is not sent again, by this process or the next', async () => {
    const a = await world.process('a');
    const pay = (process: Process) => world.told(process.pay((operation) => process.write(operation, 'lost')));
    expect(await pay(a)).toBe('OUTCOME_UNKNOWN');
    expect(await state(a)).toEqual(['uncertain', 'outcome-unknown']);
    expect(await pay(a)).toBe('OUTCOME_UNKNOWN');
    a.crash();
    expect(await pay(await world.process('b'))).toBe('OUTCOME_UNKNOWN');
    expect(world.log).toHaveLength(1);
  });

  it('law 7: what the application makes of an unknown outcome does not matter', async () => {
    const a = await world.process('a');
    const hidden = a.pay(async (operation) => {
      operation.unsettled!.add('call');
      throw new Error('Could not pay.');
    });
    expect(await world.told(hidden)).toBe('OUTCOME_UNKNOWN');
    await expect(hidden).rejects.toMatchObject({ operationId: expect.any(String), cause: new Error('Could not pay.') });
    expect(await state(a)).toEqual(['uncertain', 'outcome-unknown']);
  });

  it('law 8: a crash after the send leaves it uncertain, and the next process sends nothing', async () => {
    const a = await world.process('a');
    void a.pay((operation) => a.write(operation, never()));
    await world.quiet();
    a.crash();
    const b = await world.process('b');
    const asked = b.pay((operation) => b.write(operation, 'done'));
    expect(await world.told(asked)).toBe('OUTCOME_UNKNOWN');
    expect(await state(b)).toEqual(['uncertain', 'lease-expired']);
    expect(world.log).toHaveLength(1);
  });

  it('law 8: after a crash before the send the next one who asks goes on', async () => {
    const a = await world.process('a');
    void a.pay(() => never());
    await world.quiet();
    a.crash();
    const b = await world.process('b');
    expect(await world.told(b.pay((operation) => b.write(operation, 'done')))).toEqual({ paid: 1 });
  });

  it('law 8: a crash after the answer sends nothing twice: what was answered is taken from the journal', async () => {
    const a = await world.process('a');
    void a.pay(async (operation) => {
      await a.write(operation, 'done', false, 'first');
      return never();
    });
    await world.quiet();
    a.crash();
    const b = await world.process('b');
    const both = b.pay(async (operation) => [
      await b.write(operation, 'done', false, 'first'),
      await b.write(operation, 'done', false, 'second'),
    ]);
    expect(await world.told(both)).toEqual([{ paid: 1 }, { paid: 2 }]);
    expect(world.log.map(({ step }) => step)).toEqual(['first', 'second']);
  });

  it('case 136: a keyed write is not repeated when the provider has forgotten its key', async () => {
    const a = await world.process('a');
    await world.told(a.pay((operation) => a.write(operation, 'lost', true)));
    expect(await state(a)).toEqual(['dead', 'attempts-exhausted']);
    await world.clock.advance(86_400_000);
    const again = a.pay((operation) => a.write(operation, 'done', true));
    expect(await world.told(again)).toBe('OUTCOME_UNKNOWN');
    expect(await state(a)).toEqual(['uncertain', 'redriven']);
    expect(world.log).toHaveLength(1);
  });

  it('a call that was refused before anything left is given up unsent, and can be made again', async () => {
    const a = await world.process('a');
    const refused = a.pay(async ({ trail }) => {
      trail!.postponed = { cause: 'rescheduled', dueMono: world.clock.monoMs() + 60_000 };
      throw paused;
    });
    expect(await world.told(refused)).toBe('PAUSED');
    expect(await state(a)).toEqual(['discarded', 'not-sent']);
    expect(await world.told(a.pay((operation) => a.write(operation, 'done')))).toEqual({ paid: 1 });
  });

  it('a durable call that cannot be done now is put to the queue; who asks again learns the same', async () => {
    const a = await world.process('a');
    const durable = { ...stored, whenPostponed: 'defer' } as const;
    const postponed = () =>
      a.pay(
        async ({ trail }) => {
          trail!.postponed = { cause: 'rescheduled', dueMono: world.clock.monoMs() + 60_000 };
          throw paused;
        },
        { durable },
      );
    const first = postponed();
    expect(await world.told(first)).toBe('DEFERRED');
    const error = (await first.catch((thrown: unknown) => thrown)) as SluiceError;
    expect(error.cause).toBe(paused);
    expect(await state(a)).toEqual(['waiting', 'rescheduled']);
    const operation = await a.store.get(error.operationId!);
    expect(error.retryAt!.getTime()).toBe(operation!.dueAtMs);
    const second = postponed();
    expect(await world.told(second)).toBe('DEFERRED');
    await expect(second).rejects.toMatchObject({ operationId: error.operationId, retryAt: error.retryAt });
    expect(a.moves).toHaveLength(2);
  });

  it('what an operator discarded is not begun again', async () => {
    const a = await world.process('a');
    await world.told(a.pay((operation) => a.write(operation, 'lost')));
    const { operations } = await a.store.list({ limit: 1 });
    await a.store.discard(operations[0]!.id, 'paid by hand');
    expect(await world.told(a.pay((operation) => a.write(operation, 'done')))).toBe('IDEMPOTENCY_CONFLICT');
    expect(world.log).toHaveLength(1);
  });

  it('law 17: a caller that gives up is released at once; its operation is settled when its write has ended', async () => {
    const a = await world.process('a');
    const stop = new AbortController();
    let answer: (fate: unknown) => void = () => undefined;
    const first = a.pay(
      (operation) => {
        const writing = a.write(operation, new Promise((resolve) => (answer = resolve)));
        return new Promise((_resolve, reject) =>
          stop.signal.addEventListener('abort', () => {
            operation.trail!.late!.add(writing);
            reject(stop.signal.reason as Error);
          }),
        );
      },
      { signal: stop.signal },
    );
    await world.quiet();
    stop.abort(new Error('gone'));
    expect(await world.told(first, 100)).toBe('gone');
    await world.pass(2 * LEASE);
    expect(await state(a)).toEqual(['running', 'started']);
    const next = a.pay((operation) => a.write(operation, 'done'));
    await world.quiet();
    answer('done');
    expect(await world.told(next)).toEqual({ paid: 1 });
    expect(world.log).toHaveLength(1);
    expect(a.moves.map(({ to, cause }) => [to, cause])).toEqual([
      ['running', 'started'],
      ['dead', 'cancelled'],
      ['running', 'redriven'],
      ['done', 'completed'],
    ]);
    expect([a.keeper.size, world.clock.pendingTimers]).toEqual([0, 0]);
  });

  it('law 17: a request that its own application cancels is no rejection: unsent it leaves no dead letter', async () => {
    const a = await world.process('a');
    const cancelled = Object.assign(new Error('cancelled'), { code: 'ERR_CANCELED' });
    expect(await world.told(a.pay(() => Promise.reject(cancelled)))).toBe('cancelled');
    expect(await state(a)).toEqual(['discarded', 'not-sent']);
    const sent = a.pay(async (operation) => {
      await a.write(operation, 'done');
      throw cancelled;
    });
    expect(await world.told(sent)).toBe('cancelled');
    expect(await state(a)).toEqual(['dead', 'cancelled']);
    expect(await world.told(a.pay((operation) => a.write(operation, 'done')))).toEqual({ paid: 1 });
    expect(world.log).toHaveLength(1);
  });

  it('a lease is kept however long the run takes', async () => {
    const [a, b] = [await world.process('a'), await world.process('b')];
    let answer: (fate: unknown) => void = () => undefined;
    const first = a.pay((operation) => a.write(operation, new Promise((resolve) => (answer = resolve))));
    await world.quiet();
    const second = b.pay((operation) => b.write(operation, 'done'));
    await world.pass(5 * LEASE, 2_500);
    answer('done');
    expect(await world.told(first)).toEqual({ paid: 1 });
    expect(await world.told(second)).toEqual({ paid: 1 });
    expect(world.log).toHaveLength(1);
  });

  it('a result that cannot be stored is its caller’s all the same, and is not made again', async () => {
    const a = await world.process('a');
    class Invoice {
      total = 5;
    }
    const pay = () =>
      a.pay(async (operation) => {
        await a.write(operation, 'done');
        return new Invoice();
      });
    const first = pay();
    await world.told(first);
    expect(await first).toBeInstanceOf(Invoice);
    expect(a.failures).toEqual(['result']);
    expect(await world.told(pay())).toBe('PAYLOAD_TOO_LARGE');
    expect(world.log).toHaveLength(1);
  });

  it('refuses an empty key', async () => {
    const a = await world.process('a');
    expect(await world.told(a.pay(async () => 1, { key: '' }))).toBe('CONFIG');
    expect(await state(a)).toBeNull();
  });
});
