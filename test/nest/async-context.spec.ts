import { AsyncLocalStorage } from 'node:async_hooks';
import { HttpService } from '@nestjs/axios';
import { type ArgumentsHost, Catch, Controller, Get, type INestApplication, Param, Post } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { firstValueFrom } from 'rxjs';
import { InjectProvider, RateLimitModule, RateLimitService, Throttled } from 'nestjs-sluice';
import { answer, ProviderSimulator, slow } from 'nestjs-sluice/testing';
import { crmAt } from './support/crm.js';
import { QuietLogger } from './support/silent.js';

const trace = new AsyncLocalStorage<string>();
const provider = new ProviderSimulator();
const seen: string[] = [];
const note = (where: string): void => void seen.push(`${where}: ${trace.getStore() ?? 'lost'}`);

class Contacts {
  constructor(@InjectProvider('crm') private readonly http: HttpService) {
    http.axiosRef.interceptors.request.use((config) => {
      note('interceptor');
      return config;
    });
  }

  @Throttled('crm')
  async get(id: string): Promise<string> {
    await firstValueFrom(this.http.get(`/contacts/${id}`));
    return trace.getStore() ?? 'lost';
  }

  @Throttled('crm')
  async rename(id: string): Promise<string> {
    try {
      await firstValueFrom(this.http.post(`/contacts/${id}`));
      note('after');
      return trace.getStore() ?? 'lost';
    } catch (error) {
      note('catch');
      throw error;
    }
  }
}

@Controller('contacts')
class Api {
  constructor(private readonly contacts: Contacts) {}

  @Get(':id')
  get(@Param('id') id: string): Promise<string> {
    return this.contacts.get(id);
  }

  @Post(':id')
  rename(@Param('id') id: string): Promise<string> {
    return this.contacts.rename(id);
  }
}

@Catch()
class Filter {
  catch(_error: unknown, host: ArgumentsHost): void {
    note('filter');
    host.switchToHttp().getResponse().status(500).send('failed');
  }
}

let app: INestApplication;
let url: string;

beforeAll(async () => {
  await provider.start();
  const crm = crmAt(provider.url, {
    beforeSend: () => note('beforeSend'),
    retry: { maxAttempts: 2, throttled: { maxAttempts: 2 } },
  });
  const module = await Test.createTestingModule({
    imports: [RateLimitModule.forRoot({ providers: [crm] })],
    controllers: [Api],
    providers: [Contacts],
  })
    .setLogger(new QuietLogger())
    .compile();
  app = module.createNestApplication({ forceCloseConnections: true });
  app.use((request: { headers: Record<string, string> }, _response: unknown, next: () => void) =>
    trace.run(request.headers['x-trace'] ?? 'none', next),
  );
  app.useGlobalFilters(new Filter());
  await app.listen(0, '127.0.0.1');
  url = await app.getUrl();
});
beforeEach(() => {
  seen.length = 0;
});
afterAll(async () => {
  await app.close();
  await provider.stop();
});

const get = (id: string, traceId = id): Promise<Response> =>
  fetch(`${url}/contacts/${id}`, { headers: { 'x-trace': traceId } });
const rename = (id: string): Promise<Response> =>
  fetch(`${url}/contacts/${id}`, { method: 'POST', headers: { 'x-trace': id } });

test("case 117: the caller's context is there before each send, also after a pause of a second, and after the answer", async () => {
  provider.play([answer(429, { 'retry-after': '1' })]);
  const before = performance.now();
  expect(await (await rename('t1')).text()).toBe('t1');
  expect(performance.now() - before).toBeGreaterThanOrEqual(1_000);
  expect(seen).toEqual(['interceptor: t1', 'beforeSend: t1', 'beforeSend: t1', 'after: t1']);
});

test('case 117: it is there in the error path and in the exception filter', async () => {
  provider.play([404]);
  expect((await rename('t2')).status).toBe(500);
  expect(seen).toEqual(['interceptor: t2', 'beforeSend: t2', 'catch: t2', 'filter: t2']);
});

test('case 117: two calls that join one flight go on in their own contexts', async () => {
  provider.play([slow(1_000)]);
  const arrived = provider.log.length;
  const answers = await Promise.all([get('shared', 't3'), get('shared', 't4')]);
  expect(await Promise.all(answers.map((response) => response.text()))).toEqual(['t3', 't4']);
  expect(provider.log.length - arrived).toBe(1);
});

test('case 117: two calls that wait in one line go on in their own contexts', async () => {
  app.get(RateLimitService).pause('crm', 100);
  const answers = await Promise.all(['t5', 't6'].map((id) => get(id)));
  expect(await Promise.all(answers.map((response) => response.text()))).toEqual(['t5', 't6']);
});
