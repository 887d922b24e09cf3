import { HttpService } from '@nestjs/axios';
import { Injectable } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { firstValueFrom, lastValueFrom, type Observable as ObservableType, of } from 'rxjs';
import {
  defineProvider,
  Idempotent,
  InjectProvider,
  type ProviderOptions,
  RateLimitModule,
  type RateLimitModuleOptions,
  RateLimitService,
  type SluiceEvent,
  Throttled,
  tokenBucket,
} from 'nestjs-sluice';
import { ProviderSimulator } from 'nestjs-sluice/testing';
import { crmAt } from './support/crm.js';
import { QuietLogger } from './support/silent.js';

const provider = new ProviderSimulator();
let app: TestingModule | undefined;
let logger: QuietLogger;

beforeAll(() => provider.start());
afterAll(() => provider.stop());
afterEach(async () => {
  await app?.close();
  app = undefined;
});

type Class = new (...args: never[]) => unknown;

async function start(
  classes: Class[],
  contract: Partial<ProviderOptions> = {},
  more: RateLimitModuleOptions = {},
): Promise<TestingModule> {
  logger = new QuietLogger();
  app = await Test.createTestingModule({
    imports: [RateLimitModule.forRoot({ providers: [crmAt(provider.url, contract)], ...more })],
    providers: classes as never,
  })
    .setLogger(logger)
    .compile();
  await app.init();
  return app;
}

const warned = (text: string): string[] =>
  logger.lines.filter((line) => line.startsWith('warn') && line.includes(text));
const config = (text: string | RegExp) => ({ code: 'CONFIG', message: expect.stringMatching(text) });

describe('a method that ends without a request through the client of its provider', () => {
  const without = 'ended without a request through the client of "crm"';

  @Injectable()
  class Service {
    constructor(@InjectProvider('crm') private readonly http: HttpService) {}

    @Throttled('crm')
    async elsewhere(): Promise<string> {
      return 'sent past the module';
    }

    @Throttled('crm')
    stream(): ObservableType<number> {
      return of(1);
    }

    @Throttled('crm')
    async sometimes(send: boolean): Promise<void> {
      if (send) await firstValueFrom(this.http.get('/contacts'));
    }

    @Throttled('crm')
    async outer(): Promise<void> {
      await this.sometimes(true);
    }

    @Throttled('crm')
    async fails(): Promise<void> {
      throw new Error('before the send');
    }
  }

  test('is told of once, in the log and as a guess', async () => {
    const module = await start([Service]);
    const guesses: SluiceEvent[] = [];
    module.get(RateLimitService).events.subscribe((event) => {
      if (event.type === 'guess') guesses.push(event);
    });
    const service = module.get(Service);
    for (let i = 0; i < 3; i += 1) await service.elsewhere();
    await lastValueFrom(service.stream());
    await lastValueFrom(service.stream());
    expect(warned(`Service.elsewhere ${without}`)).toHaveLength(1);
    expect(warned(`Service.elsewhere ${without}`)[0]).toMatch(/@InjectProvider\('crm'\).*attach\(\).*guard: 'method'/);
    expect(warned(`Service.stream ${without}`)).toHaveLength(1);
    expect(guesses.map((event) => event.type === 'guess' && event.about)).toEqual([
      `Service.elsewhere ${without}`,
      `Service.stream ${without}`,
    ]);
  });

  test('is not told of where it has made one before, where a method inside makes it, or where it failed', async () => {
    const service = (await start([Service])).get(Service);
    await service.outer();
    await service.sometimes(true);
    await service.sometimes(false);
    await expect(service.fails()).rejects.toThrow('before the send');
    expect(warned(without)).toEqual([]);
  });
});

describe('what a function of the options gave wrong', () => {
  @Injectable()
  class Service {
    constructor(@InjectProvider('crm') private readonly http: HttpService) {}

    @Throttled('crm', { lane: () => 'urgent' })
    async lane(): Promise<void> {
      await firstValueFrom(this.http.get('/lane'));
    }

    @Throttled('crm', { units: () => ({ request: 2 }) })
    async units(): Promise<void> {
      await firstValueFrom(this.http.get('/units'));
    }
  }

  test('a lane that is not there refuses the call, unsent, and names the method', async () => {
    const service = (await start([Service])).get(Service);
    const before = provider.log.length;
    await expect(service.lane()).rejects.toMatchObject(config(/Service\.lane names the lane "urgent".*"interactive"/));
    expect(provider.log).toHaveLength(before);
  });

  test('is one line in the log that names the method, though nobody listens to events', async () => {
    const service = (await start([Service])).get(Service);
    for (let i = 0; i < 3; i += 1) await service.units();
    expect(warned('`Service.units units` failed')).toHaveLength(1);
  });
});

describe('at start', () => {
  test('units that no limit counts are refused', async () => {
    @Injectable()
    class Service {
      @Throttled('crm', { units: { tokens: 3 } })
      async search(): Promise<void> {}
    }
    await expect(start([Service])).rejects.toMatchObject(config(/Service\.search: `units` names "tokens".*requests/));
  });

  test('deadlines below timeouts.attempt are warned of, but for methods without bare writes', async () => {
    @Injectable()
    class Service {
      @Throttled('crm', { deadline: '2s' })
      async hasty(): Promise<void> {}

      @Throttled('crm', { deadline: '2s', safe: true })
      async reads(): Promise<void> {}

      @Throttled('crm', { deadline: '2s' })
      @Idempotent()
      async keyed(): Promise<void> {}
    }
    await start([Service], { timeouts: { attempt: '10s' }, idempotency: {} }, { inbound: { deadline: '4s' } });
    expect(warned('below timeouts.attempt')).toEqual([
      expect.stringContaining('inbound.deadline: the deadline of 4000 ms'),
      expect.stringContaining('@Throttled on Service.hasty: the deadline of 2000 ms'),
    ]);
  });

  test('where the provider honours no keys, deadlines of operations are warned of too', async () => {
    @Injectable()
    class Service {
      @Throttled('crm', { deadline: '2s' })
      @Idempotent()
      async bare(): Promise<void> {}
    }
    await start([Service], { timeouts: { attempt: '10s' } });
    expect(warned('below timeouts.attempt')).toEqual([expect.stringContaining('@Throttled on Service.bare')]);
  });

  test('a client that nobody registered is named in words', async () => {
    @Injectable()
    class Service {
      constructor(@InjectProvider('cmr') readonly http: HttpService) {}
    }
    await expect(start([Service])).rejects.toThrow(/HttpService of provider "cmr" \(is it in RateLimitModule\.forRoot/);
  });
});

describe('from JavaScript', () => {
  const forRoot = (options?: unknown) => RateLimitModule.forRoot(options as never);

  test.each<[string, () => unknown, RegExp]>([
    ['forRoot without options', () => forRoot(), /has no options.*forRoot\(\{ providers/],
    ['an unknown option', () => forRoot({ provider: [] }), /"provider" is not an option; expected one of .*providers/],
    ['an unknown option of inbound', () => forRoot({ inbound: { tennant: 1 } }), /inbound: "tennant" is not an option/],
    [
      'a contract made by hand',
      () => forRoot({ providers: [{ name: 'crm', limits: [] }] }),
      /providers\[0\] is no contract/,
    ],
    ['such a contract of forFeature', () => RateLimitModule.forFeature([{ name: 'crm' } as never]), /is no contract/],
  ])('%s is a CONFIG error', (_, act, message) => {
    expect(act).toThrow(expect.objectContaining(config(message)));
  });

  test.each<[string, PropertyDecorator | MethodDecorator, RegExp]>([
    ['an unknown option', Throttled('crm', { lnae: 'x' } as never) as never, /on Service\.go: "lnae" is not an option/],
    ['no provider', Throttled(undefined as never) as never, /@Throttled on Service\.go names no provider/],
    ['an answer of requests', Throttled('crm', { answer: () => undefined } as never) as never, /needs guard: 'method'/],
  ])('%s of a decorator is a CONFIG error that names the method', (_, decorator, message) => {
    class Service {
      async go(): Promise<void> {}
    }
    const descriptor = Object.getOwnPropertyDescriptor(Service.prototype, 'go')!;
    expect(() => (decorator as MethodDecorator)(Service.prototype, 'go', descriptor)).toThrow(
      expect.objectContaining(config(message)),
    );
  });
});

describe('the base URL', () => {
  const limits = [tokenBucket({ burst: 10, limit: 10, per: '1s' })];

  test.each<[Record<string, unknown>, RegExp]>([
    [{ baseURL: undefined }, /http\.baseURL is undefined; expected a URL: is the environment variable set/],
    [{ baseUrl: 'https://api.crm.example' }, /http\.baseUrl .*expected baseURL, as Axios spells it/],
    [{ timeOut: 5 }, /http\.timeOut .*expected timeout, as Axios spells it/],
  ])('%j is refused when the contract is made', (http, message) => {
    expect(() => defineProvider({ name: 'crm', http, limits })).toThrow(expect.objectContaining(config(message)));
  });

  test('a request without one is refused unsent, and names the provider and the option', async () => {
    @Injectable()
    class Service {
      constructor(@InjectProvider('bare') readonly http: HttpService) {}
    }
    const bare = defineProvider({ name: 'bare', limits });
    const { http } = (await start([Service], {}, { providers: [bare] })).get(Service);
    await expect(firstValueFrom(http.get('/contacts'))).rejects.toMatchObject(config(/"bare".*http\.baseURL/));
    expect((await firstValueFrom(http.get(`${provider.url}/contacts`))).status).toBe(200);
  });
});
