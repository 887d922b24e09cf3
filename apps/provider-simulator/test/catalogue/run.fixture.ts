/** Mixed work through a contract of the catalogue, against a provider that counts as the real one does, in virtual time. */
import type { HttpService } from '@nestjs/axios';
import { Injectable, type INestApplicationContext, type Type } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import type { AxiosRequestConfig } from 'axios';
import { InjectProvider, type ProviderContract } from 'nestjs-sluice';
import {
  type Arrival,
  ProviderSimulator,
  type SimulatorOptions,
  sluiceTesting,
  VirtualClock,
} from 'nestjs-sluice/testing';
import { firstValueFrom } from 'rxjs';

/** What a contract of the catalogue is made with for a run. */
export interface RunSettings {
  readonly http: Record<string, unknown>;
  readonly queue: { readonly maxSize: number; readonly maxWait: '18h' };
  readonly timeouts: { readonly total: '18h' };
  readonly demand: { readonly singleFlight: false };
}

export interface Run {
  readonly log: readonly Arrival[];
  /** From the first request to the last. */
  readonly tookMs: number;
  readonly failures: readonly string[];
  readonly refused: readonly Arrival[];
}

/** All calls at once. */
export async function run(
  make: (settings: RunSettings) => ProviderContract,
  options: SimulatorOptions,
  calls: readonly AxiosRequestConfig[],
): Promise<Run> {
  const clock = new VirtualClock({ wall: '2026-11-30T12:00:07Z' });
  const provider = new ProviderSimulator(options);
  const contract = make({
    http: { baseURL: 'https://provider.test', adapter: provider.transport(clock) },
    queue: { maxSize: 100_000, maxWait: '18h' },
    timeouts: { total: '18h' },
    demand: { singleFlight: false },
  });

  @Injectable()
  class Caller {
    constructor(@InjectProvider(contract.name) readonly http: HttpService) {}
  }

  const app: INestApplicationContext = await Test.createTestingModule({
    imports: [sluiceTesting({ providers: [contract], clock })],
    providers: [Caller],
  }).compile();
  await app.init();
  const { http } = app.get(Caller as Type<{ http: HttpService }>);
  const failures: string[] = [];
  const one = async (call: AxiosRequestConfig): Promise<void> => {
    try {
      await firstValueFrom(http.request(call));
    } catch (error) {
      failures.push(`${call.method ?? 'GET'} ${call.url}: ${error instanceof Error ? error.message : 'not an error'}`);
    }
  };
  await clock.advanceUntil(Promise.all(calls.map(one)), 86_400_000);
  const { log } = provider;
  const closed = app.close();
  await clock.advance(60_000);
  await closed;
  return {
    log,
    tookMs: (log.at(-1)?.atMs ?? 0) - (log[0]?.atMs ?? 0),
    failures,
    refused: log.filter(({ verdict }) => verdict === 'limited'),
  };
}

/** A part of a run. */
export function only(whole: Run, which: (arrival: Arrival) => boolean): Run {
  const log = whole.log.filter(which);
  return {
    ...whole,
    log,
    tookMs: (log.at(-1)?.atMs ?? 0) - (log[0]?.atMs ?? 0),
    refused: log.filter(({ verdict }) => verdict === 'limited'),
  };
}

/** Every call succeeds, none is refused, and it takes at most 1 / 0.95 of what the limits allow. */
export function expectFull({ failures, refused, tookMs }: Run, leastMs: number): void {
  expect(failures).toEqual([]);
  expect(refused.map(({ limitedBy, atMs }) => `${limitedBy} at ${atMs}`)).toEqual([]);
  expect(tookMs).toBeLessThanOrEqual(leastMs / 0.95);
  expect(tookMs).toBeGreaterThan(leastMs * 0.9);
}

export const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));
