import { HttpService } from '@nestjs/axios';
import { Injectable } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { firstValueFrom, map, Observable, toArray } from 'rxjs';
import {
  currentCall,
  Idempotent,
  InjectProvider,
  type ProviderOptions,
  RateLimitService,
  type SluiceEvent,
  Throttled,
} from 'nestjs-sluice';
import {
  answer,
  executedBut,
  ProviderSimulator,
  resetAfterExecuting,
  slow,
  sluiceTesting,
  VirtualClock,
} from 'nestjs-sluice/testing';
import { crmAt } from './support/crm.js';
import { QuietLogger } from './support/silent.js';

interface Dto {
  readonly id: string;
  readonly hours?: number;
  readonly note?: string;
}

@Injectable()
class Invoices {
  constructor(@InjectProvider('crm') private readonly http: HttpService) {}

  @Throttled('crm')
  @Idempotent()
  async unkeyed(dto: Dto): Promise<string | null> {
    await firstValueFrom(this.http.post('/invoices', dto));
    return currentCall()?.idempotencyKey ?? null;
  }

  @Idempotent({ key: (dto: Dto) => dto.id })
  @Throttled('crm', { tenant: (_dto: Dto, tenant?: string) => tenant })
  async create(dto: Dto, _tenant?: string): Promise<{ number: number }> {
    const { data } = await firstValueFrom(this.http.post<{ number: number }>('/invoices', dto));
    return data;
  }

  @Throttled('crm')
  @Idempotent({ key: (dto: Dto) => dto.id, fingerprint: (dto: Dto) => dto.hours })
  async declared(dto: Dto): Promise<unknown> {
    return (await firstValueFrom(this.http.post('/declared', dto))).data;
  }

  @Throttled('crm')
  @Idempotent({
    key: (dto: Dto) => {
      if (dto.note === 'throw') throw new Error('secret');
      return dto.id;
    },
  })
  async failingKey(dto: Dto): Promise<void> {
    await firstValueFrom(this.http.post('/invoices', dto));
  }

  @Throttled('crm')
  @Idempotent({ key: (dto: Dto) => dto.id })
  stream(dto: Dto): Observable<number> {
    return this.http.post<{ number: number }>('/stream', dto).pipe(map(({ data }) => data.number));
  }
}

let app: TestingModule;
let provider: ProviderSimulator;
let clock: VirtualClock;
let invoices: Invoices;
let events: SluiceEvent[];

async function start(more: Partial<ProviderOptions> = {}): Promise<void> {
  let number = 0;
  const created = () => ({ status: 201, body: { number: (number += 1) } });
  provider = new ProviderSimulator({
    routes: { 'POST /invoices': created, 'POST /declared': created, 'POST /stream': created },
    idempotency: { header: 'idempotency-key' },
  });
  clock = new VirtualClock();
  const http = { baseURL: 'http://crm.example', adapter: provider.transport(clock) };
  app = await Test.createTestingModule({
    imports: [sluiceTesting({ clock, providers: [crmAt('', { http, ...more })] })],
    providers: [Invoices],
  })
    .setLogger(new QuietLogger())
    .compile();
  await app.init();
  invoices = app.get(Invoices);
  events = [];
  app.get(RateLimitService).events.subscribe((event) => events.push(event));
}

afterEach(async () => {
  await clock.advanceUntil(app.close());
  expect(clock.pendingTimers).toBe(0);
});

const keysSent = (): unknown[] => provider.log.map(({ headers }) => headers['idempotency-key']);
const go = <T>(promise: Promise<T>): Promise<T> => clock.advanceUntil(promise);

test('case 131: without a key each invocation is an operation of its own, and its retries carry one key', async () => {
  await start({ idempotency: {}, retry: { baseDelay: '1s' } });
  provider.play([503, 503, 200]);
  await go(invoices.unkeyed({ id: '1' }));
  await go(invoices.unkeyed({ id: '1' }));
  const keys = keysSent();
  expect(keys).toHaveLength(4);
  expect(new Set(keys.slice(0, 3)).size).toBe(1);
  expect(keys[3]).not.toBe(keys[0]);
  expect(provider.effects).toHaveLength(2);
});

test('case 134: invocations with one key at once are one request, and each gets a result of its own', async () => {
  await start();
  provider.play([slow(500)]);
  const [one, two] = await go(Promise.all([invoices.create({ id: 'k' }), invoices.create({ id: 'k' })]));
  expect([one, two]).toEqual([{ number: 1 }, { number: 1 }]);
  expect(one).not.toBe(two);
  expect(provider.log).toHaveLength(1);
});

test('case 132: one key again gives the same result, with other arguments a conflict, for another method or tenant its own operation', async () => {
  await start();
  expect(await go(invoices.create({ id: 'k', hours: 1, note: 'a' }))).toEqual({ number: 1 });
  expect(await go(invoices.create({ note: 'a', hours: 1, id: 'k' }))).toEqual({ number: 1 });
  await expect(go(invoices.create({ id: 'k', hours: 2, note: 'a' }))).rejects.toMatchObject({
    code: 'IDEMPOTENCY_CONFLICT',
    provider: 'crm',
  });
  expect(provider.log).toHaveLength(1);
  expect(await go(invoices.declared({ id: 'k', hours: 1, note: 'a' }))).toEqual({ number: 2 });
  expect(await go(invoices.declared({ id: 'k', hours: 1, note: 'b' }))).toEqual({ number: 2 });
  expect(await go(invoices.create({ id: 'k', hours: 9 }, 'tenant a'))).toEqual({ number: 3 });
  expect(await go(invoices.create({ id: 'k', hours: 9 }, 'tenant b'))).toEqual({ number: 4 });
});

test('case 133: a failure is not remembered as the answer', async () => {
  await start({ retry: { throttled: { maxAttempts: 1 } }, pause: { initial: 1 } });
  provider.play([answer(402), answer(429, {}, {})]);
  await expect(go(invoices.create({ id: 'k' }))).rejects.toMatchObject({ response: { status: 402 } });
  await expect(go(invoices.create({ id: 'k' }))).rejects.toMatchObject({ response: { status: 429 } });
  await clock.advance(10);
  expect(await go(invoices.create({ id: 'k' }))).toEqual({ number: 1 });
  expect(provider.log).toHaveLength(3);
});

test('law 7: a write that may have happened is not sent again under its key: the caller is told, and an event', async () => {
  await start();
  provider.play([resetAfterExecuting]);
  await expect(go(invoices.create({ id: 'k' }))).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' });
  await expect(go(invoices.create({ id: 'k' }))).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' });
  expect(provider.log).toHaveLength(1);
  expect(provider.effects).toHaveLength(1);
  expect(events.filter(({ type }) => type === 'outcome-unknown')).toHaveLength(1);
});

test('case 159: a 503 after the write took effect is one send, without a key that the provider honours', async () => {
  await start();
  provider.play([executedBut(503)]);
  await expect(go(invoices.unkeyed({ id: 'k' }))).rejects.toBeDefined();
  expect(provider.log).toHaveLength(1);
});

test('law 13: a key that fails or gives nothing refuses the call unsent', async () => {
  await start();
  for (const dto of [{ id: '1', note: 'throw' }, { id: '' }, {} as Dto]) {
    await expect(go(invoices.failingKey(dto))).rejects.toMatchObject({
      code: 'CONFIG',
      message: expect.stringContaining('Invoices.failingKey: `key` failed'),
    });
  }
  expect(provider.log).toHaveLength(0);
});

test('an Observable with a key is one operation: a second subscription gets the same values', async () => {
  await start();
  const stream = invoices.stream({ id: 'k' });
  expect(provider.log).toHaveLength(0);
  expect(await go(firstValueFrom(stream.pipe(toArray())))).toEqual([1]);
  expect(await go(firstValueFrom(stream.pipe(toArray())))).toEqual([1]);
  expect(provider.log).toHaveLength(1);
});

test('law 12: neither key nor arguments reach an event', async () => {
  await start({ idempotency: {} });
  await go(invoices.create({ id: 'personal-key', note: 'secret' }));
  expect(JSON.stringify(events)).not.toMatch(/personal-key|secret/);
  expect(JSON.stringify(keysSent())).not.toContain('personal-key');
});
