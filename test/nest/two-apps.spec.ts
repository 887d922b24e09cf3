import { HttpService } from '@nestjs/axios';
import { Controller, Get, Injectable, Module } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { firstValueFrom } from 'rxjs';
import {
  concurrency,
  getProviderToken,
  InjectProvider,
  RateLimitModule,
  RateLimitService,
  Throttled,
} from 'nestjs-sluice';
import { hang, ProviderSimulator } from 'nestjs-sluice/testing';
import { crmAt } from './support/crm.js';
import { QuietLogger } from './support/silent.js';
import { until } from './support/until.js';

const provider = new ProviderSimulator();
beforeAll(() => provider.start());
afterAll(() => provider.stop());

const running: TestingModule[] = [];
afterEach(async () => {
  for (const app of running.splice(0)) await app.close();
});

function appModule(shared: object = {}): new () => object {
  @Injectable()
  class Contacts {
    constructor(@InjectProvider('crm') private readonly http: HttpService) {}

    @Throttled('crm')
    async get(id: string): Promise<number> {
      return (await firstValueFrom(this.http.get(`/contacts/${id}`))).status;
    }
  }
  const crm = crmAt(provider.url, { limits: [concurrency({ limit: 1 })] });
  @Module({
    imports: [RateLimitModule.forRoot({ providers: [crm], shutdown: { grace: 50 } })],
    providers: [
      { provide: 'CONTACTS', useClass: Contacts },
      { provide: 'SHARED', useValue: shared },
    ],
  })
  class AppModule {}
  return AppModule;
}

async function start(module: new () => object): Promise<TestingModule> {
  const app = await Test.createTestingModule({ imports: [module] })
    .setLogger(new QuietLogger())
    .compile();
  return app.init();
}

interface Contacts {
  get(id: string): Promise<number>;
}

test('case 116: two applications of one module in one process share no limit, and one outlives the other', async () => {
  const module = appModule();
  const [one, two] = [await start(module), await start(module)];
  provider.play([hang]);
  const blocked = one.get<Contacts>('CONTACTS').get('1');
  await until(() => provider.log.length === 1);
  expect(await two.get<Contacts>('CONTACTS').get('2')).toBe(200);
  expect((await two.get(RateLimitService).inspect('crm')).gate.leases).toBe(0);

  blocked.catch(() => undefined);
  await one.close();
  await expect(one.get<Contacts>('CONTACTS').get('3')).rejects.toMatchObject({ code: 'SHUTDOWN' });
  expect(await two.get<Contacts>('CONTACTS').get('4')).toBe(200);
  await two.close();
  expect(provider.log.map(({ path }) => path)).toEqual(['/contacts/1', '/contacts/2', '/contacts/4']);
});

test('an object with decorated methods that two running applications hold fails the start of the second', async () => {
  class Shared {
    @Throttled('crm', { guard: 'method', safe: true })
    async call(): Promise<string> {
      return 'guarded';
    }
  }
  const shared = new Shared();
  const module = appModule(shared);
  const one = await start(module);
  await expect(start(module)).rejects.toMatchObject({ code: 'CONFIG', message: expect.stringContaining('Shared') });
  expect(await shared.call()).toBe('guarded');
  await one.close();
  const two = await start(module);
  expect(await shared.call()).toBe('guarded');
  await two.close();
});

test('law 11: an inbound request that passes through two applications reads with the credentials of each', async () => {
  const start = async (token: string, controllers: (new (...args: any[]) => object)[] = []) => {
    const crm = crmAt(provider.url, {
      auth: { credentials: () => Promise.resolve({ headers: { authorization: token } }) },
      demand: { requestReuse: true },
    });
    const module = await Test.createTestingModule({
      imports: [RateLimitModule.forRoot({ providers: [crm] })],
      controllers,
    })
      .setLogger(new QuietLogger())
      .compile();
    running.push(module);
    return module;
  };
  const other = await (await start('two')).init();
  @Controller()
  class Both {
    constructor(@InjectProvider('crm') private readonly mine: HttpService) {}

    @Get()
    async get(): Promise<void> {
      const theirs = other.get<HttpService>(getProviderToken('crm'));
      for (const client of [this.mine, theirs, this.mine]) await client.axiosRef.get('/me');
    }
  }
  const app = (await start('one', [Both])).createNestApplication();
  const arrived = provider.log.length;
  await app.listen(0, '127.0.0.1');
  expect((await fetch(await app.getUrl())).status).toBe(200);
  await app.close();
  expect(provider.log.slice(arrived).map(({ headers }) => headers['authorization'])).toEqual(['one', 'two']);
});
