// The examples of docs/guides/testing.md, run.
import { HttpService } from '@nestjs/axios';
import { Injectable } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import {
  defineProvider,
  InjectProvider,
  isSluiceError,
  type ProviderContract,
  Throttled,
  tokenBucket,
} from 'nestjs-sluice';
import { ProviderSimulator, sluiceTesting, unguarded, VirtualClock } from 'nestjs-sluice/testing';
import { firstValueFrom, of } from 'rxjs';

const crmContract = (http: Record<string, unknown>): ProviderContract =>
  defineProvider({
    name: 'crm',
    http,
    limits: [tokenBucket({ burst: 30, limit: 30, per: '1m' })],
    queue: { maxWait: '4m' },
  });

@Injectable()
class CrmService {
  constructor(@InjectProvider('crm') private readonly http: HttpService) {}

  @Throttled('crm')
  contact(id: string): Promise<unknown> {
    return firstValueFrom(this.http.get(`/contacts/${id}`));
  }
}

test('120 calls at once are 120 calls in three minutes, and none is refused', async () => {
  const clock = new VirtualClock({ wall: '2026-07-31T17:00:00Z' });
  const provider = new ProviderSimulator({
    limits: [{ kind: 'token-bucket', burst: 30, limit: 30, perMs: 60_000 }],
  });
  const crm = crmContract({ baseURL: 'https://api.crm.example', adapter: provider.transport(clock) });
  const app = await Test.createTestingModule({
    imports: [sluiceTesting({ providers: [crm], clock })],
    providers: [CrmService],
  }).compile();
  await app.init();

  const calls = Promise.all(Array.from({ length: 120 }, (_, i) => app.get(CrmService).contact(String(i))));
  await clock.advanceUntil(calls);

  expect(provider.log).toHaveLength(120);
  expect(provider.log.every(({ verdict }) => verdict === 'accepted')).toBe(true);
  expect(clock.monoMs()).toBeGreaterThanOrEqual(180_000);
  expect(clock.monoMs()).toBeLessThan(181_000);
  await app.close();
  expect(clock.pendingTimers).toBe(0);
});

test('a method made without an application runs only where that is said', async () => {
  const fakeHttp = { get: (path: string) => of({ data: path }) } as unknown as HttpService;
  const bare = new CrmService(fakeHttp);
  await expect(unguarded(() => bare.contact('7'))).resolves.toEqual({ data: '/contacts/7' });
  const refused = await bare.contact('7').catch((error: unknown) => error);
  expect(isSluiceError(refused, 'CONFIG')).toBe(true);
});
