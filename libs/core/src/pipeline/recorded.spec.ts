import { SluiceError } from '../errors/sluice-error.js';
import { STALE_GRANT } from './call.js';
import { type Going, Harness, type Setup } from './harness.fixture.js';
import { JournalDouble, type Run, runOf } from './journal-double.fixture.js';

const idempotency = { header: 'X-Key', retention: '1h' } as const;
const keyed = { idempotency, timeouts: { attempt: '10s', total: '1d' } } as const;
const bare = { timeouts: { attempt: '10s', total: '1d' } } as const;
/** With the hash of the path. */
const STEP = 'POST  WD8uIWoHqs9q 0';

function setup(script: string, options: Setup['options'] = bare) {
  const harness = new Harness({ script, options });
  const journal = new JournalDouble(harness.clock);
  const run = (durable?: Parameters<typeof runOf>[2]): Run => runOf(journal, harness.clock, durable);
  const post = (within = run(), spec: Parameters<Harness['go']>[1] = {}): Going =>
    within.within(() => harness.go('POST', spec));
  return { harness, journal, run, post };
}

const notWritten = new SluiceError({ code: 'STORE_UNAVAILABLE', provider: 'crm', message: 'The disk is full.' });

describe('a write of an operation that remembers', () => {
  it('is written down before it leaves, and its answer before it is delivered', async () => {
    const { harness, journal, post } = setup('201');
    let write: () => void = () => undefined;
    journal.onRecord = () => new Promise((resolve) => (write = resolve));
    let hear: () => void = () => undefined;
    journal.onEnded = () => new Promise((resolve) => (hear = resolve));
    const going = post();
    await harness.clock.advance(100);
    expect(harness.provider.log).toHaveLength(0);
    write();
    await harness.clock.advance(100);
    expect([harness.provider.log.length, going.told, journal.states]).toEqual([1, 'under way', [`${STEP}: sent (1)`]]);
    expect(harness.double.open).toBe(0);
    hear();
    await harness.clock.advance(0);
    expect([going.told, journal.states]).toEqual(['201', [`${STEP}: answered (1)`]]);
    await harness.expectNothingLeft();
  });

  it('never leaves where it cannot be written down, however long that takes', async () => {
    const { harness, journal, post, run } = setup('201');
    journal.onRecord = () => new Promise(() => undefined);
    const hanging = post();
    await harness.clock.advance(86_400_000);
    expect(hanging.told).toBe('STORE_UNAVAILABLE queue');
    journal.onRecord = () => Promise.reject(notWritten);
    const failing = run();
    const refused = post(failing);
    await harness.clock.advance(0);
    expect(refused.told).toBe('STORE_UNAVAILABLE queue');
    expect(refused.call.attempts).toBe(0);
    expect([failing.trail.sent, failing.operation.unsettled?.size]).toEqual([false, 0]);
    expect([harness.provider.log, journal.states]).toEqual([[], []]);
    await harness.expectNothingLeft();
  });

  it('that was answered is not sent again and asks for no permit: the answer is given once more', async () => {
    const { harness, journal, run } = setup('');
    let sends = 0;
    const body = (): Promise<unknown> =>
      harness.runtime.run(() => ({ id: (sends += 1), at: new Date(7) }), { route: 'invoice' });
    const first = await run().within(body);
    const again = run();
    expect(await again.within(body)).toEqual(first);
    expect(again.trail).toMatchObject({ sent: false, postponed: null });
    expect([sends, harness.double.asks.length]).toEqual([1, 1]);
    expect(journal.log).toEqual(['record  invoice 0', 'answered  invoice 0']);
    await harness.expectNothingLeft();
  });

  it('law 7: that was answered with what cannot be kept is not sent again: its outcome is to be looked up', async () => {
    const { harness, run } = setup('');
    let sends = 0;
    class Invoice {
      readonly number = (sends += 1);
    }
    const body = (): Promise<Invoice> => harness.runtime.run(() => new Invoice());
    expect((await run().within(body)).number).toBe(1);
    const again = run();
    await expect(again.within(body)).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' });
    expect([sends, again.operation.unsettled?.size, harness.ofType('hook-failed').length]).toEqual([1, 1, 1]);
    await harness.expectNothingLeft();
  });

  it('reads are not written down', async () => {
    const { harness, journal, run } = setup('200');
    await run().within(() => harness.go('GET').done);
    expect(journal.log).toEqual([]);
    await harness.expectNothingLeft();
  });

  it('two of one method and route are told apart by their order, others by their step', async () => {
    const { harness, journal, run, post } = setup('200, 200, 200, 200');
    const one = run();
    for (const step of [undefined, 'lines', undefined]) await post(one, { sluice: step ? { step } : {} }).done;
    await one.within(() => harness.go('POST', { sluice: { route: 'invoice' } }).done);
    expect([...journal.requests.keys()]).toEqual([
      STEP,
      'lines',
      STEP.replace(/0$/, '1'),
      STEP.replace('POST ', 'POST invoice'),
    ]);
    await harness.expectNothingLeft();
  });
});

describe('what may have happened', () => {
  it('law 7: an unkeyed write that timed out is sent once; a later run does not ask for it', async () => {
    const { harness, journal, run, post } = setup('hang, 200');
    const first = run();
    const going = post(first);
    await harness.clock.advance(20_000);
    expect(going.told).toBe('OUTCOME_UNKNOWN unsafe');
    expect([journal.states, first.operation.unsettled?.size, first.trail]).toMatchObject([[`${STEP}: sent (1)`], 1, { sent: true, postponed: null }]); // prettier-ignore
    const later = run();
    expect((await post(later).done).outcome).toBe('unknown');
    expect([later.trail.sent, later.operation.unsettled?.size]).toEqual([false, 1]);
    expect([harness.provider.log.length, harness.double.asks.length]).toEqual([1, 1]);
    await harness.expectNothingLeft();
  });

  it('law 7: a keyed write that timed out is repeated with the key of its first send, in later runs too', async () => {
    const { harness, journal, run, post } = setup('hang x4, hang, 200', keyed);
    const first = post(run(), { sluice: { idempotencyKey: 'order-7' } });
    await harness.clock.advance(100_000);
    expect(first.told).toBe('ATTEMPT_TIMEOUT attempts-exhausted');
    const later = post(run(), { sluice: { idempotencyKey: 'other' } });
    await harness.clock.advance(20_000);
    expect(later.told).toBe('200');
    expect(harness.provider.log.map(({ headers }) => headers['X-Key'])).toEqual(Array(6).fill('order-7'));
    expect(journal.states).toEqual([`${STEP}: answered (6)`]);
    await harness.expectNothingLeft();
  });

  it('case 136: a keyed write is not repeated when the provider may have forgotten its key', async () => {
    const { harness, run, post } = setup('hang x4, 200', keyed);
    post(run());
    await harness.clock.advance(3_600_000 - 10_000);
    const late = post(run());
    expect((await late.done).outcome).toBe('unknown');
    expect(late.told).toBe('OUTCOME_UNKNOWN unsafe');
    expect(harness.provider.log).toHaveLength(4);
    await harness.expectNothingLeft();
  });

  it('law 7: one that is repeated waits in line no longer than its key lives, counted from the first send', async () => {
    const { harness, run, post } = setup('hang x4, 200', keyed);
    post(run());
    await harness.clock.advance(3_500_000);
    await post(run()).done;
    expect(harness.double.asks.at(-1)?.deadlineMono).toBe(3_600_000 - 10_000);
    await harness.expectNothingLeft();
  });

  it('law 7: where the key of the first send can no longer be sent, it is not repeated', async () => {
    const { harness, journal, run, post } = setup('hang x4', keyed);
    post(run());
    await harness.clock.advance(100_000);
    const without = new Harness({ options: bare });
    await without.clock.advance(100_000);
    const late = runOf(journal, without.clock).within(() => without.go('POST'));
    expect((await late.done).outcome).toBe('unknown');
    expect(without.provider.log).toHaveLength(0);
    await harness.expectNothingLeft();
  });

  it('law 7: a write whose first send had no key gets none later, and so is none that may be repeated', async () => {
    const { harness, journal, post } = setup('429(retry-after: 3600)');
    await post().done;
    const now = new Harness({ script: 'hang, 200', options: keyed });
    const late = runOf(journal, now.clock).within(() => now.go('POST'));
    await now.clock.advance(60_000);
    expect([late.told, now.provider.log.map(({ headers }) => headers)]).toEqual(['OUTCOME_UNKNOWN unsafe', [{}]]);
    await harness.expectNothingLeft();
    await now.expectNothingLeft();
  });
});

describe('what did not happen', () => {
  it.each([
    ['429, 200', '200', 2, 'answered (2)'],
    ['refused, 200', '200', 1, 'answered (2)'],
    ['422', '422 permanent', 1, 'not-done (1)'],
    ['401', '401 auth', 1, 'not-done (1)'],
    ['refused x4', 'ECONNREFUSED attempts-exhausted', 0, 'not-done (4)'],
    ['503', '503 unsafe', 1, 'sent (1)'],
  ])(
    'case 159: %s of an unkeyed write ends in %s after %i sends, and is remembered as %s',
    async (script, told, sends, state) => {
      // prettier-ignore
      const { harness, journal, post } = setup(script);
      const going = post();
      await harness.clock.advance(60_000);
      expect([going.told, harness.provider.log.length, journal.states]).toEqual([told, sends, [`${STEP}: ${state}`]]);
      await harness.expectNothingLeft();
    },
  );

  it('a failure is not remembered as the answer: the next run sends it', async () => {
    const { harness, post } = setup('422, 201');
    await post().done;
    expect((await post().done).outcome).toBe('succeeded');
    expect(harness.provider.log).toHaveLength(2);
    await harness.expectNothingLeft();
  });

  it.each(['hang, 429, 422', 'hang, refused, 401', 'hang, 429, refused x2'])(
    'law 7: a repeat that was refused (%s) does not say that the first send did not happen',
    async (script) => {
      const { harness, journal, post } = setup(script, keyed);
      const going = post();
      await harness.clock.advance(60_000);
      expect(going.told).not.toBe('under way');
      expect(journal.states[0]).toContain(`${STEP}: sent`);
      await harness.expectNothingLeft();
    },
  );

  it('case 160: failures and refusals have tries of their own: 5 sends, each written down', async () => {
    const retry = { maxAttempts: 3, throttled: { maxAttempts: 6 } } as const;
    const { harness, journal, post } = setup('502, 502, 429(retry-after: 1), 429(retry-after: 1), 200', { ...keyed, retry }); // prettier-ignore
    const going = post();
    await harness.clock.advance(60_000);
    expect([going.told, harness.provider.log.length]).toEqual(['200', 5]);
    expect(journal.log.filter((line) => line.startsWith('record'))).toHaveLength(5);
    await harness.expectNothingLeft();
  });

  it('a call that ends unsent after it was written down takes that back', async () => {
    const beforeSend = (): never => {
      throw new Error('no signature');
    };
    const { harness, journal, run, post } = setup('200', { ...bare, beforeSend });
    const one = run();
    expect((await post(one).done).outcome).toBe('refused');
    expect([journal.states, one.trail.sent]).toEqual([[`${STEP}: not-done (1)`], false]);
    const stop = new AbortController();
    let write: () => void = () => undefined;
    journal.onRecord = () => new Promise((resolve) => (write = resolve));
    const left = run();
    const going = post(left, { signal: stop.signal });
    await harness.clock.advance(0);
    stop.abort(new Error('gone'));
    await harness.clock.advance(0);
    expect(going.told).toBe('cancelled');
    write();
    await Promise.all(left.trail.late);
    expect([journal.states, harness.provider.log.length]).toEqual([[`${STEP}: not-done (2)`], 0]);
    await harness.expectNothingLeft();
  });

  it('a grant that came too late to be used is asked for anew, and the write is written down once', async () => {
    const { harness, journal, run } = setup('', { ...bare, guard: '1s' });
    const stale = { type: 'failed', sent: false, error: new Error('stale'), code: STALE_GRANT } as const;
    let tries = 0;
    const one = run();
    const end = await one.within(() =>
      harness.call('POST').attempt(() => {
        tries += 1;
        return Promise.resolve(tries < 3 ? stale : { type: 'answered', status: 201, headers: {}, value: 1 });
      }),
    );
    expect([end.outcome, tries, harness.double.asks.length]).toEqual(['succeeded', 3, 3]);
    expect(journal.log).toEqual([`record ${STEP}`, `answered ${STEP}`]);
    await harness.expectNothingLeft();
  });
});
