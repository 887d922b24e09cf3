import { HttpService } from '@nestjs/axios';
import {
  Body,
  type CanActivate,
  Controller,
  type ExecutionContext,
  Get,
  type INestApplication,
  Injectable,
  Post,
  UseGuards,
} from '@nestjs/common';
import {
  Args,
  Field,
  GraphQLModule,
  ID,
  Mutation,
  ObjectType,
  Parent,
  Query,
  ResolveField,
  Resolver,
} from '@nestjs/graphql';
import { ApolloDriver, type ApolloDriverConfig } from '@nestjs/apollo';
import { APP_FILTER } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { firstValueFrom } from 'rxjs';
import {
  concurrency,
  InjectProvider,
  RateLimitExceptionFilter,
  RateLimitModule,
  RateLimitService,
  type SluiceEvent,
  Throttled,
} from 'nestjs-sluice';
import { hang, ProviderSimulator, slow } from 'nestjs-sluice/testing';
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
  await provider.stop();
  for (const app of running.splice(0)) await app.close();
});

/** Finds out who asks, as a guard does: after all middleware. */
class WhoAsks implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<Record<string, any>>();
    request['user'] = { account: request['headers']['x-account'] };
    return true;
  }
}

@Injectable()
class Contacts {
  constructor(@InjectProvider('crm') private readonly http: HttpService) {}

  @Throttled('crm')
  async get(id: string): Promise<string> {
    await firstValueFrom(this.http.get(`/contacts/${id}`));
    return id;
  }

  @Throttled('crm')
  async create(id: string): Promise<string> {
    await firstValueFrom(this.http.post('/contacts', { id }));
    return id;
  }
}

@Controller()
@UseGuards(WhoAsks)
class Api {
  constructor(private readonly contacts: Contacts) {}

  @Get('contact')
  get(): Promise<string> {
    return this.contacts.get('1');
  }

  @Post('contact')
  create(@Body('id') id: string): Promise<string> {
    return this.contacts.create(id);
  }

  @Get('write')
  write(): Promise<string> {
    return this.contacts.create('2');
  }
}

async function start(
  kind: string,
  more: { inbound?: object; crm?: object; prefix?: string } = {},
): Promise<INestApplication> {
  const inbound = {
    tenant: (request: Record<string, any>) => request['user']?.account,
    partition: (request: Record<string, any>) => ({ account: request['user']?.account ?? 'none' }),
    ...more.inbound,
  };
  const crm = crmAt(provider.url, {
    dimensions: ['account'],
    limits: [concurrency({ limit: 1, countedBy: ['account'] })],
    retry: { maxAttempts: 1, budget: false },
    ...more.crm,
  });
  const module = await Test.createTestingModule({
    imports: [RateLimitModule.forRoot({ providers: [crm], inbound, shutdown: { grace: 100 } })],
    controllers: [Api],
    providers: [Contacts, { provide: APP_FILTER, useClass: RateLimitExceptionFilter }],
  })
    .setLogger(new QuietLogger())
    .compile();
  const app =
    kind === 'fastify'
      ? module.createNestApplication(new FastifyAdapter({ forceCloseConnections: true }))
      : module.createNestApplication({ forceCloseConnections: true });
  if (more.prefix) app.setGlobalPrefix(more.prefix);
  running.push(app);
  await app.listen(0, '127.0.0.1');
  return app;
}

const post = (account: string) => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', 'x-account': account },
  body: '{"id":"9"}',
});

describe.each(['express', 'fastify'])('an inbound request, on %s', (kind) => {
  test('law 11: its calls are of the account that a guard found, read before and after a body; accounts do not wait for one another', async () => {
    const app = await start(kind, { prefix: 'v1' });
    const url = `${await app.getUrl()}/v1/contact`;
    provider.play([hang]);
    const first = fetch(url, post('a')).catch((error: unknown) => error);
    await until(() => provider.log.length === 1);
    const sameAccount = fetch(url, { headers: { 'x-account': 'a' } });
    expect((await fetch(url, { headers: { 'x-account': 'b' } })).status).toBe(200);
    expect((await fetch(url, post('c'))).status).toBe(201);
    expect(provider.log.map(({ method }) => method)).toEqual(['POST', 'GET', 'POST']);
    const { waiting } = await app.get(RateLimitService).inspect('crm');
    expect(waiting).toBe(1);
    await provider.stop();
    await Promise.all([first, sameAccount]);
  });

  test('case 111: two requests at once are sent with the credentials of their own account', async () => {
    const credentials = ({ account }: Record<string, string>) => ({
      headers: { authorization: `Bearer of-${account}` },
    });
    const app = await start(kind, { crm: { auth: { credentials } } });
    provider.play([slow(50), slow(50)]);
    const url = `${await app.getUrl()}/contact`;
    await Promise.all(['t1', 't2'].map((account) => fetch(url, { headers: { 'x-account': account } })));
    await fetch(url, { headers: { 'x-account': 't1' } });
    const sent = provider.log.map(({ headers }) => headers['authorization']);
    expect(sent.slice(0, 2).sort()).toEqual(['Bearer of-t1', 'Bearer of-t2']);
    expect(sent[2]).toBe('Bearer of-t1');
  });

  test('its deadline bounds all its calls', async () => {
    const app = await start(kind, { inbound: { deadline: 200 } });
    const limits = app.get(RateLimitService);
    limits.pause('crm', '1m');
    const response = await fetch(`${await app.getUrl()}/contact`);
    expect([response.status, await response.json()]).toEqual([429, expect.objectContaining({ code: 'PAUSED' })]);
    expect(provider.log).toHaveLength(0);
  });

  test('law 17: a client that disconnects ends a read on the wire, never a write', async () => {
    const app = await start(kind);
    const limits = app.get(RateLimitService);
    const outcomes: string[] = [];
    limits.events.subscribe((event: SluiceEvent) => {
      if (event.type === 'attempt-ended') outcomes.push(`${event.method} ${event.outcome}`);
    });
    for (const [path, step] of [
      ['contact', hang],
      ['write', slow(1_500)],
    ] as const) {
      provider.play([step]);
      const arrived = provider.log.length;
      const client = new AbortController();
      const left = fetch(`${await app.getUrl()}/${path}`, { signal: client.signal }).catch(() => 'left');
      await until(() => provider.log.length === arrived + 1);
      client.abort();
      expect(await left).toBe('left');
      await until(() => provider.log[arrived]?.end != null);
    }
    await until(() => outcomes.length === 2);
    expect(provider.log.map(({ method, end }) => `${method} ${end}`)).toEqual(['GET client-left', 'POST answered']);
    expect(outcomes).toEqual(['GET cancelled', 'POST succeeded']);
    expect((await limits.inspect('crm')).active).toBe(0);
  });

  test('law 13: an inbound function that throws is reported, and its default applies', async () => {
    const fails = (): never => {
      throw new Error('secret');
    };
    const app = await start(kind, {
      inbound: { tenant: fails, partition: () => ({ account: 'x' }), deadline: fails },
    });
    const hooks: unknown[] = [];
    app.get(RateLimitService).events.subscribe((event) => {
      if (event.type === 'hook-failed') hooks.push([event.hook, event.error]);
    });
    expect((await fetch(`${await app.getUrl()}/contact`)).status).toBe(200);
    expect(hooks).toEqual(
      expect.arrayContaining([
        ['inbound.deadline', 'Error'],
        ['inbound.tenant', 'Error'],
      ]),
    );
    expect(JSON.stringify(hooks)).not.toContain('secret');
  });

  test('law 13: so is one that gives a promise, for nobody waits for it', async () => {
    const late = (async () => {
      throw new Error('secret');
    }) as never;
    const app = await start(kind, { inbound: { tenant: late, partition: late } });
    const hooks: unknown[] = [];
    app.get(RateLimitService).events.subscribe((event) => {
      if (event.type === 'hook-failed') hooks.push([event.hook, event.error]);
    });
    expect((await fetch(`${await app.getUrl()}/contact`)).status).toBe(500);
    expect(hooks).toEqual(expect.arrayContaining([['inbound.partition', 'TypeError']]));
    expect(provider.log).toHaveLength(0);
  });

  test('a partition that nobody could tell refuses the call unsent', async () => {
    const app = await start(kind, {
      inbound: {
        partition: () => {
          throw new Error('no account');
        },
      },
    });
    expect((await fetch(`${await app.getUrl()}/contact`)).status).toBe(500);
    expect(provider.log).toHaveLength(0);
  });
});

@ObjectType()
class Person {
  @Field(() => ID)
  id!: string;
  @Field()
  name!: string;
}

@Resolver(() => Person)
class People {
  constructor(private readonly contacts: Contacts) {}

  @Query(() => [Person])
  people(): Partial<Person>[] {
    return [{ id: '1' }, { id: '2' }];
  }

  /** A field resolver: Nest runs no interceptor for it. */
  @ResolveField(() => String)
  name(@Parent() person: Person): Promise<string> {
    return this.contacts.get(person.id);
  }

  @Mutation(() => String)
  rename(@Args('id') id: string): Promise<string> {
    return this.contacts.create(id);
  }
}

async function startGraphql(kind: string, more: object = {}): Promise<INestApplication> {
  const crm = crmAt(provider.url, { dimensions: ['account'], limits: [concurrency({ limit: 1 })], ...more });
  const module = await Test.createTestingModule({
    imports: [
      RateLimitModule.forRoot({
        providers: [crm],
        inbound: { partition: (request) => ({ account: String(request.headers['x-account']) }) },
      }),
      GraphQLModule.forRoot<ApolloDriverConfig>({ driver: ApolloDriver, autoSchemaFile: true }),
    ],
    providers: [Contacts, People, { provide: APP_FILTER, useClass: RateLimitExceptionFilter }],
  })
    .setLogger(new QuietLogger())
    .compile();
  const app =
    kind === 'fastify'
      ? module.createNestApplication(new FastifyAdapter({ forceCloseConnections: true }))
      : module.createNestApplication({ forceCloseConnections: true });
  running.push(app);
  await app.listen(0, '127.0.0.1');
  return app;
}

async function query(app: INestApplication, text: string, account = 'a'): Promise<any> {
  const response = await fetch(`${await app.getUrl()}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-account': account },
    body: JSON.stringify({ query: text }),
  });
  return response.json();
}

// The Fastify integration of Apollo is another package; the hook it runs under is the one tested above.
describe.each(['express'])('GraphQL over HTTP, on %s', (kind) => {
  test('field resolvers have the inbound context too, each request its own', async () => {
    const app = await startGraphql(kind);
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, n) => query(app, '{ people { id name } }', `account-${n}`)),
    );
    expect(answers).toEqual(
      Array(10).fill({
        data: {
          people: [
            { id: '1', name: '1' },
            { id: '2', name: '2' },
          ],
        },
      }),
    );
    const view = await app.get(RateLimitService).inspect('crm');
    expect(view.gate.partitions).toBeGreaterThanOrEqual(10);
    expect(provider.log).toHaveLength(20);
  });

  test('a refusal is an error with the code and the wait in its extensions, and nothing of our inside', async () => {
    const app = await startGraphql(kind);
    app.get(RateLimitService).pause('crm', '10m');
    const { errors } = await query(app, 'mutation { rename(id: "7") }');
    expect(errors).toEqual([
      expect.objectContaining({
        path: ['rename'],
        extensions: expect.objectContaining({
          code: 'PAUSED',
          provider: 'crm',
          retryAfterMs: expect.any(Number),
          operationId: null,
        }),
      }),
    ]);
    expect(provider.log).toHaveLength(0);
  });
});
