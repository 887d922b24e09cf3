import { HttpService } from '@nestjs/axios';
import { Injectable } from '@nestjs/common';
import { jest } from '@jest/globals';
import { absent, concurrency, found, Idempotent, InjectProvider, type ProviderOptions, type Reconciled, Throttled } from 'nestjs-sluice'; // prettier-ignore
import { sqliteStore } from 'nestjs-sluice/sqlite';
import {
  executedBut,
  hangAfterExecuting,
  ProviderSimulator,
  reset,
  resetAfterExecuting,
  slow,
} from 'nestjs-sluice/testing';
import { firstValueFrom } from 'rxjs';
import { type DurableApp, DurableWorld } from '../nest/support/durable-world.js';
import { type Fate, mortalStore } from '../nest/support/mortal-store.js';
import { S } from './script.js';

// Minutes pass in steps in which a file answers.
jest.setTimeout(180_000);

const HOUR_MS = 3_600_000;

interface Order {
  readonly id: string;
  readonly amount?: number;
  /** Anew for every try of the caller. */
  readonly token?: string;
}

@Injectable()
class Orders {
  constructor(@InjectProvider('crm') private readonly http: HttpService) {}

  @Throttled('crm')
  @Idempotent({
    key: (order: Order) => order.id,
    fingerprint: ({ id, amount = 0 }: Order) => ({ id, amount }),
    reconcile: 'find',
  })
  async create(order: Order): Promise<{ number: number }> {
    const headers = { 'x-token': order.token ?? '' };
    return (await firstValueFrom(this.http.post('/orders', { reference: order.id }, { headers }))).data;
  }

  async find(order: Order): Promise<Reconciled<{ number: number }>> {
    const { data } = await firstValueFrom(this.http.get('/orders', { params: { reference: order.id } }));
    return data.length > 0 ? found(data[0]) : absent();
  }
}

let world: DurableWorld;
let provider: ProviderSimulator;
afterEach(() => world.end());

async function begin(keys: boolean): Promise<void> {
  const made = new Map<string, number>();
  provider = new ProviderSimulator({
    routes: {
      'POST /orders': ({ body }) => {
        made.set((body as { reference: string }).reference, made.size + 1);
        return { status: 201, body: { number: made.size } };
      },
      'GET /orders': ({ query }) => {
        const number = made.get(query['reference'] as string);
        return { status: 200, body: number === undefined ? [] : [{ number }] };
      },
    },
    ...(keys && { idempotency: {} }),
  });
  world = await DurableWorld.begin(provider);
}

type Process = DurableApp & { readonly orders: Orders };

async function process(contract: Partial<ProviderOptions> = {}, fate: Fate = {}): Promise<Process> {
  const app = await world.start({
    providers: [Orders],
    contract: {
      limits: [concurrency({ limit: 10 })],
      timeouts: { attempt: '10s', total: '2d' },
      retry: { maxAttempts: 4, throttled: { maxAttempts: 6 }, baseDelay: '1s', jitter: 'none', budget: false },
      pause: { initial: '1s' },
      reconcile: { settleTime: '1m' },
      ...contract,
    },
    module: { store: mortalStore(world.counted(sqliteStore({ path: world.path('operations.db') })), fate) },
  });
  return { ...app, orders: app.module.get(Orders) };
}

const writes = () => provider.log.filter(({ method }) => method === 'POST');
const told = (promise: Promise<unknown>): Promise<any> => world.go(promise.catch((error: unknown) => error));

async function states(): Promise<string[]> {
  const reader = await sqliteStore({ path: world.path('operations.db') }).open({ clock: world.clock });
  const { operations } = await reader.list({ limit: 10 });
  await reader.close();
  return operations.map(({ state, cause }) => `${state} ${cause}`);
}

test('case 131: the key comes of declared fields, is stored, and is the same after a restart', async () => {
  await begin(true);
  const a = await process({ idempotency: {} });
  provider.play([402]);
  expect(await told(a.orders.create({ id: 'o', token: 'minted at first' }))).toMatchObject({
    response: { status: 402 },
  });
  await world.stop(a.module);
  const b = await process({ idempotency: {} });
  expect(await told(b.orders.create({ id: 'o', token: 'minted anew' }))).toEqual({ number: 1 });
  const keys = writes().map(({ headers }) => headers['idempotency-key']);
  expect(keys).toHaveLength(2);
  expect(keys[1]).toBe(keys[0]);
  expect(keys[0]).toMatch(/.{16,}/);
});

test('case 132: after a restart too, equal arguments get the stored result and others conflict, both unsent', async () => {
  await begin(false);
  const a = await process();
  expect(await told(a.orders.create({ id: 'k', amount: 1 }))).toEqual({ number: 1 });
  await world.stop(a.module);
  const b = await process();
  expect(await told(b.orders.create({ amount: 1, id: 'k' }))).toEqual({ number: 1 });
  expect(await told(b.orders.create({ id: 'k', amount: 2 }))).toMatchObject({ code: 'IDEMPOTENCY_CONFLICT' });
  expect(writes()).toHaveLength(1);
});

test('case 133: after a decline or a refusal the next try is sent, also by another process', async () => {
  await begin(false);
  const a = await process({ retry: { throttled: { maxAttempts: 1 }, budget: false } });
  provider.play(S('402, 429(retry-after: 1)'));
  expect(await told(a.orders.create({ id: 'k' }))).toMatchObject({ response: { status: 402 } });
  expect(await told(a.orders.create({ id: 'k' }))).toMatchObject({ response: { status: 429 } });
  await world.stop(a.module);
  const b = await process();
  expect(await told(b.orders.create({ id: 'k' }))).toEqual({ number: 1 });
  expect(writes()).toHaveLength(3);
});

test('case 134: two processes that claim one key in the same millisecond send once, and both have the result', async () => {
  await begin(false);
  const [a, b] = [await process(), await process()];
  provider.play([slow(500)]);
  const both = [a, b].map(({ orders }) => orders.create({ id: 'k' }));
  expect(await told(Promise.all(both))).toEqual([{ number: 1 }, { number: 1 }]);
  expect(writes()).toHaveLength(1);
});

test('case 134: where the one who sent it dies, it is looked up and not sent again', async () => {
  await begin(false);
  const fate: Fate = {};
  const [a, b] = [await process({}, fate), await process()];
  provider.play([hangAfterExecuting]);
  void a.orders.create({ id: 'k' }).catch(() => null);
  await world.until(() => writes().length === 1);
  fate.isDead = true;
  // That it is unknown, or what the lookup found if that was faster.
  const heard = await told(b.orders.create({ id: 'k' }));
  expect(heard.code ?? heard).toEqual(heard.code === undefined ? { number: 1 } : 'OUTCOME_UNKNOWN');
  await world.pass(5_000);
  expect(await states()).toEqual(['done found']);
  expect(await told(b.orders.create({ id: 'k' }))).toEqual({ number: 1 });
  expect(writes()).toHaveLength(1);
});

test('case 135: what was executed and reset is sent once; the lookup finds it, and its caller gets what was found', async () => {
  await begin(false);
  const a = await process();
  provider.play([resetAfterExecuting]);
  const error = await told(a.orders.create({ id: 'k' }));
  expect(error).toMatchObject({ code: 'OUTCOME_UNKNOWN' });
  const ended = await world.go(a.operations.wait(error.operationId));
  expect(ended).toMatchObject({ state: 'done', cause: 'found', result: { number: 1 } });
  expect(await told(a.orders.create({ id: 'k' }))).toEqual({ number: 1 });
  expect([writes().length, provider.effects.length]).toEqual([1, 1]);
});

test('case 135: what is absent twice, a settle time apart, is sent exactly once more', async () => {
  await begin(false);
  const a = await process();
  provider.play([reset]);
  const { operationId } = await told(a.orders.create({ id: 'k' }));
  expect(await world.go(a.operations.wait(operationId))).toMatchObject({ state: 'done', cause: 'completed' });
  const [first, second] = writes().map(({ atMs }) => atMs);
  expect(second! - first!).toBeGreaterThanOrEqual(60_000);
  const lookups = provider.log.filter(({ method }) => method === 'GET').map(({ atMs }) => atMs);
  expect(lookups).toHaveLength(2);
  expect(lookups[1]! - lookups[0]!).toBeGreaterThanOrEqual(60_000);
  await world.pass(10 * 60_000, 1_000);
  expect(writes()).toHaveLength(2);
});

test('case 136: unknown at 0 and the process down until 25 h: the key is forgotten by then, so it is looked up and not sent', async () => {
  await begin(true);
  const fate: Fate = {};
  const a = await process({ idempotency: { retention: '24h' } }, fate);
  provider.play([hangAfterExecuting]);
  void a.orders.create({ id: 'k' }).catch(() => null);
  await world.until(() => writes().length === 1);
  fate.isDead = true;
  await world.clock.advance(25 * HOUR_MS);
  await process({ idempotency: { retention: '24h' } });
  await world.pass(120_000, 500);
  expect(await states()).toEqual(['done found']);
  expect([writes().length, provider.effects.length]).toEqual([1, 1]);
});

test('case 159: a bare write that a proxy answers 503 is uncertain after one send; one that is refused is sent again', async () => {
  await begin(false);
  const a = await process();
  provider.play([executedBut(503)]);
  expect(await told(a.orders.create({ id: 'bare' }))).toMatchObject({ response: { status: 503 }, sluice: { reason: 'unsafe' } }); // prettier-ignore
  expect(await states()).toEqual(['uncertain outcome-unknown']);
  await world.pass(180_000, 500);
  expect(await states()).toEqual(['done found']);
  expect([writes().length, provider.effects.length]).toEqual([1, 1]);
  provider.play([429]);
  expect(await told(a.orders.create({ id: 'refused' }))).toEqual({ number: 2 });
  expect(writes()).toHaveLength(3);
});

test('case 160: retries after failures and after refusals are counted apart: five sends, and a result', async () => {
  await begin(true);
  const retry = { maxAttempts: 3, throttled: { maxAttempts: 6 }, baseDelay: '1s', jitter: 'none', budget: false } as const; // prettier-ignore
  const a = await process({ idempotency: {}, retry });
  provider.play(S('502, 502, 429(retry-after: 1), 429(retry-after: 1), 200'));
  expect(await told(a.orders.create({ id: 'k' }))).toEqual({ number: 1 });
  expect(writes()).toHaveLength(5);
  expect(await states()).toEqual(['done completed']);
});
