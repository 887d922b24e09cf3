import { get } from 'node:http';
import { setTimeout as later } from 'node:timers/promises';
import { HttpService } from '@nestjs/axios';
import { Controller, Get, type INestApplication, Injectable } from '@nestjs/common';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { firstValueFrom, Observable } from 'rxjs';
import { InjectProvider, RateLimitModule, RateLimitService, Throttled } from 'nestjs-sluice';
import { hang, ProviderSimulator } from 'nestjs-sluice/testing';
import { crmAt } from './support/crm.js';
import { QuietLogger } from './support/silent.js';
import { until } from './support/until.js';

let provider: ProviderSimulator;
const running: INestApplication[] = [];
beforeEach(async () => {
  provider = new ProviderSimulator();
  await provider.start();
});
afterEach(async () => {
  for (const app of running.splice(0)) await app.close();
  await provider.stop();
});

/** How the reads of the controller ended. */
const ends: string[] = [];

@Controller()
class Contacts {
  constructor(@InjectProvider('crm') private readonly http: HttpService) {}

  @Get('contact')
  async get(): Promise<void> {
    const told = (end: unknown): void => void ends.push(String((end as { code?: string }).code ?? 'answered'));
    await firstValueFrom(this.http.get('/contact')).then(told, told);
  }
}

@Injectable()
class Feed {
  listening = 0;

  /** Its first value comes while it is subscribed to. */
  @Throttled('crm', { guard: 'method' })
  values(): Observable<number> {
    return new Observable((subscriber) => {
      this.listening += 1;
      subscriber.next(1);
      return () => void (this.listening -= 1);
    });
  }
}

async function application(kind: 'express' | 'fastify'): Promise<INestApplication> {
  const module = await Test.createTestingModule({
    imports: [RateLimitModule.forRoot({ providers: [crmAt(provider.url)] })],
    controllers: [Contacts],
    providers: [Feed],
  })
    .setLogger(new QuietLogger())
    .compile();
  const app = kind === 'fastify' ? module.createNestApplication(new FastifyAdapter()) : module.createNestApplication();
  running.push(app);
  return app;
}

/** Work of the application's own that comes before the module's, such as finding out who asks. */
function before(app: INestApplication, kind: 'express' | 'fastify', work: () => Promise<void>): void {
  const hook = (_request: unknown, _response: unknown, done: () => void): void => void work().then(done);
  if (kind === 'express') app.use(hook);
  else
    (app.getHttpAdapter().getInstance() as { addHook(name: string, fn: typeof hook): void }).addHook('onRequest', hook);
}

test.each(['express', 'fastify'] as const)(
  'law 17: a client that disconnects before the module met its request has its reads ended too (%s)',
  async (kind) => {
    const app = await application(kind);
    let goOn = (): void => undefined;
    let met = false;
    before(app, kind, () => {
      met = true;
      return new Promise((resolve) => (goOn = resolve));
    });
    await app.listen(0, '127.0.0.1');
    let closed = false;
    app.getHttpServer().on('connection', (socket: NodeJS.EventEmitter) => socket.on('close', () => (closed = true)));
    provider.play([hang]);
    ends.length = 0;
    const client = get(`${await app.getUrl()}/contact`).on('error', () => undefined);
    await until(() => met);
    client.destroy();
    await until(() => closed);
    await later(0);
    goOn();
    await until(() => ends.length === 1);
    expect(ends).toEqual(['ERR_CANCELED']);
    expect(provider.log).toEqual([]);
  },
);

test('law 1: a source is left when its subscriber leaves at a value that comes within the subscription', async () => {
  const app = await application('express');
  await app.init();
  const feed = app.get(Feed);
  expect(await firstValueFrom(feed.values())).toBe(1);
  await until(() => feed.listening === 0);
  // The jest time limit bounds it.
  while ((await app.get(RateLimitService).inspect('crm')).active > 0) await later(5);
});
