/**
 * All ways to send at once, through the whole chain and with everything that changes under way: the provider, which counts
 * for itself, refuses nothing.
 */
import axios, { type AxiosRequestConfig } from 'axios';
import { HttpService } from '@nestjs/axios';
import { Injectable } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import {
  concurrency,
  defineProvider,
  InjectProvider,
  type LimitOptions,
  RateLimitService,
  slidingWindow,
  Throttled,
  tokenBucket,
} from 'nestjs-sluice';
import { answer, ProviderSimulator, reset, SeededRandom, sluiceTesting, VirtualClock } from 'nestjs-sluice/testing';
import { firstValueFrom } from 'rxjs';
import { QuietLogger } from '../nest/support/silent.js';

interface Asking {
  readonly account: string;
  readonly lane: string;
  readonly tenant: string;
}

@Injectable()
class Caller {
  constructor(@InjectProvider('crm') private readonly http: HttpService) {}

  @Throttled('crm', {
    lane: (asking: Asking) => asking.lane,
    tenant: (asking: Asking) => asking.tenant,
    partition: ({ account }: Asking) => ({ account }),
  })
  async send(_asking: Asking, config: AxiosRequestConfig): Promise<unknown> {
    return firstValueFrom(this.http.request(config));
  }

  @Throttled('crm', { guard: 'method', safe: true, partition: ({ account }: Asking) => ({ account }) })
  async sdk(_asking: Asking, work: () => Promise<unknown>): Promise<unknown> {
    return work();
  }
}

/** What the provider allows, by account and in all; or less of it. */
const limits = (burst = 6, limit = 60, window = 20, atOnce = 5): LimitOptions[] => [
  tokenBucket({ name: 'tokens', burst, limit, per: '1m', countedBy: ['account'] }),
  slidingWindow({ name: 'window', limit: window, per: '10s', countedBy: [] }),
  concurrency({ name: 'atOnce', limit: atOnce, countedBy: [] }),
];

test.each([1, 2, 3, 4, 5, 6])(
  'law 2: no limit of the provider is ever exceeded, however it is used (seed %d)',
  async (seed) => {
    const random = new SeededRandom(seed);
    const below = (count: number): number => Math.floor(random.next() * count);
    const clock = new VirtualClock();
    const provider = new ProviderSimulator({
      latencyMs: () => below(400),
      limits: [
        {
          kind: 'token-bucket',
          burst: 6,
          limit: 60,
          perMs: 60_000,
          partition: ({ headers }) => headers['x-account'] ?? '',
        },
        { kind: 'sliding-window', limit: 20, perMs: 10_000 },
        { kind: 'concurrency', limit: 5 },
      ],
    });
    const steps = [answer(503), answer(500), reset];
    provider.play({
      next: () => {
        const step = below(20);
        return step === 3 ? answer(302, { location: `/moved/${below(100)}` }) : (steps[step] ?? null);
      },
    });
    const network = (): typeof adapter => provider.transport(clock, { networkMs: () => below(95) });
    const adapter = provider.transport(clock);
    const http = { baseURL: 'http://crm.test', adapter: network() };
    const contract = defineProvider({
      name: 'crm',
      http,
      dimensions: ['account'],
      limits: limits(),
      lanes: { interactive: {}, background: {} },
      queue: { maxWait: '10m', maxSize: 1000 },
      retry: { budget: false, baseDelay: 20, maxAttempts: 3 },
      timeouts: { attempt: '2s', total: '1h' },
      auth: {
        credentials: () =>
          Promise.resolve({ headers: { 'x-token': 't' }, expiresAt: new Date(clock.wallMs() + 3000 + below(20_000)) }),
      },
    });
    const app = await Test.createTestingModule({
      imports: [sluiceTesting({ providers: [contract], clock, random })],
      providers: [Caller],
    })
      .setLogger(new QuietLogger())
      .compile();
    await app.init();
    const [caller, service] = [app.get(Caller), app.get(RateLimitService)];
    const attached = service.attach('crm', axios.create({ ...http, adapter: network() }));

    const one = (): Promise<unknown> => {
      const account = `a${below(3)}`;
      const asking = { account, lane: below(2) ? 'interactive' : 'background', tenant: `t${below(4)}` };
      const headers = { 'x-account': account };
      const method = ['get', 'head', 'post', 'options', 'delete'][below(5)] as 'get';
      const config: AxiosRequestConfig = { url: `/x/${below(5)}`, method, headers };
      const bare = (): Promise<unknown> => axios.request({ ...http, ...config, adapter });
      switch (below(8)) {
        case 0: {
          const controller = new AbortController();
          clock.schedule(below(2000), () => controller.abort());
          return caller.send(asking, { ...config, signal: controller.signal });
        }
        case 1:
          return attached.request({ ...config, sluice: { partition: { account } } });
        case 2:
          return service.run('crm', bare, { safe: true, partition: { account } });
        case 3:
          return caller.sdk(asking, bare);
        case 4:
          return caller.send(asking, { ...config, adapter });
        default:
          return caller.send(asking, config);
      }
    };
    const change = async (): Promise<void> => {
      if (below(3) === 0) await clock.advance(below(150));
      if (below(60) === 0) {
        service.update('crm', { limits: limits(3 + below(4), 40 + below(21), 15 + below(6), 3 + below(3)) });
      }
      if (below(40) === 0) clock.stepWall((below(2) ? 1 : -1) * 3_600_000);
      if (below(40) === 0) service.pause('crm', 500 + below(2000));
      if (below(80) === 0) service.resume('crm');
    };
    const sent: Promise<unknown>[] = [];
    for (let i = 0; i < 200; i += 1) {
      sent.push(one().catch(() => undefined));
      await change();
    }
    service.update('crm', { limits: limits() });
    await clock.advanceUntil(Promise.all(sent));
    await clock.advance(10_000);
    expect(provider.log.length).toBeGreaterThan(100);
    expect(provider.log.filter(({ verdict }) => verdict === 'limited')).toEqual([]);
    expect(await service.inspect('crm')).toMatchObject({ active: 0, waiting: 0, gate: { leases: 0, tickets: 0 } });
    await clock.advanceUntil(app.close());
    expect(clock.pendingTimers).toBe(0);
  },
);
