import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import axios, { type AxiosInstance } from 'axios';
import { attachAxios } from '../../libs/axios/src/index.js';
import { sqliteStore } from '../../libs/sqlite/src/index.js';
import { ProviderSimulator, SeededRandom, VirtualClock } from '../../libs/testing/src/index.js';
import { enterInbound, enterMethod } from '../../libs/core/src/context/enter.js';
import { defineProvider } from '../../libs/core/src/contract/define-provider.js';
import type { ProviderOptions } from '../../libs/core/src/contract/options.js';
import { EventHub } from '../../libs/core/src/events/event-hub.js';
import type { SluiceEvent } from '../../libs/core/src/events/events.js';
import { memoryGate } from '../../libs/core/src/gate/memory/memory-gate.js';
import { createProviderRuntime } from '../../libs/core/src/pipeline/create-runtime.js';
import type { ProviderRuntime } from '../../libs/core/src/pipeline/runtime.js';
import { createOperations } from '../../libs/core/src/operations/create-operations.js';
import type { OperationHandler } from '../../libs/core/src/operations/handler.js';
import type { DeferRequest, OperationsOptions, OperationsRuntime } from '../../libs/core/src/operations/operations.js';
import type { OperationStore } from '../../libs/core/src/operations/port.js';
import type { OperationSummary } from '../../libs/core/src/operations/port/operation.js';

export type Told = Extract<SluiceEvent, { type: 'operation' }>;

export interface ProcessOptions {
  readonly options?: OperationsOptions;
  readonly contract?: Partial<ProviderOptions>;
  /** Breaks the store. */
  readonly wrap?: (store: OperationStore) => OperationStore;
}

/** One store in a file, any number of processes on it, and a provider that writes down what reached it. */
export class OperationsWorld {
  readonly clock = new VirtualClock();
  readonly provider: ProviderSimulator;
  readonly processes: AppProcess[] = [];

  /** Timers of processes that crashed are nobody's. */
  get timersOfTheLiving(): number {
    return this.processes.some(({ isDead }) => isDead) ? 0 : this.clock.pendingTimers;
  }

  private constructor(private readonly folder: string) {
    this.provider = new ProviderSimulator({
      routes: {
        'POST /jobs/:name': (_, { params }) => ({ status: 201, body: { done: params['name'] } }),
        'GET /jobs/:name': (_, { params }) => {
          const isThere = this.provider.effects.some(({ path }) => path === `/jobs/${params['name']}`);
          return isThere ? { status: 200, body: { done: params['name'] } } : { status: 404 };
        },
      },
    });
  }

  static async begin(): Promise<OperationsWorld> {
    return new OperationsWorld(await mkdtemp(join(tmpdir(), 'sluice-operations-')));
  }

  async process(name: string, options: ProcessOptions = {}): Promise<AppProcess> {
    const store = await sqliteStore({ path: join(this.folder, 'operations.db') }).open({ clock: this.clock });
    const process = new AppProcess(this, name, store, options);
    this.processes.push(process);
    return process;
  }

  /** Names of the writes that reached the provider, in their order. */
  get writes(): readonly string[] {
    return this.provider.log.filter(({ method }) => method === 'POST').map(({ path }) => path.replace('/jobs/', ''));
  }

  /** Lets the stores answer all they were asked, and what follows from it happen. */
  async quiet(rounds = 6): Promise<void> {
    for (let round = 0; round < rounds; round += 1) {
      await Promise.all(this.processes.map(({ store }) => store.get('none').catch(() => null)));
      await this.clock.advance(0);
    }
  }

  /** Time passes in steps in which stores can answer. */
  async pass(ms: number, stepMs = 100): Promise<void> {
    for (let left = ms; left > 0; left -= stepMs) {
      await this.quiet();
      await this.clock.advance(Math.min(left, stepMs));
    }
    await this.quiet();
  }

  /** Time passes until it is so. @throws Error where it never is. */
  async until(isSo: () => boolean | Promise<boolean>, longestMs = 600_000, stepMs = 100): Promise<void> {
    for (let waited = 0; !(await isSo()); waited += stepMs) {
      if (waited > longestMs) throw new Error(`It is not so after ${longestMs} ms.`);
      await this.pass(stepMs, stepMs);
    }
  }

  /** What became of a promise, time passing until it is settled: its value, or the code or message of its error. */
  async told(promise: Promise<unknown>): Promise<unknown> {
    let told: { readonly what: unknown } | null = null;
    void promise.then(
      (what) => (told = { what }),
      (error: Error & { code?: string }) => (told = { what: error.code ?? error.message }),
    );
    await this.until(() => told !== null);
    return (told as { readonly what: unknown } | null)!.what;
  }

  async end(): Promise<void> {
    for (const process of this.processes) await this.told(process.end());
    await this.quiet(1).catch(() => undefined);
    await this.provider.stop();
    await rm(this.folder, { recursive: true, force: true });
  }
}

export class AppProcess {
  readonly operations: OperationsRuntime;
  readonly runtime: ProviderRuntime;
  readonly http: AxiosInstance;
  readonly events: SluiceEvent[] = [];
  isDead = false;
  private isEnded = false;

  constructor(
    readonly world: OperationsWorld,
    readonly name: string,
    readonly store: OperationStore,
    { options, contract, wrap = (used) => used }: ProcessOptions,
  ) {
    const { clock, provider } = world;
    const hub = new EventHub();
    hub.subscribe((event) => void this.events.push(event));
    const random = new SeededRandom(1);
    this.runtime = createProviderRuntime(
      defineProvider({
        name: 'crm',
        limits: [{ kind: 'concurrency', limit: 50 }],
        guard: 0,
        retry: { maxAttempts: 3, baseDelay: '1s', jitter: 'none', budget: false },
        breaker: false,
        ...contract,
      }),
      { clock, random, gate: memoryGate(), events: hub, processId: name },
    );
    this.http = axios.create({ baseURL: 'https://crm.example', adapter: provider.transport(clock) });
    attachAxios(this.http, this.runtime, { clock, random });
    this.operations = createOperations({
      store: Promise.resolve(mortal(wrap(store), this)),
      clock,
      random: new SeededRandom(name.charCodeAt(0)),
      events: hub,
      owner: name,
      ...(options && { options }),
    });
  }

  /** Moves that this process told of. */
  get moves(): readonly Told[] {
    return this.events.filter((event): event is Told => event.type === 'operation');
  }

  get failures(): readonly string[] {
    return this.events.flatMap((event) => (event.type === 'hook-failed' ? [event.hook] : []));
  }

  /** A durable method: `run` gets its first argument. */
  handle(
    name: string,
    run: (arg: any, signal: AbortSignal) => Promise<unknown>,
    reconcile: ((arg: any) => Promise<any>) | null = null,
  ): void {
    const { clock } = this.world;
    const handler: OperationHandler = {
      provider: 'crm',
      name,
      run: ({ args, owner }, operation, signal) =>
        enterInbound({ clock, tenant: owner.tenant, partition: owner.partition }, () =>
          enterMethod(
            { provider: 'crm', clock, operation, signal, options: { lane: owner.lane ?? undefined } as object },
            () => run(args[0], signal),
          ),
        ),
      reconcile:
        reconcile &&
        (({ args }, asked, lookup) =>
          enterMethod({ provider: 'crm', clock, operation: null, lookup, signal: asked }, () => reconcile(args[0]))),
    };
    this.operations.register(handler, this.runtime);
  }

  /** `POST /jobs/<name>`, bare. */
  async post(name: string): Promise<unknown> {
    return (await this.http.post(`/jobs/${name}`, { name })).data;
  }

  defer(arg: unknown, more: Partial<DeferRequest> = {}): Promise<unknown> {
    return this.world.told(
      this.operations.defer({
        name: 'job',
        provider: 'crm',
        args: [arg],
        key: null,
        fingerprint: JSON.stringify(arg),
        lane: null,
        tenant: '',
        partition: {},
        orderingKey: null,
        reference: null,
        ...more,
      }),
    );
  }

  async rows(): Promise<readonly OperationSummary[]> {
    return (await this.store.list({ limit: 1_000 })).operations;
  }

  /** State and cause of each operation, oldest first. */
  async states(): Promise<readonly string[]> {
    return (await this.rows()).map(({ state, cause }) => `${state} ${cause}`);
  }

  /** From now on nothing of it reaches anybody. */
  crash(): void {
    this.isDead = true;
  }

  async end(): Promise<void> {
    if (this.isEnded) return;
    this.isEnded = true;
    if (!this.isDead) await this.operations.stop(0);
    await this.runtime.close();
    if (this.isDead) await this.store.close();
    else await this.operations.close();
  }
}

const never = (): Promise<never> => new Promise(() => undefined);

/** The store of a process: when that is dead nothing is asked, and nothing is heard. */
function mortal(store: OperationStore, process: AppProcess): OperationStore {
  return new Proxy(store, {
    get(target, name) {
      if (name === 'then') return undefined;
      const method = target[name as keyof OperationStore] as (...args: unknown[]) => Promise<unknown>;
      return async (...args: unknown[]) => {
        if (process.isDead) return never();
        const answer = await method.apply(target, args);
        return process.isDead ? never() : answer;
      };
    },
  });
}
