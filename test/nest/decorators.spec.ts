import { Body, Controller, Get, Injectable, Param, Post, Scope, SetMetadata, UseInterceptors } from '@nestjs/common';
import { HttpService } from '@nestjs/axios';
import { Reflector } from '@nestjs/core';
import { Test, type TestingModule } from '@nestjs/testing';
import { firstValueFrom, map, type Observable as ObservableType, Observable, timeout } from 'rxjs';
import {
  concurrency,
  currentCall,
  Idempotent,
  InjectProvider,
  RateLimitModule,
  RateLimitService,
  type SluiceEvent,
  Throttled,
} from 'nestjs-sluice';
import { hang, ProviderSimulator } from 'nestjs-sluice/testing';
import { crmAt } from './support/crm.js';
import { QuietLogger } from './support/silent.js';
import { until } from './support/until.js';

let provider: ProviderSimulator;
let app: TestingModule | undefined;

beforeEach(async () => {
  provider = new ProviderSimulator();
  await provider.start();
});

afterEach(async () => {
  await app?.close();
  app = undefined;
  await provider.stop();
});

async function start(classes: (new (...args: never[]) => unknown)[], more = {}): Promise<TestingModule> {
  app = await Test.createTestingModule({
    imports: [RateLimitModule.forRoot({ providers: [crmAt(provider.url, more)] })],
    providers: classes as never,
  })
    .setLogger(new QuietLogger())
    .compile();
  await app.init();
  return app;
}

const seen = (): string[] => provider.log.map(({ method, path }) => `${method} ${path}`);

test('requests inside a decorated method carry its lane, tenant and deadline, read from its arguments', async () => {
  @Injectable()
  class Service {
    constructor(@InjectProvider('crm') private readonly http: HttpService) {}

    @Throttled('crm', { lane: (_account, urgent) => (urgent ? 'interactive' : 'background'), deadline: '1m' })
    async contact(account: string, _urgent: boolean): Promise<number> {
      await firstValueFrom(this.http.get(`/accounts/${account}`));
      return currentCall()?.remainingMs ?? -1;
    }
  }
  const module = await start([Service]);
  const lanes: string[] = [];
  module.get(RateLimitService).events.subscribe((event: SluiceEvent) => {
    if (event.type === 'granted') lanes.push(event.lane);
  });
  const service = module.get(Service);
  const left = await service.contact('a', true);
  await service.contact('b', false);

  expect(lanes).toEqual(['interactive', 'background']);
  expect(left).toBeGreaterThan(30_000);
  expect(left).toBeLessThanOrEqual(60_000);
  expect(seen()).toEqual(['GET /accounts/a', 'GET /accounts/b']);
  expect(currentCall()).toBeUndefined();
});

test('case 46: a decorator on the class, one on the method and the attached client make one admission', async () => {
  @Injectable()
  @Throttled('crm', { lane: 'background' })
  class Service {
    constructor(@InjectProvider('crm') private readonly http: HttpService) {}

    @Throttled('crm')
    async contact(id: number): Promise<void> {
      await firstValueFrom(this.http.get(`/contacts/${id}`));
    }
  }
  const module = await start([Service], { limits: [concurrency({ limit: 1 })] });
  let granted = 0;
  module.get(RateLimitService).events.subscribe(({ type }) => {
    if (type === 'granted') granted += 1;
  });
  const service = module.get(Service);
  await Promise.all(Array.from({ length: 10 }, (_, id) => service.contact(id)));
  expect(granted).toBe(10);
  expect(provider.log).toHaveLength(10);
});

test('case 46: a guarded method inside a method attempt belongs to that attempt, and waits for no second permit', async () => {
  @Injectable()
  class Base {
    runs = 0;

    @Throttled('crm', { guard: 'method', safe: true })
    async video(): Promise<number> {
      this.runs += 1;
      return currentCall()?.attempt ?? 0;
    }
  }
  @Injectable()
  class Service extends Base {
    @Throttled('crm', { guard: 'method', safe: true })
    override async video(): Promise<number> {
      return super.video();
    }
  }
  const module = await start([Service], { limits: [concurrency({ limit: 1 })] });
  let granted = 0;
  module.get(RateLimitService).events.subscribe(({ type }) => {
    if (type === 'granted') granted += 1;
  });
  expect(await module.get(Service).video()).toBe(1);
  expect([granted, module.get(Service).runs]).toEqual([1, 1]);
});

test('case 110: a decorated method works on services of every scope, with all that was injected', async () => {
  @Injectable({ scope: Scope.REQUEST })
  class PerRequest {
    readonly name = 'of the request';
  }
  @Injectable()
  class OfDefault {
    constructor(@InjectProvider('crm') readonly http: HttpService) {}

    @Throttled('crm')
    async call(): Promise<string> {
      await firstValueFrom(this.http.get('/default'));
      return 'default';
    }
  }
  @Injectable()
  class BubbledToRequest {
    constructor(
      @InjectProvider('crm') readonly http: HttpService,
      readonly dependency: PerRequest,
    ) {}

    @Throttled('crm')
    async call(): Promise<string> {
      await firstValueFrom(this.http.get('/request'));
      return this.dependency.name;
    }
  }
  @Injectable({ scope: Scope.TRANSIENT })
  class OfTransient {
    constructor(@InjectProvider('crm') readonly http: HttpService) {}

    @Throttled('crm')
    async call(): Promise<string> {
      await firstValueFrom(this.http.get('/transient'));
      return 'transient';
    }
  }
  @Injectable({ scope: Scope.REQUEST, durable: true })
  class Durable {
    constructor(@InjectProvider('crm') readonly http: HttpService) {}

    @Throttled('crm')
    async call(): Promise<string> {
      await firstValueFrom(this.http.get('/durable'));
      return 'durable';
    }
  }
  const module = await start([PerRequest, OfDefault, BubbledToRequest, OfTransient, Durable]);
  const of = [
    module.get(OfDefault),
    await module.resolve(BubbledToRequest),
    await module.resolve(OfTransient),
    await module.resolve(Durable),
  ];
  const results: string[] = [];
  for (const service of of) results.push(await service.call());
  expect(results).toEqual(['default', 'of the request', 'transient', 'durable']);
  expect(seen()).toEqual(['GET /default', 'GET /request', 'GET /transient', 'GET /durable']);
});

test('case 112: a controller keeps its routes, parameters and metadata, wherever our decorator stands', async () => {
  class Upper {
    intercept(_context: unknown, next: { handle(): ObservableType<string> }): ObservableType<string> {
      return next.handle().pipe(map((text) => text.toUpperCase()));
    }
  }
  @Injectable()
  class Names {
    #prefix = 'contact';

    @Throttled('crm')
    async name(id: string): Promise<string> {
      return `${this.#prefix} ${id}`;
    }
  }
  @Injectable()
  class Louder extends Names {
    override async name(id: string): Promise<string> {
      return `${await super.name(id)}!`;
    }
  }
  @Controller('contacts')
  class Contacts {
    constructor(private readonly names: Louder) {}

    @Throttled('crm')
    @SetMetadata('role', 'above')
    @Get('above/:id')
    above(@Param('id') id: string): Promise<string> {
      return this.names.name(id);
    }

    @SetMetadata('role', 'below')
    @Get('below/:id')
    @UseInterceptors(Upper)
    @Throttled('crm')
    below(@Param('id') id: string): Promise<string> {
      return this.names.name(id);
    }

    @SetMetadata('role', 'middle')
    @Throttled('crm')
    @Idempotent()
    @Post('middle')
    middle(@Body('id') id: string): Promise<string> {
      return this.names.name(id);
    }
  }
  app = await Test.createTestingModule({
    imports: [RateLimitModule.forRoot({ providers: [crmAt(provider.url)] })],
    controllers: [Contacts],
    providers: [Louder],
  })
    .setLogger(new QuietLogger())
    .compile();
  const http = app.createNestApplication({ logger: false });
  await http.listen(0, '127.0.0.1');
  const url = await http.getUrl();
  const json = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"id":"3"}' };
  const answers = [
    await fetch(`${url}/contacts/above/1`),
    await fetch(`${url}/contacts/below/2`),
    await fetch(`${url}/contacts/middle`, json),
  ];
  expect(await Promise.all(answers.map((answer) => answer.text()))).toEqual(['contact 1!', 'CONTACT 2!', 'contact 3!']);
  const reflector = new Reflector();
  const { above, below, middle } = Contacts.prototype;
  expect([above, below, middle].map((method) => reflector.get<string>('role', method))).toEqual([
    'above',
    'below',
    'middle',
  ]);
  expect([above.name, below.name, middle.name]).toEqual(['above', 'below', 'middle']);
  await http.close();
  app = undefined;
});

describe('case 120: what a method gives', () => {
  @Injectable()
  class Service {
    subscriptions = 0;
    ended = 0;

    @Throttled('crm')
    plain(): any {
      return 7;
    }

    @Throttled('crm', { guard: 'method', safe: true })
    plainAttempt(): any {
      return 8;
    }

    @Throttled('crm', { guard: 'method', safe: true })
    three(): Observable<number> {
      return new Observable((subscriber) => {
        this.subscriptions += 1;
        subscriber.next(1);
        subscriber.error(new Error('the second failed'));
        return () => {
          this.ended += 1;
        };
      });
    }

    @Throttled('crm', { guard: 'method', safe: true })
    endless(): Observable<number> {
      return new Observable((subscriber) => {
        this.subscriptions += 1;
        subscriber.next(1);
        return () => {
          this.ended += 1;
        };
      });
    }

    @Throttled('crm', { guard: 'method', safe: true })
    undeclared() {
      return new Observable<number>((subscriber) => subscriber.complete());
    }
  }

  test('a plain value comes as a Promise', async () => {
    const service = (await start([Service])).get(Service);
    const given: unknown[] = [service.plain(), service.plainAttempt()];
    expect(given.every((value) => value instanceof Promise)).toBe(true);
    expect(await Promise.all(given)).toEqual([7, 8]);
  });

  test('an Observable is subscribed lazily, once for each subscriber, and fails where it failed', async () => {
    const module = await start([Service], { limits: [concurrency({ limit: 1 })] });
    const service = module.get(Service);
    const stream = service.three();
    expect(service.subscriptions).toBe(0);
    for (let subscriber = 1; subscriber <= 2; subscriber += 1) {
      const values: number[] = [];
      const error = await new Promise((resolve) => {
        stream.subscribe({ next: (value) => values.push(value), error: resolve });
      });
      expect([values, (error as Error).message, service.subscriptions]).toEqual([[1], 'the second failed', subscriber]);
    }
    expect((await module.get(RateLimitService).inspect('crm')).active).toBe(0);
  });

  test('a permit is held from the subscription to the unsubscription', async () => {
    const module = await start([Service], { limits: [concurrency({ limit: 1 })] });
    const service = module.get(Service);
    const limits = module.get(RateLimitService);
    const values: number[] = [];
    const subscription = service.endless().subscribe((value) => values.push(value));
    await until(() => values.length === 1);
    expect((await limits.inspect('crm')).active).toBe(1);
    const next = service.plainAttempt();
    await until(() => service.subscriptions === 1);
    expect((await limits.inspect('crm')).waiting).toBe(1);
    subscription.unsubscribe();
    expect(await next).toBe(8);
    expect([service.ended, (await limits.inspect('crm')).active]).toEqual([1, 0]);
  });

  test('an Observable that the method did not declare is a CONFIG error that says what to do', async () => {
    const service = (await start([Service])).get(Service);
    await expect(service.undeclared() as unknown as Promise<unknown>).rejects.toMatchObject({
      code: 'CONFIG',
      message: expect.stringContaining('Service.undeclared gave an Observable'),
    });
  });
});

test('case 107: unsubscribing stops the request, and its permit goes to the next at once', async () => {
  @Injectable()
  class Service {
    constructor(@InjectProvider('crm') private readonly http: HttpService) {}

    @Throttled('crm')
    contact(id: string): Observable<string> {
      return this.http.get<string>(`/contacts/${id}`).pipe(map(({ data }) => data));
    }
  }
  provider.play([hang]);
  const service = (await start([Service], { limits: [concurrency({ limit: 1 })] })).get(Service);
  const first = firstValueFrom(service.contact('1').pipe(timeout(100)));
  const second = firstValueFrom(service.contact('2'));
  await expect(first).rejects.toMatchObject({ name: 'TimeoutError' });
  await second;
  await until(() => provider.log[0]?.end !== null);
  expect(seen()).toEqual(['GET /contacts/1', 'GET /contacts/2']);
  expect(provider.log[0]?.end).toBe('client-left');
  expect(provider.log[1]!.atMs - provider.log[0]!.atMs).toBeGreaterThanOrEqual(90);
  // Long before its attempt would have timed out.
  expect(provider.log[1]!.atMs - provider.log[0]!.atMs).toBeLessThan(5_000);
});
