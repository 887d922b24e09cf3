import { HttpService } from '@nestjs/axios';
import { Injectable } from '@nestjs/common';
import type { AxiosResponse } from 'axios';
import { Idempotent, InjectProvider, type ProviderOptions, Throttled } from 'nestjs-sluice';
import { answer, resetAfterExecuting, type SimulatorOptions } from 'nestjs-sluice/testing';
import { firstValueFrom } from 'rxjs';
import { closeWorlds, type FaultWorld, type Setup, world } from './faults.fixture.js';

afterEach(closeWorlds);

const HOUR = 3_600_000;

interface Order {
  readonly id: string;
  readonly a?: number;
  readonly b?: number;
  /** Anew for every try of the caller. */
  readonly token?: string;
}

@Injectable()
class Orders {
  constructor(@InjectProvider('crm') private readonly http: HttpService) {}

  @Throttled('crm')
  @Idempotent({ key: (order: Order) => order.id })
  create(order: Order): Promise<{ number: number }> {
    return this.post('/orders', order);
  }

  @Throttled('crm')
  @Idempotent({ key: (order: Order) => order.id })
  refund(order: Order): Promise<{ number: number }> {
    return this.post('/refunds', order);
  }

  @Throttled('crm')
  @Idempotent({ key: (order: Order) => order.id, fingerprint: ({ id, a, b }: Order) => ({ id, a, b }) })
  minted(order: Order): Promise<{ number: number }> {
    return this.post('/orders', order, { 'x-token': order.token ?? '' });
  }

  @Throttled('crm')
  @Idempotent()
  once(): Promise<AxiosResponse> {
    return firstValueFrom(this.http.post('/orders', { a: 1 }));
  }

  private async post(url: string, body: object, headers = {}): Promise<{ number: number }> {
    return (await firstValueFrom(this.http.post<{ number: number }>(url, body, { headers }))).data;
  }
}

async function start(setup: Setup & { honoured?: boolean } = {}): Promise<FaultWorld & { orders: Orders }> {
  let number = 0;
  const created = () => ({ status: 201, body: { number: (number += 1) } });
  const provider: SimulatorOptions = {
    routes: {
      'POST /orders': created,
      'POST /refunds': created,
      'GET /x': () => ({ status: 200, body: { list: [1] } }),
    },
    ...(setup.honoured ? { idempotency: { header: 'idempotency-key' } } : {}),
  };
  const idempotency: Partial<ProviderOptions> = setup.honoured ? { idempotency: {} } : {};
  const opened = await world({ ...setup, provider, providers: [Orders], p: { ...idempotency, ...setup.p } });
  return Object.assign(opened, { orders: opened.app.get(Orders) });
}

test('case 131: a key of declared fields is the same on every try, whatever else the arguments hold', async () => {
  const opened = await start({ honoured: true, s: [402, 503, 200], p: { retry: { maxAttempts: 4 } } });
  const first = opened.watch(opened.orders.minted({ id: 'o-1', token: 'minted at 0' }));
  await opened.clock.advance(0);
  expect(first.told).toBe('402 permanent');
  await opened.clock.advance(5000);
  const second = opened.watch(opened.orders.minted({ id: 'o-1', token: 'minted at 5000' }));
  await opened.clock.advance(HOUR);
  expect(second.value).toEqual({ number: 1 });
  const keys = opened.provider.log.map(({ headers }) => headers['idempotency-key']);
  expect(keys).toEqual([keys[0], keys[0], keys[0]]);
  expect(keys[0]).toMatch(/.{16,}/);
  expect(opened.log).toEqual([0, 5000, 6000]);
  expect(opened.provider.effects).toHaveLength(1);
  await opened.leavesNothing();
});

test('case 132: the same key joins equal arguments, conflicts with others unsent, and is another one elsewhere', async () => {
  const opened = await start({ honoured: true });
  const [one, equal] = [
    opened.watch(opened.orders.create({ id: 'k', a: 1, b: 2 })),
    opened.watch(opened.orders.create({ b: 2, a: 1, id: 'k' })),
  ];
  await opened.clock.advance(0);
  const other = opened.watch(opened.orders.create({ id: 'k', a: 1, b: 3 }));
  await opened.clock.advance(0);
  expect([one.value, equal.value, other.told]).toEqual([{ number: 1 }, { number: 1 }, 'IDEMPOTENCY_CONFLICT']);
  expect(opened.provider.log).toHaveLength(1);
  const elsewhere = opened.watch(opened.orders.refund({ id: 'k', a: 1, b: 3 }));
  await opened.clock.advance(0);
  expect(elsewhere.value).toEqual({ number: 2 });
  const keys = opened.provider.log.map(({ headers }) => headers['idempotency-key']);
  expect(new Set(keys).size).toBe(2);
  await opened.leavesNothing();
});

test('case 133: neither a decline nor a refusal is remembered as the answer', async () => {
  const opened = await start({ s: [402, answer(429)], p: { retry: { throttled: { maxAttempts: 1 } } } });
  const told: string[] = [];
  for (let i = 0; i < 3; i += 1) {
    const sent = opened.watch(opened.orders.create({ id: 'k' }));
    await opened.clock.advance(2000);
    told.push(sent.atMs === i * 2000 ? (sent.error ? sent.told : 'created') : 'late');
  }
  expect(told).toEqual(['402 permanent', '429 attempts-exhausted', 'created']);
  expect(opened.log).toEqual([0, 2000, 4000]);
  await opened.leavesNothing();
});

test('case 134: two first claims in the same moment are one send, and both have its result (in one process)', async () => {
  const opened = await start({ s: 'slow(500) 200' });
  const both = [1, 2].map(() => opened.watch(opened.orders.create({ id: 'k' })));
  await opened.clock.advance(500);
  expect(both.map(({ value, atMs }) => [value, atMs])).toEqual([
    [{ number: 1 }, 500],
    [{ number: 1 }, 500],
  ]);
  expect(opened.provider.log).toHaveLength(1);
  await opened.leavesNothing();
});

test('case 135: a write whose answer was lost is unknown, is sent once, and not again under its key (the row to reconcile needs a store)', async () => {
  const opened = await start({ s: [resetAfterExecuting] });
  for (let i = 0; i < 3; i += 1) {
    const sent = opened.watch(opened.orders.create({ id: 'k' }));
    await opened.clock.advance(HOUR);
    expect(sent.told).toBe('OUTCOME_UNKNOWN');
    expect(sent.error).toMatchObject({ provider: 'crm', attempts: i === 0 ? 1 : 0 });
  }
  expect([opened.log, opened.provider.effects.length]).toEqual([[0], 1]);
  expect(opened.ofType('outcome-unknown')).toHaveLength(1);
  await opened.leavesNothing();
});

test.each([
  ['past', '1h', [0], '503 unsafe', 1],
  ['within', '26h', [0, 90_000_000], '201', 0],
] as const)(
  'case 136: a repeat due at 25 h, %s a retention of %s (in one process)',
  async (_where, retention, log, told, unknown) => {
    const opened = await start({
      honoured: true,
      s: [{ answer: { status: 503, headers: { 'retry-after': '90000' } }, executes: 'first' }],
      p: {
        idempotency: { retention },
        retry: { maxWait: '2d' },
        queue: { maxWait: '2d' },
        timeouts: { attempt: '10s', total: '3d' },
        pause: { maxHint: '7d' },
      },
    });
    const sent = opened.watch(opened.orders.once());
    await opened.clock.advance(2 * 86_400_000);
    expect(opened.log).toEqual(log);
    expect(sent.told).toBe(told);
    expect(opened.ofType('outcome-unknown')).toHaveLength(unknown);
    await opened.leavesNothing();
  },
);

test('case 137: what one member of a flight does to its answer, the others do not see', async () => {
  const opened = await start({ s: 'slow(100) 200', p: { demand: { singleFlight: true } } });
  const read = async (): Promise<AxiosResponse> => opened.caller.send({ url: '/x' }, {});
  const a = read().then((response) => {
    response.data.list.push('of a');
    response.headers['x-of-a'] = '1';
    return response;
  });
  const b = read();
  await opened.clock.advance(100);
  await a;
  const { data, headers } = await b;
  expect([data, headers['x-of-a']]).toEqual([{ list: [1] }, undefined]);
  expect(opened.provider.log).toHaveLength(1);
  await opened.leavesNothing();
});

test('case 138: after a flight that failed the next caller begins a new one', async () => {
  const opened = await start({ s: '500 x4, 200', p: { demand: { singleFlight: true }, retry: { maxAttempts: 1 } } });
  const broken = {
    url: '/x',
    transformResponse: () => {
      throw new TypeError('of the transform');
    },
  };
  const failing = opened.calls(2);
  await opened.clock.advance(0);
  expect(failing.map(({ told }) => told)).toEqual(Array(2).fill('500 attempts-exhausted'));
  expect(opened.provider.log).toHaveLength(1);
  const controller = new AbortController();
  const aborted = opened.call({ url: '/x', signal: controller.signal });
  controller.abort();
  await opened.clock.advance(0);
  const thrown = opened.call({ url: '/x', adapter: () => Promise.reject('a text') });
  const transformed = opened.call(broken);
  await opened.clock.advance(0);
  expect([aborted.told, thrown.told]).toEqual(['cancelled', 'a text']);
  expect(transformed.atMs).toBe(0);
  opened.provider.play([]);
  const next = opened.calls(2);
  await opened.clock.advance(0);
  expect(next.map(({ told }) => told)).toEqual(['200', '200']);
  await opened.leavesNothing();
});

test('case 142: two hundred equal reads at once are one send, and a failure is not kept (in one process)', async () => {
  const opened = await start({ s: 'slow(100) 404, 200', p: { demand: { singleFlight: true } } });
  const failed = opened.calls(200);
  await opened.clock.advance(100);
  expect(new Set(failed.map(({ told }) => told))).toEqual(new Set(['404 permanent']));
  expect(opened.provider.log).toHaveLength(1);
  const read = opened.calls(200);
  await opened.clock.advance(0);
  expect(new Set(read.map(({ told }) => told))).toEqual(new Set(['200']));
  expect(opened.log).toEqual([0, 100]);
  await opened.leavesNothing();
});
