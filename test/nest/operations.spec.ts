import { HttpService } from '@nestjs/axios';
import { Injectable } from '@nestjs/common';
import type { AxiosResponse } from 'axios';
import { firstValueFrom, map, Observable, toArray } from 'rxjs';
import {
  absent,
  currentCall,
  type DurableStore,
  found,
  Idempotent,
  inconclusive,
  InjectProvider,
  type OperationStore,
  type Reconciled,
  Throttled,
} from 'nestjs-sluice';
import { sqliteStore } from 'nestjs-sluice/sqlite';
import { hang, ProviderSimulator, resetAfterExecuting, slow } from 'nestjs-sluice/testing';
import { type DurableApp, DurableWorld } from './support/durable-world.js';

interface Invoice {
  readonly id: string;
  readonly hours?: number;
}

interface Created {
  readonly number: number;
  readonly operation?: string | null;
}

/** What the lookups say, one after the other. */
let answers: ('found' | 'absent' | 'inconclusive')[];
let lookups: Invoice[];

@Injectable()
class Invoices {
  constructor(@InjectProvider('crm') private readonly http: HttpService) {}

  @Throttled('crm')
  @Idempotent({ key: (invoice) => invoice.id, reconcile: 'find', reference: (invoice) => invoice.id })
  async create(invoice: Invoice): Promise<Created> {
    const { data } = await firstValueFrom(this.http.post<Created>('/invoices', invoice));
    return { ...data, operation: currentCall()?.operationId ?? null };
  }

  @Idempotent({ key: (invoice) => invoice.id, reconcile: 'find', onUnknown: 'wait' })
  @Throttled('crm')
  async patient(invoice: Invoice): Promise<Created> {
    return (await firstValueFrom(this.http.post<Created>('/invoices', invoice))).data;
  }

  @Throttled('crm')
  @Idempotent({ key: (invoice) => invoice.id })
  async afterReading(invoice: Invoice): Promise<Created> {
    await firstValueFrom(this.http.get(`/invoices/${invoice.id}`));
    return (await firstValueFrom(this.http.post<Created>('/invoices', invoice))).data;
  }

  @Throttled('crm')
  @Idempotent({ key: (invoice) => invoice.id })
  async answered(invoice: Invoice): Promise<AxiosResponse<Created>> {
    return firstValueFrom(this.http.post<Created>('/invoices', invoice));
  }

  @Throttled('crm')
  @Idempotent()
  async unkeyed(invoice: Invoice): Promise<number> {
    return (await firstValueFrom(this.http.post<Created>('/invoices', invoice))).data.number;
  }

  @Throttled('crm')
  @Idempotent({ key: (invoice) => invoice.id })
  stream(invoice: Invoice): Observable<number> {
    return this.http.post<Created>('/invoices', invoice).pipe(map(({ data }) => data.number));
  }

  @Throttled('crm')
  @Idempotent({ key: (invoice) => invoice.id, reconcile: 'find' })
  looked(invoice: Invoice): Observable<Created> {
    return this.http.post<Created>('/invoices', invoice).pipe(map(({ data }) => data));
  }

  async find(invoice: Invoice): Promise<Reconciled<Created>> {
    lookups.push(invoice);
    await firstValueFrom(this.http.get(`/invoices/${invoice.id}`));
    switch (answers.shift()) {
      case 'found':
        return found({ number: 41 });
      case 'absent':
        return absent();
      default:
        return inconclusive();
    }
  }
}

let world: DurableWorld;
let provider: ProviderSimulator;
let app: DurableApp;
let invoices: Invoices;

async function start(): Promise<void> {
  app = await world.start({
    providers: [Invoices],
    contract: {
      reconcile: { settleTime: '10s' },
      idempotency: 'unsupported',
      routes: { invoice: 'GET /invoices/:id' },
      timeouts: { attempt: '5s' },
    },
  });
  invoices = app.module.get(Invoices);
}

beforeEach(async () => {
  answers = [];
  lookups = [];
  let number = 0;
  provider = new ProviderSimulator({
    routes: {
      'POST /invoices': () => ({ status: 201, body: { number: (number += 1) } }),
      'GET /invoices/:id': () => ({ status: 200, body: {} }),
    },
  });
  world = await DurableWorld.begin(provider);
  await start();
});
afterEach(() => world.end());

const writes = (): number => provider.log.filter(({ method }) => method === 'POST').length;
const failed = (promise: Promise<unknown>): Promise<any> => world.go(promise.then(() => null, (error: unknown) => error)); // prettier-ignore

test('a result is given again after a restart of the application, and nothing is sent for it', async () => {
  const first = await world.go(invoices.create({ id: 'a', hours: 2 }));
  expect(first).toMatchObject({ number: 1, operation: expect.any(String) });
  await world.stop(app.module);

  await start();
  expect(await world.go(invoices.create({ id: 'a', hours: 2 }))).toEqual(first);
  expect(writes()).toBe(1);
  expect(await failed(invoices.create({ id: 'a', hours: 3 }))).toMatchObject({ code: 'IDEMPOTENCY_CONFLICT' });
  expect(writes()).toBe(1);
});

test('a method may return the answer itself: its status, headers and data are given again after a restart', async () => {
  const first = await world.go(invoices.answered({ id: 't1' }));
  await world.stop(app.module);
  await start();
  const again = await world.go(invoices.answered({ id: 't1' }));
  expect(again).toEqual({
    status: first.status,
    statusText: first.statusText,
    headers: { ...first.headers },
    data: first.data,
  });
  expect(provider.log).toHaveLength(1);
});

test('an operation is told by its id: its state, its result as a value, its arguments only where they are asked for', async () => {
  const { operation } = await world.go(invoices.create({ id: 'personal', hours: 2 }));
  const told = await world.go(app.operations.get(operation!));
  expect(told).toMatchObject({
    id: operation,
    provider: 'crm',
    name: 'Invoices.create',
    state: 'done',
    cause: 'completed',
    result: { number: 1 },
    endedAt: expect.any(Date),
  });
  expect(JSON.stringify(told)).not.toContain('personal');
  const { args } = (await world.go(app.operations.get(operation!, { args: true })))!;
  expect(args).toEqual([{ id: 'personal', hours: 2 }]);
  const { operations, next } = await world.go(app.operations.list({ state: 'done' }));
  expect([operations.map(({ id }) => id), next]).toEqual([[operation], null]);
  expect((await world.go(app.operations.counts())).counts).toContainEqual(
    expect.objectContaining({ provider: 'crm', state: 'done', count: 1 }),
  );
  expect(JSON.stringify(app.events)).not.toContain('personal');
});

test('law 7: an uncertain write is told with its id, looked up by the method of the class, and its result is what that found', async () => {
  provider.play([resetAfterExecuting]);
  answers = ['inconclusive', 'found'];
  const error = await failed(invoices.create({ id: 'a' }));
  expect(error).toMatchObject({ code: 'OUTCOME_UNKNOWN', operationId: expect.any(String) });
  const ended = await world.go(app.operations.wait(error.operationId, { deadline: '10m' }));
  expect(ended).toMatchObject({ state: 'done', cause: 'found', result: { number: 41 } });
  expect(lookups).toEqual([{ id: 'a' }, { id: 'a' }]);
  expect(await world.go(invoices.create({ id: 'a' }))).toEqual({ number: 41 });
  expect(writes()).toBe(1);
});

test('law 7: one that is absent twice, a settle time apart, is sent exactly once more, by a worker', async () => {
  provider.play([resetAfterExecuting, 200, 200, 201]);
  answers = ['absent', 'absent'];
  const error = await failed(invoices.create({ id: 'a' }));
  const before = world.clock.monoMs();
  const ended = await world.go(app.operations.wait(error.operationId, { deadline: '10m' }));
  expect(ended).toMatchObject({ state: 'done', cause: 'completed' });
  expect(world.clock.monoMs() - before).toBeGreaterThanOrEqual(10_000);
  expect(lookups).toHaveLength(2);
  expect(writes()).toBe(2);
  await world.pass(60_000, 1_000);
  expect(writes()).toBe(2);
});

test('law 7: a crash in the middle of a write leaves an operation that the next application looks up', async () => {
  provider.play([hang]);
  const hanging = invoices.create({ id: 'a' }).catch(() => null);
  await world.until(() => writes() === 1);
  // The next process on the same file; this one is never heard of again until its lease is over.
  const other = await world.start({ providers: [Invoices], contract: { reconcile: { settleTime: '10s' }, idempotency: 'unsupported' } }); // prettier-ignore
  answers = ['found'];
  const [operation] = (await world.go(other.operations.list())).operations;
  expect(operation).toMatchObject({ state: 'running' });
  await world.go(hanging);
  const ended = await world.go(other.operations.wait(operation!.id, { deadline: '10m' }));
  expect(ended).toMatchObject({ state: 'done', cause: 'found', result: { number: 41 } });
  expect(writes()).toBe(1);
});

test('law 7: a run whose operation may be in other hands ends at once, and sends nothing more', async () => {
  const durable = sqliteStore({ path: world.path('operations.db') });
  const deaf: DurableStore = {
    kind: durable.kind,
    open: async (env) => {
      const store = await durable.open(env);
      return Object.assign(Object.create(store) as OperationStore, { renew: () => Promise.reject(new Error('disk')) });
    },
  };
  const alone = await world.start({
    providers: [Invoices],
    contract: { idempotency: 'unsupported', timeouts: { attempt: '60s' } },
    module: { store: world.counted(deaf), operations: { lease: '3s' } },
  });
  provider.play([slow(30_000)]);
  const before = world.clock.monoMs();
  expect(await failed(alone.module.get(Invoices).afterReading({ id: 'a' }))).toMatchObject({
    code: 'OPERATION_IN_PROGRESS',
  });
  expect(world.clock.monoMs() - before).toBeLessThanOrEqual(3_200);
  await world.pass(60_000, 1_000);
  expect(writes()).toBe(0);
});

test("onUnknown 'wait': the caller gets what the lookup finds", async () => {
  provider.play([resetAfterExecuting]);
  answers = ['found'];
  expect(await world.go(invoices.patient({ id: 'a' }))).toEqual({ number: 41 });
  expect(writes()).toBe(1);
});

test('an Observable is an operation too: its values are given again after a restart, and what was found is its value', async () => {
  expect(await world.go(firstValueFrom(invoices.stream({ id: 'a' }).pipe(toArray())))).toEqual([1]);
  provider.play([resetAfterExecuting]);
  answers = ['found'];
  const error = await failed(firstValueFrom(invoices.looked({ id: 'b' })));
  expect(error).toMatchObject({ code: 'OUTCOME_UNKNOWN' });
  await world.go(app.operations.wait(error.operationId, { deadline: '10m' }));
  await world.stop(app.module);

  await start();
  expect(await world.go(firstValueFrom(invoices.stream({ id: 'a' }).pipe(toArray())))).toEqual([1]);
  expect(await world.go(firstValueFrom(invoices.looked({ id: 'b' }).pipe(toArray())))).toEqual([{ number: 41 }]);
  expect(writes()).toBe(2);
});

test('without a key each invocation is stored as an operation of its own', async () => {
  expect(await world.go(invoices.unkeyed({ id: 'a' }))).toBe(1);
  expect(await world.go(invoices.unkeyed({ id: 'a' }))).toBe(2);
  provider.play([resetAfterExecuting]);
  const error = await failed(invoices.unkeyed({ id: 'a' }));
  expect(error).toMatchObject({ code: 'OUTCOME_UNKNOWN', operationId: expect.any(String) });
  // Nobody can look it up but a person.
  await world.until(() => app.events.some((event) => event.type === 'operation' && event.to === 'dead'));
  expect(await world.go(app.operations.get(error.operationId))).toMatchObject({ state: 'dead', cause: 'unresolved' });
  expect(await world.go(app.operations.resolve(error.operationId, 3, 'seen in the list of invoices'))).toBe('done');
  expect(await world.go(app.operations.get(error.operationId))).toMatchObject({ state: 'done', result: 3 });
});

test('one that was discarded is refused from then on', async () => {
  provider.play([resetAfterExecuting]);
  answers = [];
  const { operationId } = await failed(invoices.create({ id: 'a' }));
  await world.until(() => lookups.length === 1);
  await world.pass(100);
  expect(await world.go(app.operations.discard(operationId, 'cancelled by the customer'))).toBe('discarded');
  expect(await failed(invoices.create({ id: 'a' }))).toMatchObject({ code: 'IDEMPOTENCY_CONFLICT' });
  expect(writes()).toBe(1);
});

test('two applications in one process, each on a file of its own, do not meet', async () => {
  const other = await world.start({
    providers: [Invoices],
    file: 'other.db',
    contract: { idempotency: 'unsupported' },
  });
  expect(await world.go(invoices.create({ id: 'a' }))).toMatchObject({ number: 1 });
  expect(await world.go(other.module.get(Invoices).create({ id: 'a' }))).toMatchObject({ number: 2 });
  expect((await world.go(other.operations.list())).operations).toHaveLength(1);
});

test('invocations with one key at once are one request', async () => {
  provider.play([slow(500)]);
  const [one, two] = await world.go(Promise.all([invoices.create({ id: 'k' }), invoices.create({ id: 'k' })]));
  expect(one).toEqual(two);
  expect(one).not.toBe(two);
  expect(writes()).toBe(1);
});

test('a page is not asked for behind what no page gave, and nobody is told that the store is away', async () => {
  for (const after of ['garbage', '1e3', '-1', 7 as never, {} as never]) {
    await expect(world.go(app.operations.list({ after }))).rejects.toMatchObject({
      code: 'CONFIG',
      message: expect.stringContaining('what a page gave as `next`'),
    });
  }
});

test.each([undefined, null, '', 7, {}, []])('%p is no id, and there is no operation of it', async (id) => {
  expect(await world.go(app.operations.get(id as never))).toBeNull();
});
