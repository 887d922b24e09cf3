import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApolloDriver, type ApolloDriverConfig } from '@nestjs/apollo';
import { HttpService } from '@nestjs/axios';
import { type INestApplication, Injectable } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { Args, GraphQLModule, Mutation, Query, Resolver } from '@nestjs/graphql';
import { Test } from '@nestjs/testing';
import { firstValueFrom } from 'rxjs';
import {
  Durable,
  Idempotent,
  InjectProvider,
  Operations,
  RateLimitExceptionFilter,
  RateLimitModule,
  RateLimitService,
  Throttled,
} from 'nestjs-sluice';
import { sqliteStore } from 'nestjs-sluice/sqlite';
import { ProviderSimulator } from 'nestjs-sluice/testing';
import { crmAt } from './support/crm.js';
import { QuietLogger } from './support/silent.js';

@Injectable()
class Payments {
  constructor(@InjectProvider('crm') private readonly http: HttpService) {}

  @Durable({ name: 'pay' })
  @Throttled('crm')
  @Idempotent({ key: (id: string) => id })
  async pay(id: string): Promise<string> {
    return (await firstValueFrom(this.http.post<{ id: string }>(`/payments/${id}`, {}))).data.id;
  }
}

@Resolver()
class Till {
  constructor(private readonly payments: Payments) {}

  @Query(() => String)
  name(): string {
    return 'till';
  }

  @Mutation(() => String)
  pay(@Args('id') id: string): Promise<string> {
    return this.payments.pay(id);
  }
}

let provider: ProviderSimulator;
let folder: string;
let app: INestApplication;

beforeEach(async () => {
  provider = new ProviderSimulator({
    routes: { 'POST /payments/:id': (_, { params }) => ({ status: 201, body: { id: params['id'] } }) },
  });
  await provider.start();
  folder = await mkdtemp(join(tmpdir(), 'sluice-graphql-'));
  const module = await Test.createTestingModule({
    imports: [
      RateLimitModule.forRoot({
        providers: [crmAt(provider.url)],
        store: sqliteStore({ path: join(folder, 'operations.db') }),
      }),
      GraphQLModule.forRoot<ApolloDriverConfig>({ driver: ApolloDriver, autoSchemaFile: true }),
    ],
    providers: [Payments, Till, { provide: APP_FILTER, useClass: RateLimitExceptionFilter }],
  })
    .setLogger(new QuietLogger())
    .compile();
  app = module.createNestApplication({ forceCloseConnections: true });
  await app.listen(0, '127.0.0.1');
});
afterEach(async () => {
  await app.close();
  await provider.stop();
  await rm(folder, { recursive: true, force: true });
});

async function pay(id: string): Promise<any> {
  const response = await fetch(`${await app.getUrl()}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: `mutation { pay(id: "${id}") }` }),
  });
  return response.json();
}

test('deferred work is an error with DEFERRED, where it is and when it is due in its extensions; asked again when it is done its result is given', async () => {
  app.get(RateLimitService).pause('crm', '10m');
  const { data, errors } = await pay('7');
  expect([data, errors]).toEqual([
    null,
    [
      expect.objectContaining({
        path: ['pay'],
        extensions: expect.objectContaining({
          code: 'DEFERRED',
          provider: 'crm',
          operationId: expect.any(String),
          retryAfterMs: expect.any(Number),
        }),
      }),
    ],
  ]);
  expect(provider.log).toHaveLength(0);
  app.get(RateLimitService).resume('crm');
  const { operationId } = errors[0].extensions;
  expect(await app.get(Operations).wait(operationId, { deadline: '30s' })).toMatchObject({
    state: 'done',
    result: '7',
  });
  expect(await pay('7')).toEqual({ data: { pay: '7' } });
  expect(provider.log).toHaveLength(1);
});
