import { AsyncLocalStorage } from 'node:async_hooks';
import type { OperationContext } from '../context/contexts.js';
import { SluiceError, isSluiceError } from '../errors/sluice-error.js';
import { VirtualClock } from '../../../testing/src/index.js';
import { fingerprintOf } from './keys.js';
import { createLedger } from './ledger.js';
import type { OperationRequest } from './options.js';

const HOUR = 3_600_000;

function setup(maxEntries = 100) {
  const clock = new VirtualClock();
  const ledger = createLedger({ clock, retentionMs: HOUR, maxEntries });
  /** The provider's log: every send. */
  const log: { key: string; amount: unknown }[] = [];
  let answer: (send: number) => Promise<unknown> = async (send) => ({ id: send, lines: [1] });
  const pay = (args: Record<string, unknown>, more: Partial<OperationRequest> = {}): Promise<any> => {
    const fingerprint = fingerprintOf('crm', 'Payments.pay', args);
    const request = { provider: 'crm', scope: 'Payments.pay', key: 'K', fingerprint, ...more };
    return ledger.run(request, async (operation: OperationContext) => {
      log.push({ key: operation.key, amount: args['amount'] });
      return answer(log.length);
    });
  };
  return { clock, ledger, log, pay, answers: (next: typeof answer) => (answer = next) };
}

const caught = (promise: Promise<unknown>): Promise<unknown> => promise.then(() => undefined, (error: unknown) => error); // prettier-ignore
const unknownEnd = () =>
  new SluiceError({ code: 'OUTCOME_UNKNOWN', provider: 'crm', message: 'The connection was reset after the send.' });

describe('the ledger of idempotent operations', () => {
  it('case 132: the same key replays for equal arguments, conflicts with other ones, and is another one elsewhere', async () => {
    const { log, pay } = setup();
    const first = await pay({ a: 1, b: 2 });
    expect(await pay({ b: 2, a: 1 })).toEqual(first);
    expect(log).toHaveLength(1);
    const error = await caught(pay({ a: 1, b: 3 }));
    expect(isSluiceError(error, 'IDEMPOTENCY_CONFLICT')).toBe(true);
    expect(log).toHaveLength(1);
    await pay({ a: 1, b: 3 }, { scope: 'Payments.refund' });
    expect(log).toHaveLength(2);
    expect(log[0]!.key).not.toBe(log[1]!.key);
  });

  it('case 133: a failure is not remembered: the second try is sent, with the same key', async () => {
    const { ledger, log, pay, answers } = setup();
    answers(async () => {
      throw new Error('402 declined');
    });
    await expect(pay({ amount: 5 })).rejects.toThrow('402 declined');
    expect(ledger.size).toBe(0);
    answers(async () => 'paid');
    expect(await pay({ amount: 5 })).toBe('paid');
    expect(log).toHaveLength(2);
    expect(log[0]!.key).toBe(log[1]!.key);
  });

  it('case 134: of two first claims at once one is sent, and both get its result, each its own copy', async () => {
    const { log, pay } = setup();
    const [a, b] = await Promise.all([pay({ amount: 5 }), pay({ amount: 5 })]);
    expect(log).toHaveLength(1);
    expect(a).toEqual({ id: 1, lines: [1] });
    a.lines.push(2);
    expect(b).toEqual({ id: 1, lines: [1] });
    b.lines.push(3);
    expect(await pay({ amount: 5 })).toEqual({ id: 1, lines: [1] });
  });

  it('a claim with other arguments conflicts while the first is still under way', async () => {
    const { log, pay } = setup();
    const first = pay({ amount: 5 });
    expect(isSluiceError(await caught(pay({ amount: 6 })), 'IDEMPOTENCY_CONFLICT')).toBe(true);
    await first;
    expect(log).toHaveLength(1);
  });

  it('law 7: an unknown outcome blocks its key: no second send, for as long as it is remembered', async () => {
    const { clock, log, pay, answers } = setup();
    answers(async () => {
      throw unknownEnd();
    });
    const [first, joined] = await Promise.all([caught(pay({ amount: 5 })), caught(pay({ amount: 5 }))]);
    for (const error of [first, joined]) expect(isSluiceError(error, 'OUTCOME_UNKNOWN')).toBe(true);
    answers(async () => 'paid');
    await clock.advance(HOUR - 1);
    expect(isSluiceError(await caught(pay({ amount: 5 })), 'OUTCOME_UNKNOWN')).toBe(true);
    expect(isSluiceError(await caught(pay({ amount: 6 })), 'IDEMPOTENCY_CONFLICT')).toBe(true);
    expect(log).toHaveLength(1);
    await clock.advance(1);
    expect(await pay({ amount: 5 })).toBe('paid');
  });

  it('law 7: an operation that ends while a write of it is unsettled is unknown, whatever its error says', async () => {
    const { ledger, log, pay, answers } = setup();
    answers(async () => {
      throw Object.assign(new Error('503'), { sluice: { reason: 'unsafe' } });
    });
    await caught(pay({ amount: 5 }));
    expect(isSluiceError(await caught(pay({ amount: 5 })), 'OUTCOME_UNKNOWN')).toBe(true);
    expect(log).toHaveLength(1);

    const request = { provider: 'crm', scope: 's', key: 'cancelled', fingerprint: 'f' };
    let sends = 0;
    const cancelled = ledger.run(request, async (operation) => {
      operation.unsettled!.add(`call ${(sends += 1)}`);
      throw new Error('cancelled');
    });
    await expect(cancelled).rejects.toThrow('cancelled');
    expect(isSluiceError(await caught(ledger.run(request, async () => (sends += 1))), 'OUTCOME_UNKNOWN')).toBe(true);
    expect(sends).toBe(1);
  });

  it('a result is forgotten when its retention is over', async () => {
    const { clock, ledger, log, pay } = setup();
    await pay({ amount: 5 });
    await clock.advance(HOUR - 1);
    await pay({ amount: 5 });
    expect(log).toHaveLength(1);
    await clock.advance(2);
    expect(ledger.size).toBe(0);
    await pay({ amount: 5 });
    expect(log).toHaveLength(2);
  });

  it('forgets the results that were asked for longest ago when there are too many', async () => {
    const { ledger, log, pay } = setup(3);
    for (const key of ['a', 'b', 'c']) await pay({}, { key });
    await pay({}, { key: 'a' });
    await pay({}, { key: 'd' });
    expect(ledger.size).toBe(3);
    await pay({}, { key: 'a' });
    expect(log).toHaveLength(4);
    await pay({}, { key: 'b' });
    expect(log).toHaveLength(5);
  });

  it('never forgets what runs or is unknown: when there is too much of it, it refuses', async () => {
    const { clock, log, pay, answers } = setup(2);
    answers(async () => {
      throw unknownEnd();
    });
    await caught(pay({}, { key: 'a' }));
    await caught(pay({}, { key: 'b' }));
    expect(isSluiceError(await caught(pay({}, { key: 'c' })), 'QUEUE_FULL')).toBe(true);
    expect(log).toHaveLength(2);
    await clock.advance(HOUR);
    answers(async () => 'paid');
    expect(await pay({}, { key: 'c' })).toBe('paid');
  });

  it('case 18: one operation that fails for good takes nothing from the next', async () => {
    const { pay, answers } = setup(1);
    answers(async () => {
      throw new Error('503');
    });
    for (const key of ['a', 'b', 'c']) await expect(pay({}, { key })).rejects.toThrow('503');
    answers(async () => 'paid');
    expect(await pay({}, { key: 'd' })).toBe('paid');
  });

  it('waits for another run no longer than its own deadline, and leaves no timer or listener', async () => {
    const { clock, pay, answers } = setup();
    let pass: (value: unknown) => void = () => undefined;
    answers(() => new Promise((resolve) => (pass = resolve)));
    const first = pay({});
    const second = caught(pay({}, { deadlineMono: 500 }));
    const stop = new AbortController();
    const third = caught(pay({}, { signal: stop.signal, deadlineMono: 900 }));
    await clock.advance(500);
    expect(isSluiceError(await second, 'OPERATION_IN_PROGRESS')).toBe(true);
    stop.abort(new Error('gone'));
    expect(await third).toEqual(new Error('gone'));
    expect(clock.pendingTimers).toBe(0);
    pass('paid');
    expect(await first).toBe('paid');
  });

  it('when the one who began gives up before anything happened, one of those who wait goes on', async () => {
    const { log, pay, answers } = setup();
    const stop = new AbortController();
    answers((send) =>
      send > 1
        ? Promise.resolve('paid')
        : new Promise((_resolve, reject) => stop.signal.addEventListener('abort', () => reject(stop.signal.reason))),
    );
    const first = caught(pay({}, { signal: stop.signal }));
    const others = [pay({}), pay({})];
    stop.abort(new Error('gone'));
    expect(await first).toEqual(new Error('gone'));
    expect(await Promise.all(others)).toEqual(['paid', 'paid']);
    expect(log).toHaveLength(2);
  });

  it('case 117: each of two callers of one run goes on in its own async context', async () => {
    const { pay } = setup();
    const context = new AsyncLocalStorage<string>();
    const caller = (name: string) => context.run(name, () => pay({}).then(() => context.getStore()));
    expect(await Promise.all([caller('a'), caller('b')])).toEqual(['a', 'b']);
  });

  it('law 7: a success is one, and not sent again, also where its result cannot be copied', async () => {
    const { log, pay, answers } = setup();
    class Invoice {
      total(): number {
        return 5;
      }
    }
    let deep: unknown = new Invoice();
    for (let n = 0; n < 100_000; n += 1) deep = [deep];
    const broken = {
      get field(): never {
        throw new Error('trap');
      },
    };
    for (const [key, value] of Object.entries({ instance: new Invoice(), broken, deep })) {
      answers(async () => value);
      expect(await pay({}, { key })).toBe(value);
      expect(await pay({}, { key })).toBe(value);
    }
    expect(log).toHaveLength(3);
  });

  it('law 4: an operation that asks for itself, at any depth, is refused instead of waiting for ever', async () => {
    const { log, pay, answers } = setup();
    answers((send) => (send < 3 ? pay({}, { key: send === 1 ? 'inner' : 'K' }) : Promise.resolve('paid')));
    expect(isSluiceError(await caught(pay({})), 'CONFIG')).toBe(true);
    expect(log).toHaveLength(2);
  });

  it('refuses an empty key unsent', async () => {
    const { log, pay } = setup();
    expect(isSluiceError(await caught(pay({}, { key: '' })), 'CONFIG')).toBe(true);
    expect(log).toHaveLength(0);
  });

  it('a work that throws at once is a failure like any other', async () => {
    const { ledger } = setup();
    const request = { provider: 'crm', scope: 's', key: 'K', fingerprint: 'f' };
    const run = ledger.run(request, () => {
      throw new Error('early');
    });
    await expect(run).rejects.toThrow('early');
    expect(ledger.size).toBe(0);
  });
});
