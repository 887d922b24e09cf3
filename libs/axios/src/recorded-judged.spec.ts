import { randomUUID } from 'node:crypto';
import type { AxiosResponse } from 'axios';
import { answer, executedBut, hangAfterExecuting, ProviderSimulator, resetAfterExecuting, type ScriptStep, VirtualClock } from '../../testing/src/index.js'; // prettier-ignore
import { enterMethod, type OperationContext, type ProviderOptions } from '../../core/src/index.js';
import { errorOf, until, World } from './axios-world.fixture.js';
import { Operations } from './journal.fixture.js';

const ATTEMPT_MS = 10_000;
const HOUR = 3_600_000;
const keyed: Partial<ProviderOptions> = { idempotency: { header: 'Idempotency-Key', retention: '24h' } };

/** One provider that honours keys, a client of it on a clock of its own, and a store that outlives each run. */
class Bench {
  readonly clock = new VirtualClock();
  readonly simulator: ProviderSimulator;
  operations!: Operations;
  world!: World;
  readonly key = randomUUID();

  constructor(steps: readonly ScriptStep[]) {
    let made = 0;
    const routes = { 'POST /invoices': () => ({ status: 201, body: { id: (made += 1) } }) };
    this.simulator = new ProviderSimulator({ routes, idempotency: {} });
    this.simulator.play(steps);
  }

  async open(provider: Partial<ProviderOptions>): Promise<this> {
    await this.simulator.start();
    this.operations = await Operations.open(this.clock);
    const timeouts = { attempt: ATTEMPT_MS, total: '1d' } as const;
    this.world = new World({ clock: this.clock, provider: { timeouts, ...provider }, http: { baseURL: this.simulator.url } }); // prettier-ignore
    return this;
  }

  /** The method, which builds another body at each run. */
  pay(amount: number): Promise<AxiosResponse> {
    return this.operations.run(this.key, () => this.world.http.post('/invoices', { amount }));
  }

  /** Lets our clock go on until so many have arrived, but only while no attempt is under way. */
  async backsOff(arrivals: number): Promise<void> {
    const { gate } = this.world;
    while (this.simulator.log.length < arrivals) {
      await until(() => gate.open === 0 || this.simulator.log.length === arrivals);
      if (gate.open === 0) await this.clock.advance(100);
    }
  }

  async timesOut(arrivals: number): Promise<void> {
    await until(() => this.simulator.log.length === arrivals);
    await this.clock.advance(ATTEMPT_MS);
  }

  get sends(): readonly unknown[] {
    return this.simulator.log.map(({ body, headers }) => [(body as { amount: number }).amount, headers['idempotency-key']]); // prettier-ignore
  }

  states(): Promise<string[]> {
    return this.operations.states(this.key);
  }

  async close(): Promise<void> {
    this.world.detach();
    await this.simulator.stop();
    await this.operations.close();
    expect(this.world.gate).toMatchObject({ open: 0, endedTwice: 0 });
  }
}

let bench: Bench;
const open = async (steps: readonly ScriptStep[], provider: Partial<ProviderOptions> = {}): Promise<Bench> =>
  (bench = await new Bench(steps).open(provider));
afterEach(() => bench.close());

test('law 7: a bare write that timed out is one send, for all later runs', async () => {
  const { simulator } = await open([hangAfterExecuting, 200]);
  const first = errorOf(bench.pay(1));
  await bench.timesOut(1);
  expect(await first).toMatchObject({ code: 'OUTCOME_UNKNOWN', operationId: bench.key });
  expect(await errorOf(bench.pay(2))).toMatchObject({ code: 'OUTCOME_UNKNOWN', operationId: bench.key });
  expect([simulator.log.length, simulator.effects.length, await bench.states()]).toEqual([1, 1, ['POST  0: sent (1)']]);
});

test('law 7: a keyed write that timed out is repeated as it was, within the run and in later ones, and happens once', async () => {
  const { simulator, clock } = await open([hangAfterExecuting, hangAfterExecuting, 200], { ...keyed, retry: { maxAttempts: 2, baseDelay: '1s' } }); // prettier-ignore
  const first = errorOf(bench.pay(1));
  await bench.timesOut(1);
  await bench.backsOff(2);
  await clock.advance(ATTEMPT_MS);
  await first;
  await clock.advance(23 * HOUR);
  const again = bench.pay(2);
  await until(() => simulator.log.length === 3);
  expect((await again).status).toBe(201);
  expect((await bench.pay(3)).data).toEqual((await again).data);
  expect(new Set(bench.sends.map(String)).size).toBe(1);
  expect([simulator.log.length, simulator.effects.length, await bench.states()]).toEqual([3, 1, ['POST  0: answered (3)']]); // prettier-ignore
});

test('case 136: a keyed write is not repeated when the provider may have forgotten its key', async () => {
  const { simulator, clock } = await open([resetAfterExecuting, 200], { ...keyed, retry: { maxAttempts: 1 } });
  await errorOf(bench.pay(1));
  await clock.advance(24 * HOUR - ATTEMPT_MS);
  expect(await errorOf(bench.pay(2))).toMatchObject({ code: 'OUTCOME_UNKNOWN' });
  expect([simulator.log.length, simulator.effects.length]).toEqual([1, 1]);
});

test('case 159: a bare write that a broken proxy answered is one send, one that was refused for a limit goes again', async () => {
  await open([executedBut(503), 200]);
  expect(await errorOf(bench.pay(1))).toMatchObject({ response: { status: 503 }, sluice: { reason: 'unsafe' } });
  expect([bench.simulator.effects.length, await bench.states()]).toEqual([1, ['POST  0: sent (1)']]);
  await bench.close();
  const { simulator } = await open([answer(429, { 'retry-after': '1' }), 200]);
  const paying = bench.pay(1);
  await bench.backsOff(2);
  expect((await paying).status).toBe(201);
  expect([simulator.log.length, simulator.effects.length, await bench.states()]).toEqual([2, 1, ['POST  0: answered (2)']]); // prettier-ignore
});

test('case 160: failures and refusals have tries of their own: 5 sends of the same', async () => {
  const steps = [502, 502, answer(429, { 'retry-after': '1' }), answer(429, { 'retry-after': '1' }), 200];
  const { simulator } = await open(steps, { ...keyed, retry: { maxAttempts: 3, throttled: { maxAttempts: 6 } } });
  const paying = bench.pay(1);
  await bench.backsOff(5);
  expect((await paying).status).toBe(201);
  expect(new Set(bench.sends.map(String)).size).toBe(1);
  expect([simulator.log.length, simulator.effects.length, await bench.states()]).toEqual([5, 1, ['POST  0: answered (5)']]); // prettier-ignore
});

test('law 7: nothing reaches the provider before it is written down, and nothing that cannot be', async () => {
  const { simulator, operations, world, clock } = await open([200]);
  const { store } = operations;
  const recordRequest = store.recordRequest.bind(store);
  let write: () => void = () => undefined;
  const held = new Promise<void>((resolve) => (write = resolve));
  let asked = false;
  store.recordRequest = async (...args) => {
    asked = true;
    await held;
    return recordRequest(...args);
  };
  const paying = bench.pay(1);
  await until(() => asked);
  for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  expect([simulator.log.length, world.gate.open]).toEqual([0, 1]);
  write();
  expect((await paying).status).toBe(201);
  const journal: OperationContext['journal'] = { isOpen: true, known: () => undefined, record: () => Promise.reject(new Error('full')), ended: () => Promise.resolve() }; // prettier-ignore
  const operation = { id: 'i', key: 'k', ordinals: new Map(), journal };
  const refused = errorOf(enterMethod({ provider: 'crm', clock, operation }, () => world.http.post('/invoices', {})));
  expect((await refused).message).toBe('full');
  expect(simulator.log).toHaveLength(1);
});

test('law 17: a write whose caller left is recorded with its answer', async () => {
  const { simulator, world, operations, key } = await open([{ slowMs: 20 }]);
  const stop = new AbortController();
  const paying = operations.run(key, () => world.http.post('/invoices', { amount: 1 }, { signal: stop.signal }));
  await until(() => simulator.log.length === 1);
  stop.abort();
  expect(await errorOf(paying)).toMatchObject({ code: 'ERR_CANCELED' });
  expect([simulator.effects.length, await bench.states()]).toEqual([1, ['POST  0: answered (1)']]);
  expect((await bench.pay(2)).data).toEqual({ id: 1 });
  expect(simulator.log).toHaveLength(1);
});
