import { Controller, Get, type INestApplication, Param } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { HttpService } from '@nestjs/axios';
import { firstValueFrom } from 'rxjs';
import {
  InjectProvider,
  RateLimitExceptionFilter,
  RateLimitModule,
  RateLimitService,
  SluiceError,
} from 'nestjs-sluice';
import { answer, ProviderSimulator } from 'nestjs-sluice/testing';
import { crmAt } from './support/crm.js';
import { QuietLogger } from './support/silent.js';

const provider = new ProviderSimulator();
beforeAll(() => provider.start());
afterAll(() => provider.stop());

@Controller()
class Api {
  constructor(
    @InjectProvider('crm') private readonly http: HttpService,
    private readonly limits: RateLimitService,
  ) {}

  @Get('upstream')
  async upstream(): Promise<unknown> {
    return (await firstValueFrom(this.http.get('/thing?token=secret'))).data;
  }

  @Get('paused')
  async paused(): Promise<unknown> {
    this.limits.pause('crm', '90500ms');
    try {
      return await this.limits.run('crm', () => 'sent', { deadline: '1s', safe: true });
    } finally {
      this.limits.resume('crm');
    }
  }

  @Get('code/:code')
  code(@Param('code') code: 'DEFERRED' | 'CONFIG'): never {
    throw new SluiceError({ code, provider: 'crm', message: 'what happened', operationId: 'op-1' });
  }

  @Get('other')
  other(): never {
    throw new Error('not ours');
  }
}

const retry = { maxAttempts: 1, throttled: { maxAttempts: 1 } };

async function start(kind: 'express' | 'fastify'): Promise<INestApplication> {
  const module = await Test.createTestingModule({
    imports: [RateLimitModule.forRoot({ providers: [crmAt(provider.url, { retry, pause: { initial: 1 } })] })],
    controllers: [Api],
    providers: [{ provide: APP_FILTER, useClass: RateLimitExceptionFilter }],
  })
    .setLogger(new QuietLogger())
    .compile();
  const app =
    kind === 'fastify'
      ? module.createNestApplication(new FastifyAdapter({ forceCloseConnections: true }))
      : module.createNestApplication({ forceCloseConnections: true });
  await app.listen(0, '127.0.0.1');
  return app;
}

describe.each(['express', 'fastify'] as const)('errors over HTTP, on %s', (kind) => {
  let app: INestApplication;
  beforeAll(async () => {
    app = await start(kind);
  });
  afterAll(() => app.close());

  async function get(path: string): Promise<{ status: number; retryAfter: string | null; body: unknown }> {
    const response = await fetch(`${await app.getUrl()}${path}`);
    return { status: response.status, retryAfter: response.headers.get('retry-after'), body: await response.json() };
  }

  test('a refusal tells when to come back, in whole seconds, rounded up', async () => {
    const { status, retryAfter, body } = await get('/paused');
    expect(status).toBe(429);
    expect(retryAfter).toBe('91');
    expect(body).toMatchObject({ statusCode: 429, code: 'PAUSED', provider: 'crm', operationId: null });
  });

  test('deferred work is accepted, and told by its operation', async () => {
    expect(await get('/code/DEFERRED')).toMatchObject({
      status: 202,
      retryAfter: null,
      body: { code: 'DEFERRED', operationId: 'op-1' },
    });
  });

  test('what is wrong with the set-up is told as an internal error only', async () => {
    const { status, body } = await get('/code/CONFIG');
    expect([status, JSON.stringify(body)]).toEqual([500, expect.not.stringContaining('what happened')]);
  });

  test.each([
    [404, {}, 502, 'UPSTREAM_FAILED', null],
    [429, { 'retry-after': '2' }, 429, 'UPSTREAM_LIMITED', expect.stringMatching(/^[23]$/)],
    [503, {}, 503, 'UPSTREAM_UNAVAILABLE', null],
  ])('an upstream answer of %d, %j becomes %d %s', async (upstream, headers, status, code, retryAfter) => {
    provider.play([answer(upstream, headers as Record<string, string>, { secret: 'body' })]);
    const told = await get('/upstream');
    expect(told).toMatchObject({ status, body: { code } });
    expect(told.retryAfter).toEqual(retryAfter);
    expect(JSON.stringify(told)).not.toContain('secret');
    app.get(RateLimitService).resume('crm');
  });

  test('errors that are not ours stay what they were', async () => {
    expect(await get('/other')).toMatchObject({ status: 500, body: { message: 'Internal server error' } });
  });
});
