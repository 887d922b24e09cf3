import 'reflect-metadata';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HttpService } from '@nestjs/axios';
import { type CallHandler, Controller, type ExecutionContext, Get, Injectable } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import axios from 'axios';
import { defer, firstValueFrom } from 'rxjs';
import * as sluice from 'nestjs-sluice';
import { sqliteStore } from 'nestjs-sluice/sqlite';
import * as testing from 'nestjs-sluice/testing';

/** What a name of the package is used for here. */
type Use = () => unknown;

@Injectable()
class Contacts {
  constructor(@sluice.InjectProvider('crm') readonly http: HttpService) {}

  @sluice.Throttled('crm', { tenant: (id: string) => `tenant-${id}` })
  async get(id: string): Promise<unknown> {
    return (await firstValueFrom(this.http.get(`/contacts/${id}`))).data;
  }

  @sluice.Throttled('crm')
  @sluice.Idempotent({ key: (reference: string) => reference })
  async create(reference: string): Promise<unknown> {
    return (await firstValueFrom(this.http.post('/contacts', { reference }))).status;
  }

  @sluice.Throttled('crm')
  async aboutThisCall(): Promise<ReturnType<typeof sluice.currentCall>> {
    return sluice.currentCall();
  }
}

/** Stored work that is its own provider: no request leaves. */
@Injectable()
class Letters {
  readonly written: string[] = [];
  says: 'absent' | 'found' | 'inconclusive' = 'found';

  @sluice.Durable({ name: 'write a letter' })
  @sluice.Throttled('crm', { guard: 'method', answer: (result) => result && { status: 200 } })
  @sluice.Idempotent({ reconcile: 'look' })
  async write(text: string): Promise<{ text: string }> {
    this.written.push(text);
    if (text === 'lost' && this.written.length === 1) throw new Error('nobody knows');
    return { text };
  }

  async look(text: string): Promise<sluice.Reconciled<{ text: string }>> {
    if (this.says === 'found') return sluice.found({ text: `${text}, and found` });
    return this.says === 'absent' ? sluice.absent() : sluice.inconclusive();
  }
}

@Controller()
class ContactsController {
  constructor(private readonly contacts: Contacts) {}

  @Get('contact')
  contact(): Promise<unknown> {
    return this.contacts.get('1');
  }
}

interface World {
  readonly clock: testing.VirtualClock;
  readonly provider: testing.ProviderSimulator;
  readonly app: TestingModule;
  readonly contacts: Contacts;
}

/** The module on a virtual clock before a simulated provider; the test ends with no timer left. */
async function inWorld(
  use: (world: World) => Promise<void>,
  limit: sluice.LimitOptions = sluice.concurrency({ limit: 10 }),
  options: testing.SluiceTestingOptions & { latencyMs?: number } = {},
): Promise<void> {
  const { latencyMs = 0, ...rest } = options;
  const clock = new testing.VirtualClock({ wall: '2026-07-31T17:00:00Z' });
  const provider = new testing.ProviderSimulator({ latencyMs });
  const http = { baseURL: 'https://crm.invalid', adapter: provider.transport(clock) };
  const crm = sluice.defineProvider({ name: 'crm', http, limits: [limit], guard: 0 });
  const app = await Test.createTestingModule({
    imports: [testing.sluiceTesting({ providers: [crm], clock, ...rest })],
    providers: [Contacts, sluice.RateLimitMiddleware, sluice.RateLimitInterceptor],
  }).compile();
  await app.init();
  await use({ clock, provider, app, contacts: app.get(Contacts) });
  await app.close();
  expect(clock.pendingTimers).toBe(0);
}

/** When three calls at once reach the provider, in ms. */
async function arrivals(
  limit: sluice.LimitOptions,
  options: testing.SluiceTestingOptions & { latencyMs?: number } = {},
): Promise<number[]> {
  let times: number[] = [];
  await inWorld(
    async ({ clock, provider, contacts }) => {
      await clock.advanceUntil(Promise.allSettled(['1', '2', '3'].map((id) => contacts.get(id))));
      times = provider.log.map(({ atMs }) => atMs);
    },
    limit,
    options,
  );
  return times;
}

/** What a client of one second's patience hears of a write, and whether it happened. */
async function told(step: testing.ScriptStep): Promise<{ heard: unknown; happened: boolean; afterMs: number }> {
  const clock = new testing.VirtualClock();
  const provider = new testing.ProviderSimulator({ script: testing.script([step]) });
  const client = axios.create({ adapter: provider.transport(clock), timeout: 1000, validateStatus: () => true });
  const heard = await clock.advanceUntil(
    client.post('https://crm.invalid/contacts', {}).then(
      ({ status, data }) => (typeof data === 'string' && data !== '' ? data : status),
      (error: unknown) => (axios.isAxiosError(error) ? error.code : error),
    ),
  );
  const afterMs = clock.monoMs();
  await clock.advance(10_000);
  return { heard, happened: provider.log[0].executed, afterMs };
}

/** What became of a deferred letter, in an application with a store in a file. */
async function ofLetter(text: string, says: Letters['says'] = 'found'): Promise<unknown> {
  const folder = mkdtempSync(join(tmpdir(), 'consumer-'));
  const crm = sluice.defineProvider({ name: 'crm', limits: [sluice.concurrency({ limit: 1 })], reconcile: { settleTime: '10ms' } }); // prettier-ignore
  const app = await Test.createTestingModule({
    imports: [
      sluice.RateLimitModule.forRoot({
        providers: [crm],
        store: sqliteStore({ path: join(folder, 'operations.db') }),
        operations: { poll: '20ms', maxChecks: 1 },
      }),
    ],
    providers: [Letters],
  }).compile();
  await app.init();
  const letters = app.get(Letters);
  letters.says = says;
  const operations = app.get(sluice.Operations);
  const { id } = await operations.defer(Letters, 'write', [text]);
  const { state, cause, result } = await operations.wait(id, { deadline: '30s' });
  await app.close();
  rmSync(folder, { recursive: true });
  return { state, cause, result, written: letters.written.length };
}

async function configErrorOf(act: () => unknown): Promise<unknown> {
  try {
    await act();
  } catch (error) {
    if (sluice.isSluiceError(error, 'CONFIG')) return error;
  }
  return null;
}

const main: { readonly [Name in keyof typeof sluice]: Use } = {
  Throttled: () =>
    inWorld(async ({ clock, provider, contacts }) => {
      await clock.advanceUntil(contacts.get('7'));
      expect(provider.log.map(({ path }) => path)).toEqual(['/contacts/7']);
    }),
  Idempotent: () =>
    inWorld(async ({ clock, provider, contacts }) => {
      await clock.advanceUntil(Promise.all([contacts.create('a'), contacts.create('a'), contacts.create('b')]));
      expect(provider.effects.map(({ body }) => body)).toEqual([{ reference: 'a' }, { reference: 'b' }]);
    }),
  Durable: async () => {
    expect(await ofLetter('dear all')).toEqual({ state: 'done', cause: 'completed', result: { text: 'dear all' }, written: 1 }); // prettier-ignore
  },
  Operations: () =>
    inWorld(async ({ app }) => {
      expect(await configErrorOf(() => app.get(sluice.Operations).counts())).toBeInstanceOf(sluice.SluiceError);
    }),
  found: async () => {
    expect(await ofLetter('lost')).toMatchObject({ cause: 'found', result: { text: 'lost, and found' }, written: 1 });
  },
  absent: async () => {
    expect(await ofLetter('lost', 'absent')).toMatchObject({
      cause: 'completed',
      result: { text: 'lost' },
      written: 2,
    });
  },
  inconclusive: async () => {
    expect(await ofLetter('lost', 'inconclusive')).toMatchObject({ state: 'dead', cause: 'unresolved', written: 1 });
  },
  InjectProvider: () =>
    inWorld(async ({ app, contacts }) => {
      expect(contacts.http).toBe(app.get(sluice.getProviderToken('crm')));
    }),
  getProviderToken: () =>
    inWorld(async ({ app }) => {
      expect(app.get<HttpService>(sluice.getProviderToken('crm')).axiosRef.defaults.baseURL).toBe(
        'https://crm.invalid',
      );
    }),
  RateLimitModule: async () => {
    const late = sluice.defineProvider({ name: 'late', limits: [sluice.concurrency({ limit: 1 })] });
    const app = await Test.createTestingModule({
      imports: [
        sluice.RateLimitModule.forRootAsync({ useFactory: () => ({ providers: [late] }), injectable: ['late'] }),
      ],
    }).compile();
    await app.init();
    expect(app.get(sluice.getProviderToken('late'))).toBeDefined();
    await app.close();
  },
  RateLimitService: () =>
    inWorld(async ({ clock, provider, app }) => {
      const service = app.get(sluice.RateLimitService);
      await expect(service.run('crm', () => sluice.currentCall()?.attempt)).resolves.toBe(1);
      const mine = service.attach('crm', axios.create({ adapter: provider.transport(clock) }));
      const answer = await clock.advanceUntil(mine.get('https://crm.invalid/mine', { sluice: { tenant: 'me' } }));
      expect(answer.sluice?.attempts).toBe(1);
      service.detach(mine);
      expect((await service.inspect('crm')).gate.provider).toBe('crm');
    }),
  RateLimitMiddleware: () =>
    inWorld(
      async ({ app, contacts }) => {
        const response = { writableFinished: true, closed: true, once: () => undefined };
        const remainingMs = await new Promise((resolve) =>
          app.get(sluice.RateLimitMiddleware).use({ headers: {} }, response, () => {
            resolve(contacts.aboutThisCall().then((call) => call?.remainingMs));
          }),
        );
        expect(remainingMs).toBe(2000);
      },
      undefined,
      { inbound: { deadline: '2s' } },
    ),
  RateLimitInterceptor: () =>
    inWorld(
      async ({ app, contacts }) => {
        const execution = {
          getType: () => 'rpc',
          switchToRpc: () => ({ getData: () => ({}), getContext: () => ({}) }),
        } as unknown as ExecutionContext;
        const next: CallHandler = { handle: () => defer(() => contacts.aboutThisCall()) };
        const call = await firstValueFrom(app.get(sluice.RateLimitInterceptor).intercept(execution, next));
        expect(call).toMatchObject({ provider: 'crm', remainingMs: 2000 });
      },
      undefined,
      { inbound: { deadline: '2s' } },
    ),
  RateLimitExceptionFilter: async () => {
    const crm = sluice.defineProvider({
      name: 'crm',
      http: { baseURL: 'http://127.0.0.1:9' },
      limits: [sluice.concurrency({ limit: 1 })],
      queue: { maxWait: '1s' },
    });
    const module = await Test.createTestingModule({
      imports: [sluice.RateLimitModule.forRoot({ providers: [crm] })],
      controllers: [ContactsController],
      providers: [Contacts],
    }).compile();
    const app = module.createNestApplication();
    app.useGlobalFilters(new sluice.RateLimitExceptionFilter());
    await app.listen(0, '127.0.0.1');
    app.get(sluice.RateLimitService).pause('crm', '1m');
    const answer = await fetch(`${await app.getUrl()}/contact`);
    expect(answer.status).toBe(429);
    expect(answer.headers.get('retry-after')).toMatch(/^(60|59)$/);
    expect(await answer.json()).toMatchObject({ code: 'PAUSED', provider: 'crm' });
    await app.close();
  },
  defineProvider: async () => {
    expect(await configErrorOf(() => sluice.defineProvider({ name: '', limits: [] }))).toBeInstanceOf(Error);
  },
  tokenBucket: async () => {
    expect(await arrivals(sluice.tokenBucket({ burst: 1, limit: 1, per: '1s' }))).toEqual([0, 1000, 2000]);
  },
  slidingWindow: async () => {
    expect(await arrivals(sluice.slidingWindow({ limit: 2, per: '1s' }))).toEqual([0, 0, 1000]);
  },
  fixedWindow: async () => {
    expect(await arrivals(sluice.fixedWindow({ limit: 2, per: '1m', align: 'clock' }))).toEqual([0, 0, 60_000]);
  },
  concurrency: async () => {
    expect(await arrivals(sluice.concurrency({ limit: 1 }), { latencyMs: 500 })).toEqual([0, 500, 1000]);
  },
  quota: async () => {
    expect(await arrivals(sluice.quota({ limit: 2, per: 'day', volatile: true }))).toEqual([0, 0]);
  },
  memoryGate: async () => {
    const half = { gate: sluice.memoryGate({ processes: 2 }), latencyMs: 500 };
    expect(await arrivals(sluice.concurrency({ limit: 2 }), half)).toEqual([0, 500, 1000]);
  },
  currentCall: () =>
    inWorld(async ({ contacts }) => {
      expect(sluice.currentCall()).toBeUndefined();
      expect(await contacts.aboutThisCall()).toMatchObject({ provider: 'crm', attempt: 0 });
    }),
  readAnswer: () => {
    const crm = sluice.defineProvider({ name: 'crm', limits: [sluice.concurrency({ limit: 1 })] });
    const answer = { status: 429, headers: { 'retry-after': '2' }, receivedAt: new Date('2026-07-31T17:00:00Z') };
    expect(sluice.readAnswer(crm, answer)).toMatchObject({
      limited: true,
      waitMs: 2000,
      retryAt: new Date('2026-07-31T17:00:02Z'),
    });
  },
  SluiceError: () => {
    const error: unknown = new sluice.SluiceError({ code: 'SHUTDOWN', message: 'closing', provider: 'crm' });
    expect(error).toBeInstanceOf(sluice.SluiceError);
    expect(error).toMatchObject({ code: 'SHUTDOWN', provider: 'crm', attempts: 0 });
  },
  isSluiceError: () => {
    const error: unknown = new sluice.SluiceError({ code: 'SHUTDOWN', message: 'closing' });
    expect(sluice.isSluiceError(error, 'SHUTDOWN')).toBe(true);
    expect(sluice.isSluiceError(error, 'PAUSED')).toBe(false);
    expect(sluice.isSluiceError(new Error('closing'))).toBe(false);
  },
  SLUICE_ERROR_CODES: () => {
    const codes: readonly sluice.SluiceErrorCode[] = sluice.SLUICE_ERROR_CODES;
    expect(codes).toContain('OUTCOME_UNKNOWN');
  },
  sluiceOf: () =>
    inWorld(async ({ clock, provider, contacts }) => {
      provider.play([404]);
      const error: unknown = await clock.advanceUntil(contacts.get('7').catch((reason: unknown) => reason));
      expect(sluice.sluiceOf(error)).toMatchObject({ reason: 'permanent', attempts: 1 });
      expect(sluice.sluiceOf(new Error('mine'))).toBeNull();
    }),
};

const kit: { readonly [Name in keyof typeof testing]: Use } = {
  VirtualClock: async () => {
    const clock = new testing.VirtualClock({ wall: 0 });
    const rang: number[] = [];
    clock.schedule(250, () => rang.push(clock.monoMs()));
    await clock.advance(1000);
    clock.stepWall(-500);
    expect([rang, clock.monoMs(), clock.wallMs()]).toEqual([[250], 1000, 500]);
  },
  SeededRandom: () => {
    const [first, second] = [new testing.SeededRandom(7), new testing.SeededRandom(7)];
    expect([first.next(), first.next()]).toEqual([second.next(), second.next()]);
  },
  SluiceTestingModule: () => {
    expect(testing.sluiceTesting().module).toBe(testing.SluiceTestingModule);
  },
  sluiceTesting: async () => {
    const app = await Test.createTestingModule({ imports: [testing.sluiceTesting()] }).compile();
    expect(app.get(testing.VirtualClock)).toBeInstanceOf(testing.VirtualClock);
    expect(app.get(testing.SeededRandom)).toBeInstanceOf(testing.SeededRandom);
    await app.close();
  },
  ProviderSimulator: async () => {
    const provider = new testing.ProviderSimulator({ limits: [{ kind: 'fixed-window', limit: 1, perMs: 60_000 }] });
    await provider.start();
    const statuses = [(await fetch(provider.url)).status, (await fetch(provider.url)).status];
    await provider.stop();
    expect(statuses).toEqual([200, 429]);
    expect(provider.log.map(({ verdict }) => verdict)).toEqual(['accepted', 'limited']);
  },
  unguarded: async () => {
    const server = createServer((_, response) => response.end('"bare"'));
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const client = axios.create({ baseURL: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
    const http = { get: (path: string) => defer(() => client.get<unknown>(path)) } as unknown as HttpService;
    expect(await configErrorOf(() => new Contacts(http).get('7'))).toBeInstanceOf(sluice.SluiceError);
    await expect(testing.unguarded(() => new Contacts(http).get('7'))).resolves.toBe('bare');
    server.close();
    server.closeAllConnections();
  },
  storeOn: async () => {
    const folder = mkdtempSync(join(tmpdir(), 'names-'));
    const clock = new testing.VirtualClock();
    const path = join(folder, 'operations.db');
    const store = await clock.advanceUntil(testing.storeOn(clock, sqliteStore({ path })).open({ clock }));
    expect(await clock.advanceUntil(store.counts())).toMatchObject({ counts: [] });
    expect(clock.monoMs()).toBe(0);
    await store.close();
    rmSync(folder, { recursive: true });
  },
  storeConformance: async () => {
    const checks = testing.storeConformance(() => Promise.reject(new Error('no store today')));
    expect(new Set(checks.map(({ name }) => name)).size).toBe(checks.length);
    await expect(checks[0]?.run()).rejects.toThrow('no store today');
  },
  script: async () => {
    expect(await told(503)).toEqual({ heard: 503, happened: false, afterMs: 0 });
  },
  forever: async () => {
    const clock = new testing.VirtualClock();
    const provider = new testing.ProviderSimulator({ script: testing.forever(503) });
    const client = axios.create({ adapter: provider.transport(clock), validateStatus: () => true });
    const statuses = [];
    for (let i = 0; i < 3; i++) statuses.push((await client.get('https://crm.invalid/')).status);
    expect(statuses).toEqual([503, 503, 503]);
  },
  answer: async () => {
    const refusal = testing.answer(429, { 'retry-after': '1' }, 'slow down');
    expect(await told(refusal)).toEqual({ heard: 'slow down', happened: false, afterMs: 0 });
  },
  reset: async () => {
    expect(await told(testing.reset)).toEqual({ heard: 'ECONNRESET', happened: false, afterMs: 0 });
  },
  resetAfterExecuting: async () => {
    expect(await told(testing.resetAfterExecuting)).toEqual({ heard: 'ECONNRESET', happened: true, afterMs: 0 });
  },
  hang: async () => {
    expect(await told(testing.hang)).toEqual({ heard: 'ECONNABORTED', happened: false, afterMs: 1000 });
  },
  hangAfterExecuting: async () => {
    expect(await told(testing.hangAfterExecuting)).toEqual({ heard: 'ECONNABORTED', happened: true, afterMs: 1000 });
  },
  slow: async () => {
    expect(await told(testing.slow(2000))).toEqual({ heard: 'ECONNABORTED', happened: true, afterMs: 1000 });
  },
  late: async () => {
    expect(await told(testing.late(2000))).toEqual({ heard: 'ECONNABORTED', happened: false, afterMs: 1000 });
    expect(await told(testing.late(500))).toEqual({ heard: 200, happened: true, afterMs: 500 });
  },
  drip: async () => {
    const parts = [
      { afterMs: 0, text: 'h' },
      { afterMs: 500, text: 'ello' },
    ];
    expect(await told(testing.drip(200, parts))).toEqual({ heard: 'hello', happened: false, afterMs: 500 });
  },
  executedBut: async () => {
    expect(await told(testing.executedBut(502))).toEqual({ heard: 502, happened: true, afterMs: 0 });
  },
};

describe.each([
  ['nestjs-sluice', sluice, main],
  ['nestjs-sluice/testing', testing, kit],
])('each name of %s does its work in this project', (_, exported, uses) => {
  it('has its use here', () => {
    // A CommonJS loader that requires ESM puts a `default` beside the names.
    const names = Object.keys(exported).filter((name) => name !== 'default');
    expect(Object.keys(uses).sort()).toEqual(names.sort());
  });
  for (const [name, use] of Object.entries<Use>(uses)) it(name, async () => void (await use()));
});
