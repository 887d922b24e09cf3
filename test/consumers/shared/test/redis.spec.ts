import { Redis } from 'ioredis';
import { concurrency, defineProvider, type Gate } from 'nestjs-sluice';
import { redisGate, type RedisGateOptions } from 'nestjs-sluice/redis';

it("a shared gate takes the application's own client, and goes by its outage where no Redis answers", async () => {
  const client = new Redis({ port: 1, lazyConnect: true, retryStrategy: () => null });
  client.on('error', () => undefined);
  const options: RedisGateOptions = { client, gateTimeout: '50ms', outage: 'closed' };
  const gate: Gate & { health(): { status: string } } = redisGate(options);
  expect(gate.health()).toEqual({ status: 'up', providers: [] });
  expect(defineProvider({ name: 'crm', limits: [concurrency({ limit: 1 })] }).name).toBe('crm');
  expect(() => redisGate({ client: {} as never })).toThrow(/ioredis/);
  client.disconnect();
});
