import { HttpService } from '@nestjs/axios';
import { Injectable, Module, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { defineProvider, InjectProvider, RateLimitModule, Throttled, tokenBucket } from 'nestjs-sluice';
import { ProviderSimulator } from 'nestjs-sluice/testing';
import { firstValueFrom } from 'rxjs';

const CALLS = 500;
const GUARD_MS = 25;
const BURST = 30;
const PER_SECOND = 50;
/** The burst is short of r x J, which is the price of never being refused. */
const LEAST_MS = ((CALLS - (BURST - (PER_SECOND * GUARD_MS) / 1_000)) / PER_SECOND) * 1_000;
const TRIES = 3;

@Injectable()
class ItemsService {
  constructor(@InjectProvider('items') private readonly http: HttpService) {}

  @Throttled('items')
  item(id: number): Promise<unknown> {
    return firstValueFrom(this.http.get(`/items/${id}`));
  }
}

async function run(calls: number) {
  const provider = new ProviderSimulator({
    limits: [{ kind: 'token-bucket', burst: BURST, limit: PER_SECOND, perMs: 1_000 }],
  });
  await provider.start();
  const contract = defineProvider({
    name: 'items',
    http: { baseURL: provider.url },
    limits: [tokenBucket({ burst: BURST, limit: PER_SECOND, per: '1s' })],
    guard: GUARD_MS,
  });
  @Module({ imports: [RateLimitModule.forRoot({ providers: [contract] })], providers: [ItemsService] })
  class RunModule {}
  const app = await NestFactory.createApplicationContext(RunModule as Type, { logger: ['error'] });
  const service = app.get(ItemsService);

  const ends = await Promise.allSettled(Array.from({ length: calls }, (_, id) => service.item(id)));
  const { log, latenessMs } = provider;
  const arrivals = log.map((arrival) => arrival.atMs);
  await app.close();
  await provider.stop();
  return {
    succeeded: ends.filter((end) => end.status === 'fulfilled').length,
    refused: log.filter((arrival) => arrival.verdict === 'limited').length,
    spanMs: Math.max(...arrivals) - Math.min(...arrivals),
    latenessMs,
  };
}

describe('500 calls at once in real time, B = 30 and r = 50/s', () => {
  it('all succeed without a refusal, within 1.03 times what the limit allows', async () => {
    await run(80); // the machine's own first requests are slow
    for (let attempt = 1; ; attempt += 1) {
      const { succeeded, refused, spanMs, latenessMs } = await run(CALLS);
      if (latenessMs > GUARD_MS / 2 && attempt < TRIES) {
        console.log(`void: the provider's own loop was late by ${latenessMs.toFixed(1)} ms`);
        continue;
      }
      console.log(
        `${spanMs.toFixed(0)} ms, ${(spanMs / LEAST_MS).toFixed(4)} of the least; late by ${latenessMs.toFixed(1)} ms`,
      );
      expect(succeeded).toBe(CALLS);
      expect(refused).toBe(0);
      expect(spanMs).toBeLessThanOrEqual(1.03 * LEAST_MS);
      return;
    }
  }, 90_000);
});
