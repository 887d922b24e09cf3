/**
 * The whole way of a call - decorated method, HttpService, adapter, axios-retry, gate - on the virtual clock, against a
 * simulated provider without sockets. The judge is the provider's log.
 */
import { HttpService } from '@nestjs/axios';
import { Injectable, type INestApplicationContext, Module, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { defineProvider, InjectProvider, type ProviderOptions, RateLimitModule, Throttled } from 'nestjs-sluice';
import { type ProviderSimulator, SeededRandom, VirtualClock } from 'nestjs-sluice/testing';
import { firstValueFrom } from 'rxjs';

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;

/** What every figure is measured under: J = 100 ms, a floor of one retry, waits and total of three hours. */
export const STATED = {
  guard: '100ms',
  queue: { maxSize: 2_000, maxWait: '3h' },
  timeouts: { total: '3h' },
} as const satisfies Partial<ProviderOptions>;

export const STATED_RETRY = {
  maxAttempts: 5,
  maxWait: '3h',
  budget: { ratio: 0.1, per: '1m', floor: 1 },
} as const satisfies ProviderOptions['retry'];

@Injectable()
export class CallsService {
  constructor(@InjectProvider('figures') private readonly http: HttpService) {}

  @Throttled('figures')
  call(id: number): Promise<unknown> {
    return firstValueFrom(this.http.get(`/items/${id}`));
  }
}

@Injectable()
export class SweepService {
  constructor(@InjectProvider('figures') private readonly http: HttpService) {}

  @Throttled('figures', { lane: 'sweep' })
  sweep(id: number): Promise<unknown> {
    return firstValueFrom(this.http.get(`/swept/${id}`));
  }
}

export interface Figures {
  readonly clock: VirtualClock;
  readonly service: CallsService;
  readonly app: INestApplicationContext;
  close(): Promise<void>;
}

export async function openFigures(
  provider: ProviderSimulator,
  options: Omit<ProviderOptions, 'name' | 'http'>,
  services: Type[] = [],
): Promise<Figures> {
  const clock = new VirtualClock();
  const contract = defineProvider({
    ...STATED,
    ...options,
    name: 'figures',
    http: { baseURL: 'http://provider.test', adapter: provider.transport(clock) },
  });
  console.log(`contract: ${JSON.stringify({ ...STATED, ...options })}`);

  @Module({
    imports: [RateLimitModule.forRoot({ providers: [contract], clock, random: new SeededRandom(7) })],
    providers: [CallsService, ...services],
  })
  class FiguresModule {}

  const app = await NestFactory.createApplicationContext(FiguresModule as Type, { logger: ['error'] });
  return {
    clock,
    service: app.get(CallsService),
    app,
    close: async () => {
      const closed = app.close();
      await clock.advance(MINUTE);
      await closed;
    },
  };
}

/** Resolves after `ms` on the clock: for the naive loops, which wait on their own. */
export const wait = (clock: VirtualClock, ms: number): Promise<void> =>
  new Promise((resolve) => {
    clock.schedule(ms, resolve);
  });
