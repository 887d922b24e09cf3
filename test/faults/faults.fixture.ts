/**
 * The whole way of a call - decorated method, HttpService, adapter, axios-retry, gate - on the virtual clock, in the
 * notation of the cases. The judge is the provider's log.
 */
import { getEventListeners } from 'node:events';
import { HttpService } from '@nestjs/axios';
import { Injectable, type Provider } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import type { AxiosRequestConfig, AxiosResponse } from 'axios';
import {
  concurrency,
  defineProvider,
  type Duration,
  InjectProvider,
  type ProviderContract,
  type ProviderOptions,
  RateLimitService,
  type SluiceEvent,
  sluiceOf,
  Throttled,
} from 'nestjs-sluice';
import {
  ProviderSimulator,
  type Script,
  type ScriptStep,
  type SimulatorOptions,
  sluiceTesting,
  VirtualClock,
} from 'nestjs-sluice/testing';
import { firstValueFrom } from 'rxjs';
import { QuietLogger } from '../nest/support/silent.js';
import { S } from './script.js';

/** `P{}`: no rate, ten at once, three retries after 1000 x 2^n without jitter, a pause that coincides, no breaker, no budget. */
export const P: Omit<ProviderOptions, 'name'> = {
  limits: [concurrency({ limit: 10 })],
  retry: {
    maxAttempts: 4,
    throttled: { maxAttempts: 4 },
    baseDelay: '1s',
    maxDelay: '1h',
    maxWait: '60s',
    jitter: 'none',
    budget: false,
  },
  timeouts: { attempt: '10m', total: '1d' },
  pause: { initial: '1s', factor: 2 },
  queue: { maxWait: '1d', maxSize: 10_000 },
  guard: 0,
  demand: { singleFlight: false },
};

export interface Settings {
  readonly deadline?: Duration;
  readonly lane?: string;
  readonly tenant?: string;
  readonly partition?: Record<string, string>;
}

@Injectable()
export class Caller {
  constructor(@InjectProvider('crm') readonly http: HttpService) {}

  @Throttled('crm', {
    deadline: (_config: AxiosRequestConfig, settings: Settings) => settings.deadline,
    lane: (_config: AxiosRequestConfig, settings: Settings) => settings.lane,
    tenant: (_config: AxiosRequestConfig, settings: Settings) => settings.tenant,
    partition: (_config: AxiosRequestConfig, settings: Settings) => settings.partition ?? {},
  })
  async send(config: AxiosRequestConfig, _settings: Settings): Promise<AxiosResponse> {
    return firstValueFrom(this.http.request(config));
  }
}

/** A call under way, or how and when it ended. */
export class Sent {
  told = 'under way';
  atMs: number | null = null;
  value: unknown = undefined;
  error: any = undefined;
  readonly done: Promise<void>;

  constructor(clock: VirtualClock, promise: Promise<unknown>) {
    const end = (told: string): void => {
      this.told = told;
      this.atMs = clock.monoMs();
    };
    this.done = promise.then(
      (value) => {
        this.value = value;
        end(String((value as { status?: number } | undefined)?.status ?? value));
      },
      (error) => {
        this.error = error;
        end(toldOf(error));
      },
    );
  }
}

function toldOf(error: any): string {
  if (error?.code === 'ERR_CANCELED') return 'cancelled';
  const status = error?.response?.status;
  return status === undefined ? (error?.code ?? String(error)) : `${status} ${sluiceOf(error)?.reason}`;
}

export interface Setup {
  /** What differs from `P{}`. */
  readonly p?: Partial<ProviderOptions>;
  /** What the provider answers. */
  readonly s?: string | readonly ScriptStep[] | Script;
  readonly provider?: SimulatorOptions;
  readonly providers?: readonly unknown[];
  /** Providers beside the one of the case. */
  readonly contracts?: readonly ProviderContract[];
}

export class FaultWorld {
  readonly clock = new VirtualClock();
  readonly provider: ProviderSimulator;
  readonly events: SluiceEvent[] = [];
  private readonly begun: Sent[] = [];
  private readonly signals = new Set<AbortSignal>();
  private open = true;
  app!: TestingModule;

  constructor(private readonly setup: Setup = {}) {
    const { s } = setup;
    this.provider = new ProviderSimulator(setup.provider);
    if (s !== undefined) this.provider.play(typeof s === 'string' ? S(s) : s);
  }

  async start(): Promise<this> {
    const { p = {}, providers = [], contracts = [] } = this.setup;
    const contract = defineProvider({
      name: 'crm',
      http: { baseURL: 'http://crm.test', adapter: this.provider.transport(this.clock) },
      ...P,
      ...p,
      retry: { ...P.retry, ...p.retry },
    });
    this.app = await Test.createTestingModule({
      imports: [sluiceTesting({ providers: [contract, ...contracts], clock: this.clock })],
      providers: [Caller, ...(providers as Provider[])],
    })
      .setLogger(new QuietLogger())
      .compile();
    await this.app.init();
    this.limits.events.subscribe((event) => this.events.push(event));
    return this;
  }

  get caller(): Caller {
    return this.app.get(Caller);
  }

  get limits(): RateLimitService {
    return this.app.get(RateLimitService);
  }

  /** `C[...]`: a call that begins now, by the decorated method. */
  call(config: AxiosRequestConfig | string = '/x', settings: Settings = {}): Sent {
    const request = typeof config === 'string' ? { url: config } : config;
    if (request.signal) this.signals.add(request.signal as AbortSignal);
    return this.watch(this.caller.send(request, settings));
  }

  /** Several of them in one turn. */
  calls(count: number, config: AxiosRequestConfig | string = '/x', settings: Settings = {}): Sent[] {
    return Array.from({ length: count }, () => this.call(config, settings));
  }

  /** Any other promise that has to be settled at the end. */
  watch(promise: Promise<unknown>): Sent {
    const sent = new Sent(this.clock, promise);
    this.begun.push(sent);
    return sent;
  }

  /** When the provider was called, in whole milliseconds. */
  get log(): number[] {
    return this.provider.log.map(({ atMs }) => Math.round(atMs));
  }

  ofType<T extends SluiceEvent['type']>(type: T): Extract<SluiceEvent, { type: T }>[] {
    return this.events.filter((event): event is Extract<SluiceEvent, { type: T }> => event.type === type);
  }

  /** What every case checks at its end: nothing pending, permits back, no listener, no timer. */
  async leavesNothing(): Promise<void> {
    await this.clock.advance(0);
    expect(this.begun.filter(({ atMs }) => atMs === null)).toEqual([]);
    expect(await this.limits.inspect('crm')).toMatchObject({ active: 0, waiting: 0, gate: { leases: 0, tickets: 0 } });
    for (const signal of this.signals) expect(getEventListeners(signal, 'abort')).toHaveLength(0);
    await this.close();
    expect(this.clock.pendingTimers).toBe(0);
  }

  /** Also where a test failed before its end. */
  async close(): Promise<void> {
    if (!this.open || this.app === undefined) return;
    this.open = false;
    await this.clock.advanceUntil(this.app.close());
  }
}

const worlds: FaultWorld[] = [];

/** A world that is closed after its test, however the test ends. */
export async function world(setup: Setup = {}): Promise<FaultWorld> {
  const opened = new FaultWorld(setup);
  worlds.push(opened);
  return opened.start();
}

export async function closeWorlds(): Promise<void> {
  for (const each of worlds.splice(0)) await each.close();
}
