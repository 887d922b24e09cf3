import 'reflect-metadata';
import { Test, type TestingModule } from '@nestjs/testing';
import { Redis } from 'ioredis';
import { defineProvider, quota, RateLimitModule, RateLimitService, tokenBucket } from 'nestjs-sluice';
import { redisGate } from 'nestjs-sluice/redis';
import { freePort } from '../../scripts/redis-server.mjs';

const prefix = `nest-${process.pid}`;
const apps: TestingModule[] = [];
const clients: Redis[] = [];

async function application(): Promise<RateLimitService> {
  const client = new Redis(process.env['REDIS_URL'] as string);
  const crm = defineProvider({
    name: 'crm',
    limits: [tokenBucket({ burst: 5, limit: 50, per: '1s' }), quota({ limit: 20, per: 'day', timeZone: 'UTC' })],
  });
  const gate = redisGate({ client, prefix, gateTimeout: '2s' });
  const app = await Test.createTestingModule({
    imports: [RateLimitModule.forRoot({ gate, providers: [crm] })],
  }).compile();
  await app.init();
  apps.push(app);
  clients.push(client);
  return app.get(RateLimitService);
}

afterAll(async () => {
  await Promise.all(apps.map((app) => app.close()));
  for (const client of clients) client.disconnect();
});

it('applications share limits and quotas, which need no store of their own, and take numbers for all of them', async () => {
  const [first, second] = [await application(), await application()];
  const work = [first, second].flatMap((service) => Array.from({ length: 8 }, () => service.run('crm', () => 1)));
  expect(await Promise.all(work)).toHaveLength(16);
  const { gate } = await second.inspect('crm');
  expect(gate.limits[1]).toMatchObject({ kind: 'quota', used: 16 });
  await first.update('crm', { limits: [quota({ limit: 16, per: 'day', timeZone: 'UTC' })] }, { fleet: true });
  await expect(first.run('crm', () => 1)).rejects.toMatchObject({ code: 'QUOTA_EXHAUSTED' });
  const late = await application();
  let end: unknown = null;
  for (let tries = 0; tries < 50 && end === null; tries += 1) {
    const { limits } = (await late.inspect('crm')).gate;
    if (limits[1]?.capacity === 16) end = await late.run('crm', () => 1).catch((error: unknown) => error);
  }
  expect(end).toMatchObject({ code: 'QUOTA_EXHAUSTED' });
});

it('case 119: an application closes within its grace time though Redis is out of reach', async () => {
  const client = new Redis(await freePort(), '127.0.0.1', { retryStrategy: () => 50 });
  client.on('error', () => undefined);
  const crm = defineProvider({ name: 'crm', limits: [tokenBucket({ burst: 5, limit: 50, per: '1s' })] });
  const app = await Test.createTestingModule({
    imports: [RateLimitModule.forRoot({ gate: redisGate({ client, prefix }), providers: [crm], shutdown: { grace: 500 } })], // prettier-ignore
  }).compile();
  await app.init();
  expect(await app.get(RateLimitService).run('crm', () => 1)).toBe(1);
  const began = performance.now();
  await app.close();
  expect(performance.now() - began).toBeLessThan(2_000);
  client.disconnect();
});
