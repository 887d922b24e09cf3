import { randomUUID } from 'node:crypto';
import type { HttpService } from '@nestjs/axios';
import {
  type Clock,
  createLedger,
  createOperations,
  createProviderRuntime,
  currentContext,
  type Duration,
  errorName,
  EventHub,
  type Gate,
  type Ledger,
  memoryGate,
  type OperationsRuntime,
  type OperationStore,
  parseDuration,
  type ProviderContract,
  type ProviderRuntime,
  type Random,
  randomOperation,
  SystemClock,
  systemRandom,
  type UsedBook,
  volatileQuotaMissing,
} from '../../core/src/index.js';
import type { InboundOptions, RateLimitModuleOptions } from './interfaces/rate-limit-module-options.interface.js';
import { applicationStopped, storeNotOpened } from './operations.messages.js';
import type { DecoratedMethod } from './rate-limit-metadata.accessor.js';
import { checkContract, checkModuleOptions } from './rate-limit.checks.js';
import { createProviderClient } from './provider-client.js';
import { duplicateProvider, quotaWithoutStore, unknownProvider } from './rate-limit.messages.js';

const DEFAULT_GRACE_MS = 10_000;

/** A day, as providers that honour keys usually remember them. */
const DEFAULT_RETENTION_MS = 24 * 3_600_000;

/** Finished operations remembered per provider, and as many that are under way or unknown. */
const MAX_OPERATIONS = 10_000;

interface Registered {
  readonly contract: ProviderContract;
  readonly runtime: ProviderRuntime;
  client: HttpService | null;
  ledger: Ledger | null;
}

/** A method that workers run or look up, with the object that has it. */
export interface StoredMethod {
  readonly host: object;
  readonly method: DecoratedMethod;
}

/**
 * Opens the store, where there is one, with the application's clock.
 *
 * @throws SluiceError CONFIG when an option or a contract cannot be meant, or the store cannot be opened.
 */
export async function openApplication(options: RateLimitModuleOptions): Promise<SluiceApplication> {
  checkModuleOptions(options);
  const { clock = new SystemClock(), store: durable } = options;
  if (durable === undefined) return new SluiceApplication({ ...options, clock }, null);
  let store: OperationStore;
  try {
    store = await durable.open({ clock });
  } catch (error) {
    throw storeNotOpened(durable.kind, error);
  }
  try {
    return new SluiceApplication({ ...options, clock }, store);
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** All that one Nest application shares: its providers by name, its clock, its events. Two applications share nothing. */
export class SluiceApplication {
  readonly clock: Clock;
  readonly random: Random;
  readonly gate: Gate;
  readonly events = new EventHub();
  readonly inbound: InboundOptions;
  readonly graceMs: number;
  /** Between its start and its stop: its objects are not another application's then. */
  running = false;
  /** null = there is no store. */
  readonly operations: OperationsRuntime | null;
  /** By the name of their work. */
  readonly stored = new Map<string, StoredMethod>();
  private readonly processId = randomUUID();
  private closing: Promise<void> | null = null;
  private readonly providers = new Map<string, Registered>();

  /** Methods that have made a request through the provider's client, or were told of for making none. */
  readonly knownMethods = new WeakSet<object>();

  /** @throws SluiceError CONFIG when a contract cannot be meant. */
  constructor(
    options: RateLimitModuleOptions & { readonly clock: Clock },
    private readonly store: OperationStore | null,
  ) {
    this.clock = options.clock;
    this.random = options.random ?? systemRandom;
    this.gate = options.gate ?? memoryGate();
    this.inbound = options.inbound ?? {};
    const { grace } = options.shutdown ?? {};
    this.graceMs = grace === undefined ? DEFAULT_GRACE_MS : parseDuration(grace, 'shutdown.grace');
    const { clock, events, processId: owner, random } = this;
    this.operations =
      store === null
        ? null
        : createOperations({ store, clock, random, events, owner, options: options.operations ?? {} });
    for (const contract of options.providers ?? []) this.register(contract);
  }

  get names(): readonly string[] {
    return [...this.providers.keys()];
  }

  get contracts(): readonly ProviderContract[] {
    return [...this.providers.values()].map((registered) => registered.contract);
  }

  get runtimes(): readonly ProviderRuntime[] {
    return [...this.providers.values()].map((registered) => registered.runtime);
  }

  /**
   * Adds a provider; the same contract again changes nothing.
   *
   * @throws SluiceError CONFIG on another contract of the same name, and on a quota that would be forgotten at a restart.
   */
  register(contract: ProviderContract): void {
    checkContract(contract, 'forFeature');
    const known = this.providers.get(contract.name);
    if (known !== undefined) {
      if (known.contract !== contract) throw duplicateProvider(contract.name);
      return;
    }
    this.refuseForgotten(contract.name, volatileQuotaMissing(contract));
    const { clock, events, gate, processId, random } = this;
    const deps = { clock, events, gate, processId, random, used: this.usedBook(contract.name) };
    const runtime = createProviderRuntime(contract, deps);
    this.providers.set(contract.name, { contract, runtime, client: null, ledger: null });
  }

  private usedBook(provider: string): UsedBook | null {
    const { store } = this;
    if (store === null) return null;
    return {
      load: () => store.loadUsed(provider),
      save: (entries, keepMs) => store.saveUsed(provider, entries, keepMs),
    };
  }

  /** @throws SluiceError CONFIG where quotas would be forgotten at a restart: neither store nor gate keeps them. */
  refuseForgotten(provider: string, quotas: readonly string[]): void {
    if (this.operations === null && this.gate.keepsUsed !== true && quotas.length > 0)
      throw quotaWithoutStore(provider, quotas);
  }

  has(name: string): boolean {
    return this.providers.has(name);
  }

  /** @throws SluiceError CONFIG when there is no such provider; `where` names who asks. */
  runtime(name: string, where: string): ProviderRuntime {
    return this.registered(name, where).runtime;
  }

  /** The provider's `HttpService`: one for the whole application, however many modules inject it. */
  client(name: string): HttpService {
    const registered = this.registered(name, 'An injected client');
    return (registered.client ??= createProviderClient(registered.runtime, this));
  }

  /** What ran under which key: in the store, else in memory for as long as the provider would know the key. */
  ledger(name: string): Ledger {
    const registered = this.registered(name, 'An operation');
    // What is asked of a closed store would be said to be its fault.
    if (this.isClosed) throw applicationStopped(name);
    if (this.operations !== null) return this.operations.ledger(registered.runtime);
    const retentionMs = registered.runtime.contract.idempotency?.retentionMs ?? DEFAULT_RETENTION_MS;
    return (registered.ledger ??= createLedger({ clock: this.clock, retentionMs, maxEntries: MAX_OPERATIONS }));
  }

  /** Monotonic ms of what is due within `duration` and within all that is around; Infinity = never. */
  deadlineMono(duration: Duration | undefined): number {
    const { inbound, method } = currentContext();
    const own = duration === undefined ? Infinity : this.clock.monoMs() + parseDuration(duration, 'deadline');
    return Math.min(own, method?.deadlineMono ?? Infinity, inbound?.deadlineMono ?? Infinity);
  }

  reportFailedHook(provider: string, hook: string, error: unknown): void {
    const at = this.clock.wallMs();
    this.events.emit(() => ({ type: 'hook-failed', provider, at, hook, error: errorName(error) }), 'trouble');
  }

  reportGuess(provider: string, about: string, taken: string): void {
    this.events.emit(() => ({ type: 'guess', provider, at: this.clock.wallMs(), about, taken }), 'trouble');
  }

  /** Of an operation that nobody asks for again: no other process makes it. */
  uniqueKey(): string {
    return `${this.processId} ${randomOperation(this.random).key}`;
  }

  /**
   * Takes no more stored work and lets that under way end, as long as the gate still serves it; then refuses what waits and
   * what comes. All of it within the grace time.
   */
  async drain(): Promise<void> {
    const untilMono = this.clock.monoMs() + this.graceMs;
    await this.operations?.stop(this.graceMs);
    const leftMs = Math.max(0, untilMono - this.clock.monoMs());
    await Promise.all(this.runtimes.map((runtime) => runtime.drain(leftMs)));
  }

  get isClosed(): boolean {
    return this.closing !== null;
  }

  /** The store is the last to be closed: what is still to be written down is. */
  close(): Promise<void> {
    return (this.closing ??= this.closeAll());
  }

  private async closeAll(): Promise<void> {
    this.running = false;
    await Promise.all(this.runtimes.map((runtime) => runtime.close()));
    await this.operations?.close();
  }

  private registered(name: string, where: string): Registered {
    const registered = this.providers.get(name);
    if (registered === undefined) throw unknownProvider(name, this.names, where);
    return registered;
  }
}
