/** Several processes' worth of the shared gate in one: each with a client, a clock and lines of its own. The judge counts what arrives at the provider. */
import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import { Cluster, Redis, type RedisOptions } from 'ioredis';
import { defineProvider } from '../../libs/core/src/contract/define-provider.js';
import type { ProviderOptions } from '../../libs/core/src/contract/options.js';
import type { ResolvedContract } from '../../libs/core/src/contract/resolved.js';
import { isSluiceError } from '../../libs/core/src/errors/sluice-error.js';
import type { SluiceEvent } from '../../libs/core/src/events/events.js';
import type { Admission, AdmissionRequest, Settlement } from '../../libs/core/src/gate/admission.js';
import { createAdmission } from '../../libs/core/src/gate/client/create-admission.js';
import type { Clock } from '../../libs/core/src/time/clock.js';
import { SystemClock, systemRandom } from '../../libs/core/src/time/system-clock.js';
import { sleep } from '../../libs/core/src/time/timers.js';
import { type RedisClient, type RedisGate, redisGate, type RedisGateOptions } from '../../libs/redis/src/index.js';
import { type Arrival, findExcess } from '../gate/provider-judge.js';

const clock = new SystemClock();

/** A clock whose dates are wrong by so much. */
export class SkewedClock implements Clock {
  constructor(private readonly byMs: number) {}

  wallMs(): number {
    return clock.wallMs() + this.byMs;
  }

  monoMs(): number {
    return clock.monoMs();
  }

  schedule(delayMs: number, fn: () => void): () => void {
    return clock.schedule(delayMs, fn);
  }
}

export interface ProcessSetup {
  readonly port: number;
  readonly clock?: Clock;
  readonly client?: RedisOptions;
  /** The port is one of its nodes. */
  readonly cluster?: boolean;
}

export interface WorldSetup {
  readonly provider: Partial<ProviderOptions> & Pick<ProviderOptions, 'limits'>;
  readonly processes: readonly ProcessSetup[];
  readonly gate?: Partial<RedisGateOptions>;
}

let worlds = 0;

export class FleetProcess {
  readonly client: RedisClient;
  readonly gate: RedisGate;
  readonly admission: Admission;
  readonly events: SluiceEvent[] = [];

  constructor(
    private readonly world: FleetWorld,
    readonly id: string,
    setup: ProcessSetup,
    options: Partial<RedisGateOptions>,
  ) {
    const { port, client } = setup;
    this.client = setup.cluster
      ? new Cluster([{ host: '127.0.0.1', port }], { clusterRetryStrategy: () => 50 })
      : new Redis(port, '127.0.0.1', { retryStrategy: () => 50, ...client });
    this.client.on('error', () => undefined);
    this.gate = redisGate({ prefix: world.prefix, ...options, client: this.client });
    this.admission = createAdmission({
      contract: world.contract,
      gate: this.gate,
      clock: setup.clock ?? clock,
      random: systemRandom,
      events: { active: true, emit: (build) => void this.events.push(build()) },
      processId: id,
    });
  }

  /** One call: waits for its permit, arrives at the provider, is answered after `workMs`. Resolves with the code of its refusal, or `sent`. */
  async call(workMs = 0, overrides: Partial<AdmissionRequest> = {}, end: Partial<Settlement> = {}): Promise<string> {
    try {
      const permit = await this.admission.admit({ ...REQUEST, ...overrides });
      const arrival = this.world.arrive(overrides.partition ?? {}, overrides.units ?? {});
      if (workMs > 0) await sleep(clock, workMs);
      this.world.left(arrival);
      permit.settle({ end: 'answered', health: 'alive', refusal: null, trueUnits: null, seen: [], ...end });
      return 'sent';
    } catch (error) {
      if (isSluiceError(error)) return error.code;
      throw error;
    }
  }

  /** So many at once. */
  calls(count: number, workMs = 0, overrides: Partial<AdmissionRequest> = {}): Promise<string[]> {
    return Promise.all(Array.from({ length: count }, () => this.call(workMs, overrides)));
  }

  async close(): Promise<void> {
    await this.admission.close();
    this.client.disconnect();
  }
}

const REQUEST: AdmissionRequest = {
  lane: 0,
  tenant: '',
  partition: {},
  route: null,
  units: {},
  kind: 'first',
  safety: 'safe',
  attemptMs: 5_000,
  needMs: 0,
  deadlineMono: Infinity,
  maxWaitMs: 60_000,
  place: null,
  observe: false,
};

interface Visit {
  readonly at: number;
  until: number;
  readonly partition: Readonly<Record<string, string>>;
  readonly units: Readonly<Record<string, number>>;
}

export class FleetWorld {
  readonly prefix: string;
  readonly contract: ResolvedContract;
  readonly visits: Visit[] = [];
  readonly processes: readonly FleetProcess[];
  private readonly loop: IntervalHistogram;

  constructor({ provider, processes, gate = {} }: WorldSetup) {
    worlds += 1;
    this.loop = monitorEventLoopDelay({ resolution: 1 });
    this.loop.enable();
    this.prefix = `spec-${process.pid}-${worlds}`;
    this.contract = defineProvider({ name: 'crm', ...provider }).resolved;
    this.processes = processes.map((setup, index) => new FleetProcess(this, `p${index}`, setup, gate));
  }

  process(index: number): FleetProcess {
    return this.processes[index] as FleetProcess;
  }

  arrive(partition: Visit['partition'], units: Visit['units']): Visit {
    const visit = { at: Math.round(clock.monoMs() * 1000), until: Infinity, partition, units };
    this.visits.push(visit);
    return visit;
  }

  left(visit: Visit): void {
    visit.until = Math.round(clock.monoMs() * 1000);
  }

  /** The longest this process was late: a slow machine, which no client can make up for. */
  get latenessMs(): number {
    return this.loop.max / 1e6;
  }

  /**
   * What the provider would have refused; null = nothing.
   *
   * @param extra so much more may have arrived at once: the bound of what was lost
   */
  excess(extra = 0): string | null {
    const { guardMs } = this.contract;
    const lateMs = this.latenessMs > guardMs / 2 ? this.latenessMs : 0;
    const limits = this.contract.limits.map((limit) =>
      limit.kind === 'token-bucket'
        ? { ...limit, burst: limit.burst + extra + Math.ceil((lateMs * limit.limit) / limit.perMs) }
        : { ...limit, limit: limit.limit + extra },
    );
    return findExcess({ ...this.contract, limits }, this.arrivals());
  }

  async close(): Promise<void> {
    this.loop.disable();
    await Promise.all(this.processes.map((one) => one.close()));
  }

  private arrivals(): Arrival[] {
    const { limits } = this.contract;
    return this.visits.map(({ at, until, partition, units }) => ({
      at,
      until: until === Infinity ? at : until,
      partition,
      limits: limits.map((_, index) => index),
      costs: limits.map(({ unit, kind }) => (kind === 'concurrency' ? 1 : (units[unit] ?? 1))),
    }));
  }
}

/** Waits for a condition, at most so long. */
export async function until(what: () => boolean, withinMs = 10_000): Promise<void> {
  const untilMono = clock.monoMs() + withinMs;
  while (!what()) {
    if (clock.monoMs() > untilMono) throw new Error(`It did not come to pass within ${withinMs} ms: ${what}`);
    await sleep(clock, 5);
  }
}

export async function forMs(ms: number): Promise<void> {
  await sleep(clock, ms);
}
