import axiosCurrent, { type AxiosInstance, type CreateAxiosDefaults } from 'axios';
import axiosLowest from 'axios-lowest';
import { SeededRandom } from '../../testing/src/index.js';
import {
  type Admission,
  createProviderRuntime,
  defineProvider,
  type EventSink,
  type Permit,
  type ProviderOptions,
  type ProviderRuntime,
  type Settlement,
  type SluiceEvent,
  SystemClock,
  type Clock,
} from '../../core/src/index.js';
import { attachAxios, type Detach } from './index.js';

/** The same copy, whose export is given to the layer. */
const direct: typeof axiosCurrent = Object.assign(Object.create(axiosCurrent), { direct: true });

/** The two ends of the supported range. */
export const AXIOS_COPIES = [
  ['1.21', axiosCurrent],
  ['1.7.0', axiosLowest as unknown as typeof axiosCurrent],
  ['1.21 with its adapter', direct],
] as const;
export type AxiosCopy = typeof axiosCurrent;

/** Keeps what is told. */
export class Told implements EventSink {
  readonly active = true;
  readonly events: SluiceEvent[] = [];

  emit(make: () => SluiceEvent): void {
    this.events.push(make());
  }
}

export const NOBODY = { active: false, emit: () => undefined, subscribe: () => () => undefined };

/** Grants at once, and counts what is out. */
export class GrantAll {
  granted = 0;
  open = 0;
  endedTwice = 0;
  readonly settlements: Settlement[] = [];
  /** Holds asks back until it is called. */
  hold: Promise<void> | null = null;

  constructor(private readonly clock: Clock) {}

  admission(): Admission {
    const admit: Admission['admit'] = (request) => {
      if (this.hold === null) return this.permit();
      return new Promise<Permit>((resolve, reject) => {
        const onAbort = (): void => reject(request.signal?.reason);
        request.signal?.addEventListener('abort', onAbort, { once: true });
        void this.hold?.then(() => {
          request.signal?.removeEventListener('abort', onAbort);
          if (!request.signal?.aborted) resolve(this.permit());
        });
      });
    };
    const rest = { releasePlace: () => undefined, close: () => Promise.resolve(), update: () => undefined };
    return { ...rest, admit } as unknown as Admission;
  }

  private permit(): Permit {
    this.granted += 1;
    this.open += 1;
    let over = false;
    const settle = (settlement: Settlement): void => {
      if (over) this.endedTwice += 1;
      else this.open -= 1;
      over = true;
      this.settlements.push(settlement);
    };
    return {
      leaseId: `lease-${this.granted}`,
      grantedMono: this.clock.monoMs(),
      waitedMs: 0,
      waitedFor: [],
      probe: false,
      probesBreaker: false,
      shadow: null,
      settle,
      settleForRetry: (settlement) => {
        settle(settlement);
        return Promise.resolve('place');
      },
    };
  }
}

export interface WorldOptions {
  readonly axios?: AxiosCopy;
  readonly provider?: Partial<ProviderOptions>;
  readonly http?: CreateAxiosDefaults;
  readonly clock?: Clock;
  readonly events?: EventSink;
}

/** An attached instance in front of a gate that grants at once. */
export class World {
  readonly clock: Clock;
  readonly gate: GrantAll;
  readonly runtime: ProviderRuntime;
  readonly http: AxiosInstance;
  readonly detach: Detach;

  constructor(options: WorldOptions = {}) {
    const {
      axios = axiosCurrent,
      provider = {},
      http = {},
      clock = new SystemClock(),
      events = NOBODY as never,
    } = options;
    this.clock = clock;
    this.gate = new GrantAll(clock);
    const contract = defineProvider({
      name: 'crm',
      limits: [{ kind: 'concurrency', limit: 10 }],
      demand: { singleFlight: false },
      // However slow the machine is, a grant is used and a request has its time, where a spec does not say otherwise.
      guard: 0,
      timeouts: { connect: '1m', attempt: '1m' },
      ...provider,
      retry: { jitter: 'none', baseDelay: 1, budget: false, ...provider.retry },
    });
    const random = new SeededRandom(1);
    const deps = { clock, random, events, gate: null as never, processId: 'p1' };
    this.runtime = createProviderRuntime(contract, deps, this.gate.admission());
    this.http = axios.create({ proxy: false, ...http });
    this.detach = attachAxios(this.http, this.runtime, {
      clock,
      random,
      ...('direct' in axios ? { axios: axiosCurrent } : {}),
    });
  }

  /** Lets go of both ends: every permit was given back, and none twice. */
  async end(provider: { stop(): Promise<void> }): Promise<void> {
    this.detach();
    await provider.stop();
    await until(() => this.gate.open === 0);
    expect(this.gate.endedTwice).toBe(0);
  }
}

/** The error of a promise that must reject. */
export async function errorOf(promise: Promise<unknown>): Promise<any> {
  return promise.then(
    () => {
      throw new Error('It was expected to reject.');
    },
    (error: unknown) => error,
  );
}

/** Waits, within bounds, until something of the outside world has come true. */
export async function until(condition: () => boolean, limitMs = 30_000): Promise<void> {
  const end = performance.now() + limitMs;
  while (!condition()) {
    if (performance.now() > end) throw new Error('It has not come true in time.');
    await new Promise((resolve) => setImmediate(resolve));
  }
}
