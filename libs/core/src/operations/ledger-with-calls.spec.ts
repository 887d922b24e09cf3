import { enterMethod } from '../context/enter.js';
import { defineProvider } from '../contract/define-provider.js';
import { EventHub } from '../events/event-hub.js';
import { memoryGate } from '../gate/memory/memory-gate.js';
import type { DurableRequest } from '../idempotency/options.js';
import { createProviderRuntime } from '../pipeline/create-runtime.js';
import type { ProviderRuntime } from '../pipeline/runtime.js';
import { SeededRandom } from '../../../testing/src/index.js';
import { LedgerWorld, type Process } from './ledger-world.fixture.js';

let world: LedgerWorld;
let runtime: ProviderRuntime;
let a: Process;
/** The provider's log, and what it answers next. */
let sends: number;
let next: () => Promise<unknown>;

beforeEach(async () => {
  world = await LedgerWorld.begin();
  a = await world.process('a');
  const { clock } = world;
  runtime = createProviderRuntime(
    defineProvider({ name: 'crm', limits: [{ kind: 'concurrency', limit: 5 }], guard: 0 }),
    { clock, random: new SeededRandom(1), gate: memoryGate(), events: new EventHub(), processId: 'p' },
  );
  sends = 0;
});
afterEach(async () => {
  await runtime.close();
  await world.end();
});

class Answered extends Error {
  constructor(
    readonly status: number,
    readonly headers: Record<string, string> = {},
  ) {
    super(`answered ${status}`);
  }
}

const defer: Partial<DurableRequest> = {
  invocation: { args: [1], owner: { lane: null, tenant: '', partition: {} } },
  whenPostponed: 'defer',
};

/** A method with one write in it, as a durable operation. */
function pay(durable: Partial<DurableRequest> = {}, signal?: AbortSignal): Promise<unknown> {
  const { clock } = world;
  return a.pay(
    (operation) =>
      enterMethod({ provider: 'crm', clock, operation, ...(signal && { signal }) }, () =>
        runtime.run(
          () => {
            sends += 1;
            return next();
          },
          { method: 'POST', answer: (_, error) => (error instanceof Answered ? error : undefined) },
        ),
      ),
    { durable, ...(signal && { signal }) },
  );
}

async function state(): Promise<string> {
  const { operations } = await a.store.list({ limit: 1 });
  return `${operations[0]!.state} ${operations[0]!.cause}`;
}

describe('the durable ledger and the calls of its operations', () => {
  it('a write is sent once, and its result given again', async () => {
    next = async () => ({ id: 7 });
    expect(await world.told(pay())).toEqual({ id: 7 });
    expect(await world.told(pay())).toEqual({ id: 7 });
    expect([sends, await state()]).toEqual([1, 'done completed']);
  });

  it('case 159: a 503 after the write may have been applied is not sent again, now or later', async () => {
    next = () => Promise.reject(new Answered(503));
    expect(await world.told(pay())).toBe('answered 503');
    expect(await world.told(pay())).toBe('OUTCOME_UNKNOWN');
    expect([sends, await state()]).toEqual([1, 'uncertain outcome-unknown']);
  });

  it('case 133: a 429 that asks for too long a wait leaves nothing behind; the next ask is sent', async () => {
    next = () => Promise.reject(new Answered(429, { 'retry-after': '600' }));
    expect(await world.told(pay())).toBe('answered 429');
    expect(await state()).toBe('discarded not-sent');
    await world.pass(600_000, 60_000);
    next = async () => 'paid';
    expect(await world.told(pay())).toBe('paid');
    expect(sends).toBe(2);
  });

  it('a durable write that meets the same is put to the queue until then', async () => {
    next = () => Promise.reject(new Answered(429, { 'retry-after': '600' }));
    const asked = pay(defer);
    expect(await world.told(asked)).toBe('DEFERRED');
    expect(await state()).toBe('waiting rescheduled');
    const error = (await asked.catch((thrown: unknown) => thrown)) as { retryAt: Date };
    expect(error.retryAt.getTime() - world.clock.wallMs()).toBeGreaterThan(590_000);
  });

  it('law 17: the caller is gone at once; what the provider answered after that is not asked for again', async () => {
    const stop = new AbortController();
    let answer: (value: unknown) => void = () => undefined;
    next = () => new Promise((resolve) => (answer = resolve));
    const asked = pay({}, stop.signal);
    await world.quiet();
    stop.abort(new Error('gone'));
    expect(await world.told(asked, 100)).toBe('gone');
    expect(await state()).toBe('running started');
    answer('paid');
    await world.quiet();
    expect(await state()).toBe('dead cancelled');
    expect(await world.told(pay())).toBe('paid');
    expect(sends).toBe(1);
  });

  it('a rejection is kept for who looks later, and is no answer for who asks again', async () => {
    next = () => Promise.reject(new Answered(422));
    expect(await world.told(pay())).toBe('answered 422');
    expect(await state()).toBe('dead rejected');
    next = async () => 'paid';
    expect(await world.told(pay())).toBe('paid');
    expect(sends).toBe(2);
  });
});
