import { parseDuration } from '../contract/durations.js';
import { configError, showValue } from '../errors/config-error.js';
import type { EventSink } from '../events/events.js';
import type { Ledger } from '../idempotency/options.js';
import type { Partition } from '../model/outcome.js';
import type { ProviderRuntime } from '../pipeline/runtime.js';
import type { Clock } from '../time/clock.js';
import type { Random } from '../time/random.js';
import { sleep } from '../time/timers.js';
import { backfill, BackfillPlaces } from './backfill.js';
import { type ResolvedOperationsOptions, resolveOperationsOptions } from './check-operations-options.js';
import { defer } from './deferring.js';
import { Endings } from './endings.js';
import type { OperationHandler } from './handler.js';
import { hastenAll } from './hastening.js';
import { HoldKeeper } from './hold-keeper.js';
import { Maintenance } from './maintenance.js';
import { OperationNews } from './news.js';
import type { BackfillSource, Deferred, DeferRequest, OperationsOptions, OperationsRuntime } from './operations.js';
import { Orders } from './orders.js';
import type { OperationStore } from './port.js';
import type { Operation } from './port/operation.js';
import type { ListQuery, OperationCounts, OperationPage } from './port/operator.js';
import { ProviderOperations } from './provider-operations.js';
import { OPERATION_STATES, type OperationState } from './states.js';
import { StoreAccess } from './store-access.js';

/** As long as that, runs of callers may go on to write down their ends after the stop, in ms. */
const CLOSE_MS = 1_000;
const MAX_LIST = 1_000;
/** `wait()` for an operation of a provider that this process does not have, in ms. */
const DEFAULT_WAIT_MS = 60_000;

export interface CreateOperations {
  /** Where it cannot be opened, each use is refused with STORE_UNAVAILABLE. */
  readonly store: OperationStore | Promise<OperationStore>;
  readonly clock: Clock;
  readonly random: Random;
  readonly events: EventSink;
  /** Names this process in the store; random. */
  readonly owner: string;
  readonly options?: OperationsOptions;
}

/** The operations of one application. @throws SluiceError CONFIG for options that make no sense. */
export function createOperations(deps: CreateOperations): OperationsRuntime {
  // Told to those who ask; nobody may have asked yet.
  if (deps.store instanceof Promise) deps.store.catch(() => undefined);
  return new Operations(deps, resolveOperationsOptions(deps.options));
}

class Operations implements OperationsRuntime {
  private readonly providers = new Map<string, ProviderOperations>();
  private readonly access: StoreAccess;
  private readonly watch: OperationNews;
  private readonly keeper: HoldKeeper;
  private readonly places = new BackfillPlaces();
  private readonly endings: Endings;
  private readonly orders: Orders;
  private readonly maintenance: Maintenance;
  private state: 'new' | 'started' | 'stopped' = 'new';

  constructor(
    private readonly deps: CreateOperations,
    private readonly options: ResolvedOperationsOptions,
  ) {
    const { store, clock, events } = deps;
    const access = (this.access = new StoreAccess(store, clock));
    const endings = (this.endings = new Endings(access));
    const watch = (this.watch = new OperationNews(events, clock, (move) => {
      this.providers.get(move.provider)?.moved(move);
      endings.moved(move);
    }));
    this.keeper = new HoldKeeper({ access, leaseMs: options.leaseMs, watch });
    this.orders = new Orders(access, watch, (provider) => this.providers.get(provider)?.wake());
    const runtimes = (): Iterable<ProviderRuntime> => [...this.providers.values()].map(({ runtime }) => runtime);
    this.maintenance = new Maintenance({ access, watch, pollMs: options.pollMs, runtimes });
  }

  ledger(runtime: ProviderRuntime): Ledger {
    return this.providerOf(runtime).ledger;
  }

  register(handler: OperationHandler, runtime: ProviderRuntime): void {
    const { provider, name } = handler;
    if (this.state !== 'new') throw configError(provider, 'operation handler', name, 'to be registered before start()');
    if (provider !== runtime.contract.name) {
      throw configError(provider, 'operation handler', name, `one of provider "${runtime.contract.name}"`);
    }
    this.providerOf(runtime).register(handler);
  }

  start(): void {
    if (this.state !== 'new') return;
    this.state = 'started';
    for (const provider of this.providers.values()) provider.start();
    this.maintenance.start();
  }

  async stop(graceMs: number): Promise<void> {
    this.state = 'stopped';
    const providers = [...this.providers.values()].map((provider) => provider.stop(graceMs));
    await Promise.all([...providers, this.maintenance.stop()]);
  }

  async close(): Promise<void> {
    this.state = 'stopped';
    await this.released();
    let store: OperationStore;
    try {
      store = await this.deps.store;
    } catch {
      return;
    }
    await store.close();
  }

  async defer(request: DeferRequest): Promise<Deferred> {
    const { provider, name } = request;
    const of = this.providers.get(provider);
    if (of === undefined || !of.handlers.has(name)) {
      throw configError(provider, 'the operation to defer', name, 'the name of a @Durable method of this provider');
    }
    const { access, watch } = this;
    return defer({ access, watch, random: this.deps.random }, of.runtime, request);
  }

  async get(id: string): Promise<Operation | null> {
    // No operation has one; a database would take it for a fault of its own.
    if (typeof id !== 'string') return null;
    return this.access.ask(null, (store) => store.get(id));
  }

  async list(query: ListQuery): Promise<OperationPage> {
    const { limit, state } = query;
    if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIST) {
      throw configError(null, 'limit of list()', limit, `a whole number from 1 to ${MAX_LIST}`);
    }
    if (state !== undefined && !OPERATION_STATES.includes(state)) {
      throw configError(null, 'state of list()', state, `one of ${OPERATION_STATES.map(showValue).join(', ')}`);
    }
    try {
      return await this.access.ask(query.provider ?? null, (store) => store.list(query));
    } catch (error) {
      // What a page is found by is the store's own.
      if (!((error as Error).cause instanceof RangeError)) throw error;
      throw configError(null, 'after of list()', query.after, 'what a page gave as `next`');
    }
  }

  counts(): Promise<OperationCounts> {
    return this.access.ask(null, (store) => store.counts());
  }

  async wait(id: string, { deadline, signal }: Parameters<OperationsRuntime['wait']>[1] = {}): Promise<Operation> {
    const given = deadline === undefined ? null : parseDuration(deadline, 'deadline of wait()');
    const deadlineMs = (provider: string): number =>
      given ?? this.providers.get(provider)?.runtime.contract.timeouts.totalMs ?? DEFAULT_WAIT_MS;
    return this.endings.wait(id, deadlineMs, signal ?? null);
  }

  redrive(id: string): Promise<OperationState> {
    return this.orders.redrive(id);
  }

  discard(id: string, why: string): Promise<OperationState> {
    return this.orders.discard(id, why);
  }

  resolve(id: string, result: unknown, why: string): Promise<OperationState> {
    return this.orders.resolve(id, result, why);
  }

  hasten(id: string): Promise<OperationState> {
    return this.orders.hasten(id);
  }

  async resumed(runtime: ProviderRuntime, partition: Partition | null): Promise<void> {
    const { access, watch } = this;
    if (this.state === 'stopped') return;
    await hastenAll({ access, watch }, runtime, partition);
    this.providers.get(runtime.contract.name)?.wake();
  }

  backfill<Item>(source: BackfillSource<Item>): Promise<void> {
    return backfill(this.access, this.places, source);
  }

  private providerOf(runtime: ProviderRuntime): ProviderOperations {
    const { name } = runtime.contract;
    let provider = this.providers.get(name);
    if (provider === undefined) {
      const { access, keeper, watch, places, options } = this;
      provider = new ProviderOperations(runtime, { access, keeper, watch, places, owner: this.deps.owner, ...options });
      this.providers.set(name, provider);
      if (this.state === 'started') provider.start();
    }
    if (provider.runtime !== runtime) {
      throw configError(name, 'runtime', 'another one of the same provider', 'one per provider and application');
    }
    return provider;
  }

  /** When nothing is begun or held any more, or after a moment: what is held longer is found by the next process. */
  private async released(): Promise<void> {
    const { clock } = this.deps;
    const endMono = clock.monoMs() + CLOSE_MS;
    const isBusy = (): boolean =>
      this.keeper.size > 0 || [...this.providers.values()].some(({ ledger }) => ledger.size > 0);
    while (isBusy() && clock.monoMs() < endMono) {
      await sleep(clock, 20);
    }
  }
}
