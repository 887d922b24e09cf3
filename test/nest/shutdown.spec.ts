import { setTimeout as later } from 'node:timers/promises';
import { HttpService } from '@nestjs/axios';
import { Controller, Get, type INestApplication, Injectable } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { firstValueFrom } from 'rxjs';
import { concurrency, InjectProvider, RateLimitModule, RateLimitService, Throttled } from 'nestjs-sluice';
import { answer, hang, ProviderSimulator, slow } from 'nestjs-sluice/testing';
import { crmAt } from './support/crm.js';
import { QuietLogger } from './support/silent.js';
import { until } from './support/until.js';

let provider: ProviderSimulator;
let started: INestApplication;
let closing: Promise<void> | null;
beforeEach(async () => {
  provider = new ProviderSimulator();
  await provider.start();
});
afterEach(async () => {
  await provider.stop();
  await close();
});

/** Once, also where a test failed before its end. */
function close(): Promise<void> {
  return (closing ??= started.close());
}

@Injectable()
class Contacts {
  constructor(@InjectProvider('crm') private readonly http: HttpService) {}

  @Throttled('crm')
  async get(id: string): Promise<number> {
    return (await firstValueFrom(this.http.get(`/contacts/${id}`))).status;
  }
}

@Controller('contacts')
class ContactsController {
  constructor(private readonly contacts: Contacts) {}

  @Get()
  get(): Promise<number> {
    return this.contacts.get('of a request');
  }
}

async function start(hooks: boolean, graceMs = 100): Promise<INestApplication> {
  const crm = crmAt(provider.url, { limits: [concurrency({ limit: 1 })], pause: { initial: '1m' } });
  const module = await Test.createTestingModule({
    imports: [RateLimitModule.forRoot({ providers: [crm], shutdown: { grace: graceMs } })],
    controllers: [ContactsController],
    providers: [Contacts],
  })
    .setLogger(new QuietLogger())
    .compile();
  const app = module.createNestApplication();
  if (hooks) app.enableShutdownHooks();
  started = app;
  closing = null;
  await app.listen(0, '127.0.0.1');
  return app;
}

describe.each([
  ['with', true],
  ['without', false],
])('case 119: app.close() %s shutdown hooks', (_, hooks) => {
  test('resolves at once while nothing goes on', async () => {
    const app = await start(hooks, 60_000);
    await close();
    expect(app.get(RateLimitService)).toBeDefined();
  });

  test('lets the attempt under way end, refuses what waits and what comes', async () => {
    const app = await start(hooks, 30_000);
    const contacts = app.get(Contacts);
    provider.play([slow(2_000)]);
    const running = contacts.get('running');
    await until(() => provider.log.length === 1);
    const waiting = contacts.get('waiting').catch((error: unknown) => error);
    const inbound = fetch(`${await app.getUrl()}/contacts`);
    while ((await app.get(RateLimitService).inspect('crm')).waiting < 2) await later(5);

    const closed = close();
    expect(await waiting).toMatchObject({ code: 'SHUTDOWN', provider: 'crm' });
    expect(await running).toBe(200);
    expect((await inbound).status).toBe(500);
    await closed;
    await expect(contacts.get('late')).rejects.toMatchObject({ code: 'SHUTDOWN' });
    expect(provider.log.map(({ path }) => path)).toEqual(['/contacts/running']);
  });

  test('resolves within the grace time when an attempt never ends', async () => {
    const app = await start(hooks, 100);
    provider.play([hang]);
    const hanging = app
      .get(Contacts)
      .get('hanging')
      .catch((error: unknown) => error);
    await until(() => provider.log.length === 1);
    const before = performance.now();
    await close();
    // The grace time of the attempt, and that of the gate's last word.
    expect(performance.now() - before).toBeLessThan(2_500);
    await provider.stop();
    expect(await hanging).toBeInstanceOf(Error);
  });

  test('refuses what sleeps through a pause, and leaves no timer', async () => {
    const app = await start(hooks, 5_000);
    provider.play([answer(429, { 'retry-after': '30' })]);
    const paused = app
      .get(Contacts)
      .get('paused')
      .catch((error: unknown) => error);
    await until(() => provider.log[0]?.status === 429);
    const before = performance.now();
    await close();
    expect(performance.now() - before).toBeLessThan(1_000);
    expect(await paused).toMatchObject({ response: { status: 429 }, sluice: { reason: 'queue', attempts: 1 } });
    expect(provider.log).toHaveLength(1);
  });
});

test('case 119: neither calls that wait nor a closed application keep the process alive', async () => {
  const held = (): string[] => process.getActiveResourcesInfo().filter((name) => name === 'Timeout');
  const app = await start(false);
  const before = held();
  app.get(RateLimitService).pause('crm', '1m');
  const waiting = app
    .get(Contacts)
    .get('waiting')
    .catch((error: unknown) => error);
  while ((await app.get(RateLimitService).inspect('crm')).waiting < 1) await Promise.resolve();
  expect(held()).toEqual(before);
  await close();
  expect(await waiting).toMatchObject({ code: 'SHUTDOWN' });
  expect(held().length).toBeLessThanOrEqual(before.length);
  expect(provider.log).toHaveLength(0);
});
