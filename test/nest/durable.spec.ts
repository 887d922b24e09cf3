import { HttpService } from '@nestjs/axios';
import { Body, Controller, type INestApplication, Injectable, Post, Scope } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { firstValueFrom, map, Observable } from 'rxjs';
import {
  concurrency,
  currentCall,
  Durable,
  found,
  Idempotent,
  InjectProvider,
  Operations,
  type ProviderOptions,
  quota,
  RateLimitExceptionFilter,
  RateLimitService,
  type Reconciled,
  slidingWindow,
  Throttled,
} from 'nestjs-sluice';
import { answer, ProviderSimulator, resetAfterExecuting, slow } from 'nestjs-sluice/testing';
import { type DurableApp, DurableWorld } from './support/durable-world.js';

interface Report {
  readonly id: string;
  readonly account?: string;
}

/** What ran, with the operation it was part of. */
let ran: { readonly id: string; readonly operationId: string | null }[];

@Injectable()
class Reports {
  constructor(@InjectProvider('crm') private readonly http: HttpService) {}

  @Durable({ name: 'send report', orderingKey: (report) => report.account })
  @Throttled('crm', { deadline: '5s' })
  async send(report: Report): Promise<number> {
    ran.push({ id: report.id, operationId: currentCall()?.operationId ?? null });
    return (await firstValueFrom(this.http.post<{ number: number }>(`/reports/${report.id}`, {}))).data.number;
  }

  @Throttled('crm', {
    lane: (report) => (report.id === 'urgent' ? 'interactive' : 'background'),
    tenant: (report) => report.account,
    partition: (report) => ({ account: report.account ?? 'none' }),
  })
  @Idempotent({ key: (report) => report.id, reconcile: 'look' })
  @Durable({ name: 'keyed report' })
  async keyed(report: Report): Promise<number> {
    return (await firstValueFrom(this.http.post<{ number: number }>(`/keyed/${report.id}`, {}))).data.number;
  }

  async look(report: Report): Promise<Reconciled<number>> {
    await firstValueFrom(this.http.get(`/keyed/${report.id}`));
    return found(41);
  }

  @Durable({ name: 'report stream' })
  @Throttled('crm')
  stream(id: string): Observable<number> {
    return this.http.post<{ number: number }>(`/reports/${id}`, {}).pipe(map(({ data }) => data.number));
  }

  @Durable({ name: 'sdk report' })
  @Throttled('crm', { guard: 'method', answer: () => ({ status: 200 }) })
  async sdk(id: string): Promise<string> {
    ran.push({ id, operationId: currentCall()?.operationId ?? null });
    return `sent ${id}`;
  }

  @Durable({ name: 'nested report' })
  @Throttled('crm')
  async nested(ids: string[]): Promise<number[]> {
    const numbers: number[] = [];
    for (const id of ids) numbers.push(await this.keyed({ id }));
    return numbers;
  }
}

/** As a library's decorator does: it runs the method again where that fails. */
function Twice(): MethodDecorator {
  return (_target, _key, descriptor: PropertyDescriptor) => {
    const method = descriptor.value as (...args: unknown[]) => Promise<unknown>;
    descriptor.value = async function (this: unknown, ...args: unknown[]): Promise<unknown> {
      return method.apply(this, args).catch(() => method.apply(this, args));
    };
  };
}

@Injectable()
class Wrapped {
  calls = 0;

  constructor(@InjectProvider('crm') private readonly http: HttpService) {}

  @Twice()
  @Durable({ name: 'wrapped' })
  @Throttled('crm')
  @Idempotent({ key: (id) => id })
  async send(id: string): Promise<number> {
    this.calls += 1;
    ran.push({ id, operationId: currentCall()?.operationId ?? null });
    if (this.calls === 1) throw new Error('the first time');
    return (await firstValueFrom(this.http.post<{ number: number }>(`/reports/${id}`, {}))).data.number;
  }
}

@Controller('reports')
class ReportsController {
  constructor(private readonly reports: Reports) {}

  @Post()
  send(@Body() report: Report): Promise<number> {
    return this.reports.send(report);
  }
}

let world: DurableWorld;
let provider: ProviderSimulator;

beforeEach(async () => {
  ran = [];
  let number = 0;
  provider = new ProviderSimulator({
    routes: {
      'POST /reports/:id': () => ({ status: 201, body: { number: (number += 1) } }),
      'POST /keyed/:id': () => ({ status: 201, body: { number: (number += 1) } }),
      'GET /keyed/:id': () => ({ status: 200, body: {} }),
    },
  });
  world = await DurableWorld.begin(provider);
});
afterEach(() => world.end());

const contract = {
  dimensions: ['account'],
  routes: { keyed: 'POST /keyed/:id', look: 'GET /keyed/:id' },
  limits: [
    concurrency({ limit: 10, countedBy: [] }),
    slidingWindow({ limit: 100, per: '1m', countedBy: ['account'], routes: ['keyed', 'look'] }),
  ],
  lanes: { interactive: {}, background: {} },
  reconcile: { settleTime: '10s' },
  timeouts: { attempt: '2s' },
} satisfies Partial<ProviderOptions>;
const start = (): Promise<DurableApp> => world.start({ providers: [Reports], contract });
const failed = (promise: Promise<unknown>): Promise<any> => world.go(promise.then(() => null, (error: unknown) => error)); // prettier-ignore
const sent = (): string[] => provider.log.map(({ method, path }) => `${method} ${path}`);

describe.each(['express', 'fastify'] as const)('over HTTP, on %s', (kind) => {
  let app: INestApplication;
  beforeEach(async () => {
    const filter = { provide: APP_FILTER, useClass: RateLimitExceptionFilter };
    const module = await world.compile({ contract, controllers: [ReportsController], providers: [Reports, filter] });
    app =
      kind === 'fastify'
        ? module.createNestApplication(new FastifyAdapter({ forceCloseConnections: true }))
        : module.createNestApplication({ forceCloseConnections: true });
    world.add(app);
    await app.listen(0, '127.0.0.1');
  });

  async function post(body: Report): Promise<{ status: number; retryAfter: string | null; body: any }> {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${await app.getUrl()}/reports`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    return { status: response.status, retryAfter: response.headers.get('retry-after'), body: await response.json() };
  }

  test('what cannot be done in time is accepted: 202 with its id and when it is due; a worker does it', async () => {
    const operations = app.get(Operations);
    app.get(RateLimitService).pause('crm', '1m');
    await world.quiet();
    const told = await world.go(post({ id: 'a' }), { stepMs: 1 });
    expect(told).toMatchObject({
      status: 202,
      retryAfter: expect.stringMatching(/^(60|59)$/),
      body: { statusCode: 202, code: 'DEFERRED', provider: 'crm', operationId: expect.any(String) },
    });
    const { operationId } = told.body;
    expect(await world.go(operations.get(operationId))).toMatchObject({ state: 'waiting', name: 'send report' });
    expect(provider.log).toHaveLength(0);

    expect(await world.go(operations.wait(operationId, { deadline: '10m' }))).toMatchObject({
      state: 'done',
      result: 1,
    });
    expect(sent()).toEqual(['POST /reports/a']);
    expect(ran.at(-1)).toEqual({ id: 'a', operationId });
  });
});

test('deferred work is run by a worker, as one operation whose id the method is told', async () => {
  const { operations } = await start();
  const { id, created, state } = await world.go(operations.defer(Reports, 'send', [{ id: 'a' }]));
  expect([created, state]).toEqual([true, 'queued']);
  expect(await world.go(operations.wait(id))).toMatchObject({ state: 'done', cause: 'completed', result: 1 });
  expect(ran).toEqual([{ id: 'a', operationId: id }]);
  expect((await world.go(operations.list())).operations).toHaveLength(1);
});

test("the deadline is the caller's: a worker takes the time it needs", async () => {
  const { operations } = await world.start({
    providers: [Reports],
    contract: { ...contract, timeouts: { attempt: '8s' } },
  });
  provider.play([slow(6_000)]);
  const { id } = await world.go(operations.defer(Reports, 'send', [{ id: 'a' }]));
  expect(await world.go(operations.wait(id))).toMatchObject({ state: 'done', result: 1 });
});

test('deferred work survives the application: the next one on the file runs it', async () => {
  const first = await start();
  const { id } = await world.go(first.operations.defer(Reports, 'send', [{ id: 'a' }], { delay: '1m' }));
  await world.stop(first.module);
  expect(provider.log).toHaveLength(0);

  const { operations } = await start();
  expect(await world.go(operations.wait(id, { deadline: '5m' }))).toMatchObject({ state: 'done', result: 1 });
  expect(sent()).toEqual(['POST /reports/a']);
});

test('stored work is done in the lane, for the tenant and in the partition that were asked for; so is its lookup', async () => {
  const { operations, events } = await start();
  provider.play([resetAfterExecuting]);
  const { id } = await world.go(operations.defer(Reports, 'keyed', [{ id: 'urgent', account: 'acme' }]));
  expect(await world.go(operations.get(id))).toMatchObject({ lane: 'interactive', tenant: 'acme' });
  const ended = await world.go(operations.wait(id, { deadline: '5m' }));
  expect(ended).toMatchObject({ state: 'done', cause: 'found', result: 41 });
  expect(sent()).toEqual(['POST /keyed/urgent', 'GET /keyed/urgent']);
  const grants = events.flatMap((event) => (event.type === 'granted' ? [[event.lane, event.route]] : []));
  expect(grants).toEqual([
    ['interactive', 'keyed'],
    ['background', 'look'],
  ]);
});

test('a pause of one account holds up the stored work of that account only', async () => {
  const { operations, module } = await start();
  module.get(RateLimitService).pause('crm', '1m', { account: 'acme' });
  const paused = await world.go(operations.defer(Reports, 'keyed', [{ id: 'a', account: 'acme' }]));
  const free = await world.go(operations.defer(Reports, 'keyed', [{ id: 'b', account: 'other' }]));
  expect(await world.go(operations.wait(free.id))).toMatchObject({ state: 'done', result: 1 });
  await world.pass(30_000, 1_000);
  expect(sent()).toEqual(['POST /keyed/b']);
  expect(await world.go(operations.wait(paused.id, { deadline: '5m' }))).toMatchObject({ state: 'done', result: 2 });
});

test('what the one who defers says of lane, tenant and partition wins over what the method says', async () => {
  const { operations } = await start();
  const { id } = await world.go(
    operations.defer(Reports, 'keyed', [{ id: 'a', account: 'acme' }], {
      lane: 'interactive',
      tenant: 'other',
      partition: { account: 'other' },
    }),
  );
  expect(await world.go(operations.wait(id))).toMatchObject({ state: 'done', lane: 'interactive', tenant: 'other' });
});

test('deferred and called directly, work of one key is one operation', async () => {
  const { operations, module } = await start();
  const report = { id: 'a', account: 'acme' };
  const { id } = await world.go(operations.defer(Reports, 'keyed', [report]));
  await world.go(operations.wait(id));
  expect(await world.go(module.get(Reports).keyed(report))).toBe(1);
  expect(await world.go(operations.defer(Reports, 'keyed', [report]))).toEqual({ id, created: false, state: 'done' });
  expect(await failed(operations.defer(Reports, 'keyed', [{ ...report, extra: 1 } as Report]))).toMatchObject({
    code: 'IDEMPOTENCY_CONFLICT',
  });
  expect(sent()).toEqual(['POST /keyed/a']);
});

test('work of one ordering key is done in the order in which it was asked for', async () => {
  const { operations } = await start();
  provider.play([slow(500), slow(10), slow(10)]);
  const ids = ['1', '2', '3'];
  const deferred = [];
  for (const id of ids) deferred.push(await world.go(operations.defer(Reports, 'send', [{ id, account: 'acme' }])));
  for (const { id } of deferred) await world.go(operations.wait(id));
  expect(ran.map(({ id }) => id)).toEqual(ids);
});

test('a worker runs the method through all its decorators, and it stays one operation however often they call it', async () => {
  const { operations } = await world.start({ providers: [Wrapped], contract });
  const { id } = await world.go(operations.defer(Wrapped, 'send', ['a']));
  expect(await world.go(operations.wait(id))).toMatchObject({ state: 'done', result: 1 });
  expect(ran).toEqual([
    { id: 'a', operationId: id },
    { id: 'a', operationId: id },
  ]);
  expect((await world.go(operations.list())).operations).toHaveLength(1);
});

test('Observables and SDK methods are durable too', async () => {
  const { operations } = await start();
  const stream = await world.go(operations.defer(Reports, 'stream', ['a']));
  expect(await world.go(operations.wait(stream.id))).toMatchObject({ state: 'done', result: [1] });
  const sdk = await world.go(operations.defer(Reports, 'sdk', ['b']));
  expect(await world.go(operations.wait(sdk.id))).toMatchObject({ state: 'done', result: 'sent b' });
  expect(ran).toEqual([{ id: 'b', operationId: sdk.id }]);
});

test('operations inside a stored one are operations of their own', async () => {
  const { operations } = await start();
  const { id } = await world.go(operations.defer(Reports, 'nested', [['a', 'b']]));
  expect(await world.go(operations.wait(id))).toMatchObject({ state: 'done', result: [1, 2] });
  expect((await world.go(operations.list({ state: 'done' }))).operations.map(({ name }) => name).sort()).toEqual([
    'keyed report',
    'keyed report',
    'nested report',
  ]);
});

test('what the provider refuses for good is dead, with its answer, and is driven again by an operator', async () => {
  const { operations } = await start();
  provider.play([answer(422, {}, { problem: 'no such account' })]);
  const { id } = await world.go(operations.defer(Reports, 'send', [{ id: 'a' }]));
  const dead = await world.go(operations.wait(id));
  expect(dead).toMatchObject({ state: 'dead', cause: 'rejected' });
  expect(JSON.stringify(dead.error)).toContain('no such account');
  expect(await world.go(operations.redrive(id))).toBe('queued');
  expect(await world.go(operations.wait(id))).toMatchObject({ state: 'done', result: 1 });
});

test('arguments that cannot be stored refuse the call, unsent, and say which', async () => {
  const { operations, module } = await start();
  const report = { id: 'a', account: () => 'acme' } as unknown as Report;
  for (const asked of [module.get(Reports).sdk(report as never), operations.defer(Reports, 'sdk', [report as never])]) {
    expect(await failed(asked)).toMatchObject({ code: 'CONFIG', message: expect.stringContaining('account') });
  }
  expect((await world.go(operations.list())).operations).toEqual([]);
});

test('methods that are not durable, or of a class that is not provided, cannot be deferred', async () => {
  const { operations } = await start();
  const look = operations.defer(Reports, 'look', [{ id: 'a' }]);
  expect(await failed(look)).toMatchObject({ code: 'CONFIG', message: expect.stringContaining('Reports.look') });

  class Elsewhere {
    @Durable({ name: 'elsewhere' })
    @Throttled('crm')
    async work(): Promise<void> {}
  }
  const elsewhere = operations.defer(Elsewhere, 'work', []);
  expect(await failed(elsewhere)).toMatchObject({ code: 'CONFIG', message: expect.stringContaining('Elsewhere.work') });
});

test('with a store a quota may be one that a restart does not forget', async () => {
  const limits = [quota({ limit: 100, per: 'day', timeZone: 'UTC' })];
  const { module } = await world.start({ contract: { limits } });
  const service = module.get(RateLimitService);
  expect(() =>
    service.update('crm', { limits: [quota({ limit: 50, per: 'day', timeZone: 'UTC', volatile: false })] }),
  ).not.toThrow();
  const without = world.compile({ contract: { limits }, module: { store: undefined } });
  await expect(without).rejects.toMatchObject({ code: 'CONFIG', message: expect.stringContaining('`store`') });
});

test('without a store Operations say that they need one', async () => {
  const { operations } = await world.start({ module: { store: undefined } });
  await expect(operations.counts()).rejects.toMatchObject({
    code: 'CONFIG',
    message: expect.stringContaining('Operations.counts needs a durable store'),
  });
});

describe('the start fails', () => {
  test('for options of operations that make no sense, or without a store', async () => {
    const options = (module: object): Promise<unknown> => world.compile({ module });
    await expect(options({ store: {} })).rejects.toMatchObject({
      code: 'CONFIG',
      message: expect.stringContaining('sqliteStore'),
    });
    await expect(options({ store: undefined, operations: {} })).rejects.toMatchObject({
      message: expect.stringContaining('`operations`'),
    });
    await expect(options({ operations: { workers: 3 } })).rejects.toMatchObject({
      message: expect.stringContaining('"workers"'),
    });
    await expect(options({ operations: { poll: 'soon' } })).rejects.toMatchObject({
      message: expect.stringContaining('operations.poll'),
    });
    await world.quiet();
    expect(world.asked.at(-1)).toBe('close');
  });

  const fails = async (
    providers: NonNullable<Parameters<DurableWorld['compile']>[0]['providers']>,
    store = true,
  ): Promise<any> => {
    const module = await world.compile({ contract, providers, ...(!store && { module: { store: undefined } }) });
    const error = await failed(module.init());
    await world.go(module.close());
    return error;
  };

  test('without a store, for @Durable and for reconcile', async () => {
    expect(await fails([Reports], false)).toMatchObject({ code: 'CONFIG', message: expect.stringContaining('store') });

    @Injectable()
    class Looking {
      @Throttled('crm')
      @Idempotent({ reconcile: 'look' })
      async work(): Promise<void> {}
      async look(): Promise<void> {}
    }
    expect(await fails([Looking], false)).toMatchObject({ message: expect.stringContaining('Looking.work') });
    expect(await fails([Looking])).toBeNull();
  });

  test('for a durable method of a class whose objects come and go', async () => {
    for (const scope of [Scope.REQUEST, Scope.TRANSIENT]) {
      @Injectable({ scope })
      class Fleeting {
        @Durable({ name: 'fleeting' })
        @Throttled('crm')
        async work(): Promise<void> {}
      }
      expect(await fails([Fleeting])).toMatchObject({
        code: 'CONFIG',
        message: expect.stringContaining('Fleeting.work'),
      });
    }
  });

  test('for two methods of one name, and for two objects of one class', async () => {
    @Injectable()
    class One {
      @Durable({ name: 'same' })
      @Throttled('crm')
      async work(): Promise<void> {}
    }
    @Injectable()
    class Two {
      @Durable({ name: 'same' })
      @Throttled('crm')
      async work(): Promise<void> {}
    }
    expect(await fails([One, Two])).toMatchObject({ code: 'CONFIG', message: expect.stringContaining('"same"') });
    expect(await fails([One, { provide: 'again', useClass: One }])).toMatchObject({ code: 'CONFIG' });
    expect(await fails([One, { provide: 'alias', useExisting: One }])).toBeNull();
  });

  test('for a durable method without a provider', async () => {
    @Injectable()
    class Bare {
      @Durable({ name: 'bare' })
      async work(): Promise<void> {}
    }
    expect(await fails([Bare])).toMatchObject({ code: 'CONFIG', message: expect.stringContaining('Bare.work') });
  });

  test('for a reconcile method that is missing, static, or an operation itself', async () => {
    @Injectable()
    class Missing {
      @Throttled('crm')
      @Idempotent({ reconcile: 'look' })
      async work(): Promise<void> {}
    }
    @Injectable()
    class Static {
      @Throttled('crm')
      @Idempotent({ reconcile: 'look' })
      async work(): Promise<void> {}
      static async look(): Promise<void> {}
    }
    @Injectable()
    class Itself {
      @Throttled('crm')
      @Idempotent({ reconcile: 'look' })
      async work(): Promise<void> {}
      @Throttled('crm')
      @Idempotent()
      async look(): Promise<void> {}
    }
    expect(await fails([Missing])).toMatchObject({ message: expect.stringMatching(/"look".*does not exist/) });
    expect(await fails([Static])).toMatchObject({ message: expect.stringMatching(/"look".*static/) });
    expect(await fails([Itself])).toMatchObject({ message: expect.stringMatching(/"look".*operation itself/) });
  });
});
