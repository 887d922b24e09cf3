import { HttpService } from '@nestjs/axios';
import { Injectable, Module, Scope, type Type } from '@nestjs/common';
import { REQUEST } from '@nestjs/core';
import { Test, type TestingModule, type TestingModuleBuilder } from '@nestjs/testing';
import { firstValueFrom } from 'rxjs';
import {
  defineProvider,
  getProviderToken,
  Idempotent,
  InjectProvider,
  quota,
  RateLimitModule,
  type RateLimitModuleOptions,
  RateLimitService,
  Throttled,
} from 'nestjs-sluice';
import {
  forever,
  ProviderSimulator,
  SeededRandom,
  sluiceTesting,
  unguarded,
  VirtualClock,
} from 'nestjs-sluice/testing';
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

async function start(builder: TestingModuleBuilder): Promise<TestingModule> {
  logger = new QuietLogger();
  const module = await builder.setLogger(logger).compile();
  await module.init();
  return (app = module);
}

function root(more: Partial<RateLimitModuleOptions> = {}) {
  return RateLimitModule.forRoot({ providers: [crmAt(provider.url)], ...more });
}

const config = (text: string) => ({ code: 'CONFIG', message: expect.stringContaining(text) });

@Injectable()
class Contacts {
  constructor(@InjectProvider('crm') private readonly http: HttpService) {}

  @Throttled('crm')
  async list(): Promise<number> {
    return (await firstValueFrom(this.http.get('/contacts'))).status;
  }
}

describe('registration', () => {
  class OptionsClass {
    createRateLimitOptions(): RateLimitModuleOptions {
      return { providers: [crmAt(provider.url)] };
    }
  }
  @Module({ providers: [OptionsClass], exports: [OptionsClass] })
  class OptionsModule {}

  test.each<[string, () => ReturnType<typeof root>]>([
    ['forRoot', () => root()],
    [
      'forRootAsync with a factory',
      () =>
        RateLimitModule.forRootAsync({
          inject: [OptionsClass],
          imports: [OptionsModule],
          useFactory: async (options: OptionsClass) => options.createRateLimitOptions(),
          injectable: ['crm'],
        }),
    ],
    ['forRootAsync with a class', () => RateLimitModule.forRootAsync({ useClass: OptionsClass, injectable: ['crm'] })],
    [
      'forRootAsync with an existing provider',
      () => RateLimitModule.forRootAsync({ imports: [OptionsModule], useExisting: OptionsClass, injectable: ['crm'] }),
    ],
  ])('%s gives a client to every module', async (_, imported) => {
    @Module({ providers: [Contacts], exports: [Contacts] })
    class ContactsModule {}
    const module = await start(Test.createTestingModule({ imports: [imported(), ContactsModule] }));
    expect(await module.get(Contacts).list()).toBe(200);
  });

  test('forFeature registers a provider beside its client; twice is once', async () => {
    const crm = crmAt(provider.url);
    @Module({ imports: [RateLimitModule.forFeature([crm])], providers: [Contacts], exports: [Contacts] })
    class ContactsModule {}
    @Module({ imports: [RateLimitModule.forFeature([crm])] })
    class OtherModule {}
    const module = await start(
      Test.createTestingModule({ imports: [RateLimitModule.forRoot({}), ContactsModule, OtherModule] }),
    );
    expect(await module.get(Contacts).list()).toBe(200);
  });

  test('law 2: a second forRoot in one application fails the start, for each would count by itself', async () => {
    @Module({ imports: [root()] })
    class One {}
    @Module({ imports: [root()] })
    class Two {}
    await expect(start(Test.createTestingModule({ imports: [One, Two] }))).rejects.toMatchObject(
      config('forRoot is imported twice'),
    );
  });

  test('one forRoot that two modules import is one', async () => {
    const shared = root();
    @Module({ imports: [shared], providers: [Contacts] })
    class One {}
    @Module({ imports: [shared] })
    class Two {}
    await start(Test.createTestingModule({ imports: [One, Two] }));
    expect(await app?.get(Contacts).list()).toBe(200);
  });

  test('two contracts of one name fail the start', async () => {
    const imports = [root(), RateLimitModule.forFeature([crmAt(provider.url)])];
    await expect(start(Test.createTestingModule({ imports }))).rejects.toMatchObject(
      config('"crm" is registered twice'),
    );
  });

  test('a client that the options of forRootAsync do not bring fails the start', async () => {
    const imports = [RateLimitModule.forRootAsync({ useFactory: () => ({}), injectable: ['crm'] })];
    await expect(start(Test.createTestingModule({ imports }))).rejects.toMatchObject(
      config('names the provider "crm"'),
    );
  });

  test('law 2: a quota that a restart would forget is refused without a store, unless it is declared volatile', async () => {
    const withQuota = (volatile: boolean) =>
      defineProvider({ name: 'crm', limits: [quota({ limit: 100, per: 'day', volatile })] });
    const imports = [RateLimitModule.forRoot({ providers: [withQuota(false)] })];
    await expect(start(Test.createTestingModule({ imports }))).rejects.toMatchObject(
      config('"quota" would be forgotten'),
    );

    const module = await start(
      Test.createTestingModule({ imports: [RateLimitModule.forRoot({ providers: [withQuota(true)] })] }),
    );
    const service = module.get(RateLimitService);
    const lasting = quota({ limit: 90, per: 'day', volatile: false });
    expect(() => service.update('crm', { limits: [lasting] })).toThrow(
      expect.objectContaining(config('would be forgotten')),
    );
    expect(() => service.update('crm', { limits: [quota({ limit: 90, per: 'day' })] })).not.toThrow();
  });

  test.each([null, 7, { limits: {} }, { limits: [null] }])(
    'a patch that is none, %j, is a CONFIG error',
    async (patch) => {
      const module = await start(Test.createTestingModule({ imports: [root()] }));
      expect(() => module.get(RateLimitService).update('crm', patch as never)).toThrow(
        expect.objectContaining({ code: 'CONFIG' }),
      );
    },
  );

  test('law 2: the memory gate says once that it starts full', async () => {
    await start(Test.createTestingModule({ imports: [root()] }));
    expect(logger.lines.filter((line) => line.includes('starts with full limits for "crm"'))).toHaveLength(1);
  });

  test('case 111: options that depend on the request are refused, directly and through what they inject', async () => {
    expect(() => RateLimitModule.forRootAsync({ inject: [REQUEST], useFactory: () => ({}) })).toThrow(
      expect.objectContaining(config('request-scoped')),
    );
    @Injectable({ scope: Scope.REQUEST })
    class PerTenant {}
    @Module({ providers: [PerTenant], exports: [PerTenant] })
    class TenantModule {}
    const imports = [
      RateLimitModule.forRootAsync({ imports: [TenantModule], inject: [PerTenant], useFactory: () => ({}) }),
    ];
    await expect(start(Test.createTestingModule({ imports }))).rejects.toMatchObject(config('request-scoped'));
  });
});

describe('what the start looks at', () => {
  const starting = (...providers: unknown[]): Promise<TestingModule> =>
    start(Test.createTestingModule({ imports: [root()], providers: providers as Type[] }));

  test('a provider or a lane that nobody registered fails the start, naming the method', async () => {
    @Injectable()
    class Typo {
      @Throttled('crn')
      async contact(): Promise<void> {}
    }
    @Injectable({ scope: Scope.REQUEST })
    class TypoInLane {
      @Throttled('crm', { lane: 'urgent' })
      async contact(): Promise<void> {}
    }
    await expect(starting(Typo)).rejects.toMatchObject(config('Typo.contact names the provider "crn"'));
    await expect(starting(TypoInLane)).rejects.toMatchObject(config('TypoInLane.contact names the lane "urgent"'));
  });

  test('@Idempotent without @Throttled fails the start, naming the method', async () => {
    @Injectable()
    class Invoices {
      @Idempotent()
      async create(): Promise<void> {}
    }
    await expect(starting(Invoices)).rejects.toMatchObject(config('Invoices.create carries @Idempotent'));
  });

  test('reconciliation without a store fails the start', async () => {
    @Injectable()
    class Invoices {
      @Throttled('crm')
      @Idempotent({ reconcile: 'find' })
      async create(): Promise<void> {}
    }
    await expect(starting(Invoices)).rejects.toMatchObject(config('Invoices.create asks for reconciliation'));
  });

  test('keys without a store are warned of, once for all methods', async () => {
    @Injectable()
    class Invoices {
      @Throttled('crm')
      @Idempotent({ key: (id: string) => id })
      async create(_id: string): Promise<void> {}

      @Throttled('crm')
      @Idempotent({ key: (id: string) => id })
      async cancel(_id: string): Promise<void> {}
    }
    await starting(Invoices);
    const warnings = logger.lines.filter((line) => line.startsWith('warn'));
    expect(warnings).toEqual([expect.stringContaining('Invoices.create, Invoices.cancel')]);
  });

  test('objects that a factory or the application made find their application too, as do subclasses and aliases', async () => {
    class Client {
      @Throttled('crm', { guard: 'method', safe: true })
      async call(): Promise<string> {
        return 'guarded';
      }
    }
    class Special extends Client {}
    const module = await starting(
      { provide: 'FACTORY', useFactory: async () => new Client() },
      { provide: 'VALUE', useValue: new Special() },
      { provide: 'ALIAS', useExisting: 'VALUE' },
      Special,
    );
    const limits = module.get(RateLimitService);
    let granted = 0;
    limits.events.subscribe(({ type }) => {
      if (type === 'granted') granted += 1;
    });
    for (const token of ['FACTORY', 'VALUE', 'ALIAS', Special]) {
      expect(await module.get<Client>(token).call()).toBe('guarded');
    }
    expect(granted).toBe(4);
    const byHand = new Client();
    await expect(byHand.call()).rejects.toMatchObject(config('Client.call is decorated'));
    expect(await limits.adopt(byHand).call()).toBe('guarded');
    expect(granted).toBe(5);
  });

  test('without the module a call is a CONFIG error, and the application starts all the same', async () => {
    class Alone {
      @Throttled('crm')
      async call(): Promise<void> {}
    }
    const module = await start(Test.createTestingModule({ providers: [Alone] }));
    await expect(module.get(Alone).call()).rejects.toMatchObject(config('Alone.call is decorated'));
  });
});

test('case 113: five modules share one client; a failure is sent once per attempt, interceptors do not pile up', async () => {
  const feature = (name: string): Type => {
    @Module({ providers: [{ provide: name, useExisting: getProviderToken('crm') }], exports: [name] })
    class FeatureModule {}
    return FeatureModule;
  };
  @Injectable({ scope: Scope.REQUEST })
  class PerRequest {
    constructor(@InjectProvider('crm') readonly http: HttpService) {}
  }
  const names = ['a', 'b', 'c', 'd', 'e'];
  const clock = new VirtualClock();
  const virtual = new ProviderSimulator({ script: forever(503) });
  const http = { adapter: virtual.transport(clock) };
  const crm = crmAt('http://crm.example', {
    http,
    retry: { maxAttempts: 3, baseDelay: '1s', jitter: 'none', budget: false },
  });
  const module = await start(
    Test.createTestingModule({
      imports: [RateLimitModule.forRoot({ providers: [crm], clock }), ...names.map(feature)],
      providers: [PerRequest],
    }),
  );
  const clients = new Set(names.map((name) => module.get<HttpService>(name, { strict: false })));
  for (let request = 0; request < 50; request += 1) clients.add((await module.resolve(PerRequest)).http);
  expect(clients.size).toBe(1);

  const [client] = [...clients];
  const failing = firstValueFrom(client!.get('http://crm.example/broken')).catch((error: unknown) => error);
  expect(await clock.advanceUntil(failing)).toMatchObject({ isAxiosError: true, response: { status: 503 } });
  expect(virtual.log).toHaveLength(3);
});

test("an Axios instance of one's own is guarded while attached, and only then", async () => {
  const module = await start(Test.createTestingModule({ imports: [root()] }));
  const limits = module.get(RateLimitService);
  const own = new HttpService().axiosRef.create({ baseURL: provider.url });
  let granted = 0;
  limits.events.subscribe(({ type }) => {
    if (type === 'granted') granted += 1;
  });
  expect(limits.attach('crm', own)).toBe(own);
  expect(() => limits.attach('crm', own)).toThrow(expect.objectContaining({ code: 'CONFIG' }));
  await own.get('/own');
  expect(granted).toBe(1);
  limits.detach(own);
  limits.detach(own);
  await own.get('/own');
  expect(granted).toBe(1);
  expect(() => limits.attach('crn', own)).toThrow(expect.objectContaining(config('"crn"')));
});

test('a testing module is one line, on a virtual clock that the test injects', async () => {
  const clock = new VirtualClock();
  const virtual = new ProviderSimulator();
  const crm = crmAt('', { http: { baseURL: 'http://crm.example', adapter: virtual.transport(clock) } });
  const module = await start(
    Test.createTestingModule({ imports: [sluiceTesting({ clock, providers: [crm] })], providers: [Contacts] }),
  );
  expect(module.get(VirtualClock)).toBe(clock);
  const limits = module.get(RateLimitService);
  limits.pause('crm', '20s');
  const call = module.get(Contacts).list();
  await clock.advance(19_999);
  expect((await limits.inspect('crm')).waiting).toBe(1);
  expect(await clock.advanceUntil(call)).toBe(200);
  expect(module.get(SeededRandom)).toBeInstanceOf(SeededRandom);
});

test('unguarded runs decorated methods bare, and only inside', async () => {
  class Plain {
    @Throttled('crm')
    @Idempotent({ key: (id: string) => id })
    label(id: string): any {
      return `plain ${id}`;
    }
  }
  const plain = new Plain();
  expect(unguarded(() => plain.label('1'))).toBe('plain 1');
  await expect(plain.label('1') as unknown as Promise<unknown>).rejects.toMatchObject({ code: 'CONFIG' });
});
