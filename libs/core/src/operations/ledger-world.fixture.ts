import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OperationContext } from '../context/contexts.js';
import { isSluiceError, SluiceError } from '../errors/sluice-error.js';
import { fingerprintOf } from '../idempotency/keys.js';
import type { DurableRequest, Ledger, OperationRequest } from '../idempotency/options.js';
import { sqliteStore } from '../../../sqlite/src/index.js';
import { VirtualClock } from '../../../testing/src/index.js';
import { createDurableLedger } from './durable-ledger.js';
import { HoldKeeper } from './hold-keeper.js';
import type { OperationStore } from './port.js';
import type { RequestRecord, StoredRequest } from './port/request.js';
import { StoreAccess } from './store-access.js';
import type { OperationMove } from './watch.js';

export const LEASE = 30_000;
const NAME = 'Payments.pay';

/** What a write meets at the provider. */
export type Fate = 'done' | 'refused' | 'rejected' | 'lost' | 'unsent' | Promise<unknown>;

export interface Send {
  readonly operation: string;
  readonly process: string;
  readonly step: string;
  readonly keyed: boolean;
  readonly key: string;
  /** The provider said that it did not do it. */
  refused: boolean;
}

/** One store in a file, any number of processes on it, and the provider's log. */
export class LedgerWorld {
  readonly clock = new VirtualClock();
  readonly log: Send[] = [];
  readonly processes: Process[] = [];
  /** Runs under way with a hold that is live: operation ids. */
  readonly live = new Map<string, number>();
  overlaps = 0;

  private constructor(private readonly folder: string) {}

  static async begin(): Promise<LedgerWorld> {
    return new LedgerWorld(await mkdtemp(join(tmpdir(), 'sluice-ledger-')));
  }

  /** @param wrap Breaks the store. */
  async process(name: string, wrap: (store: OperationStore) => OperationStore = (store) => store): Promise<Process> {
    const path = join(this.folder, 'operations.db');
    const store = await sqliteStore({ path }).open({ clock: this.clock });
    const process = new Process(this, name, store, wrap(store));
    this.processes.push(process);
    return process;
  }

  /** Lets the stores answer all they were asked, and what follows from it happen. */
  async quiet(): Promise<void> {
    for (let round = 0; round < 6; round += 1) {
      await Promise.all(this.processes.map(({ store }) => store.get('none').catch(() => null)));
      await this.clock.advance(0);
    }
  }

  /** Time passes in steps in which stores can answer. */
  async pass(ms: number, stepMs = 1_000): Promise<void> {
    for (let left = ms; left > 0; left -= stepMs) {
      await this.quiet();
      await this.clock.advance(Math.min(left, stepMs));
    }
    await this.quiet();
  }

  /** What became of it, time passing until it has ended: `value`, or the code or message of what it threw. */
  async told(promise: Promise<unknown>, longestMs = 600_000): Promise<unknown> {
    let told: { what: unknown } | null = null;
    void promise.then(
      (what) => (told = { what }),
      (error: unknown) => (told = { what: isSluiceError(error) ? error.code : (error as Error).message }),
    );
    for (let waited = 0; told === null && waited < longestMs; waited += 100) await this.pass(100, 100);
    return (told as { what: unknown } | null)?.what ?? 'under way';
  }

  async end(): Promise<void> {
    await Promise.all(this.processes.map(({ store }) => store.close()));
    await rm(this.folder, { recursive: true, force: true });
  }
}

export class Process {
  readonly moves: OperationMove[] = [];
  readonly failures: string[] = [];
  readonly keeper: HoldKeeper;
  readonly ledger: Ledger;
  isDead = false;
  private readonly running = new Set<() => void>();

  constructor(
    readonly world: LedgerWorld,
    readonly name: string,
    readonly store: OperationStore,
    used: OperationStore,
  ) {
    const watch = {
      moved: (move: OperationMove) => void this.moves.push(move),
      failed: (_provider: string, during: string) => void this.failures.push(during),
    };
    const access = new StoreAccess(mortal(used, this), world.clock);
    this.keeper = new HoldKeeper({ access, leaseMs: LEASE, watch });
    this.ledger = createDurableLedger({
      access,
      keeper: this.keeper,
      watch,
      owner: name,
      keepMs: null,
      bounds: null,
      maxWaitMs: 300_000,
      isLookedUp: () => false,
      rules: () => ({ maxAttempts: 3, deadOnSpentBudget: false, checkInMs: 0 }),
    });
  }

  /** From now on nothing of it reaches anybody. */
  crash(): void {
    this.isDead = true;
    for (const off of this.running) off();
  }

  pay(
    work: (operation: OperationContext) => Promise<unknown>,
    more: Partial<Omit<OperationRequest, 'durable'>> & {
      readonly args?: unknown;
      readonly durable?: Partial<DurableRequest>;
    } = {},
  ): Promise<any> {
    const { args = {}, durable, ...rest } = more;
    const request: OperationRequest = {
      provider: 'crm',
      scope: NAME,
      key: 'K',
      fingerprint: fingerprintOf('crm', NAME, args),
      ...rest,
      durable: {
        name: NAME,
        invocation: null,
        lane: 'interactive',
        tenant: '',
        partition: '',
        orderingKey: null,
        reference: null,
        whenPostponed: 'raise',
        whenUnknown: 'raise',
        ...durable,
      },
    };
    return this.ledger.run(request, async (operation, lost) => {
      const { live } = this.world;
      const here = (live.get(operation.id) ?? 0) + 1;
      live.set(operation.id, here);
      let isLive = true;
      const off = (): void => {
        if (isLive) live.set(operation.id, live.get(operation.id)! - 1);
        isLive = false;
        this.running.delete(off);
      };
      this.running.add(off);
      lost!.addEventListener('abort', off);
      if (here > 1) this.world.overlaps += 1;
      try {
        return await work(operation);
      } finally {
        off();
      }
    });
  }

  private async record({ journal, trail }: OperationContext, request: RequestRecord): Promise<StoredRequest> {
    try {
      return await journal!.record(request);
    } catch (error) {
      const dueMono = this.world.clock.monoMs() + 1_000;
      if (isSluiceError(error, 'STORE_UNAVAILABLE')) trail!.postponed = { cause: 'rescheduled', dueMono };
      throw error;
    }
  }

  /** One write of an operation, as the pipeline makes it. */
  async write(operation: OperationContext, fate: Fate, keyed = false, step = 'POST pay 0'): Promise<unknown> {
    const { journal, trail, unsettled } = operation;
    const known = journal!.known(step);
    if (known?.state === 'answered') return JSON.parse(known.answer!);
    const request = await this.record(operation, {
      step,
      method: 'POST',
      route: 'pay',
      providerKey: keyed ? operation.key : null,
      bodyHash: null,
      body: null,
      contentType: null,
      repeatableForMs: keyed ? 86_400_000 : 0,
    });
    if (this.isDead) return never();
    trail!.sent = true;
    unsettled!.add(step);
    const send = { operation: operation.id, process: this.name, step, keyed, key: request.providerKey ?? '', refused: false }; // prettier-ignore
    if (fate !== 'unsent') this.world.log.push(send);
    const met = typeof fate === 'string' ? fate : await fate;
    if (this.isDead) return never();
    if (met === 'lost') {
      if (keyed) unsettled!.delete(step);
      throw keyed ? error('ATTEMPT_TIMEOUT') : error('OUTCOME_UNKNOWN');
    }
    unsettled!.delete(step);
    if (met === 'done') {
      const answer = { paid: this.world.log.length };
      await journal!.ended(step, { type: 'answered', status: 201, answer: JSON.stringify(answer) });
      return answer;
    }
    send.refused = true;
    const status = met === 'rejected' ? 422 : met === 'refused' ? 429 : null;
    await journal!.ended(step, { type: 'not-done', status });
    throw Object.assign(new Error(`answered ${status}`), { response: { status, data: { field: 'amount' } } });
  }
}

const error = (code: 'ATTEMPT_TIMEOUT' | 'OUTCOME_UNKNOWN'): SluiceError =>
  new SluiceError({ code, provider: 'crm', message: code });

export const never = (): Promise<never> => new Promise(() => undefined);

type Broken = { [Name in keyof OperationStore]?: (real: OperationStore) => OperationStore[Name] };

/** A store of which some methods do otherwise. */
export function breaking(broken: Broken): (store: OperationStore) => OperationStore {
  return (store) =>
    new Proxy(store, {
      get(target, name) {
        const other = broken[name as keyof OperationStore];
        return other === undefined
          ? (target[name as keyof OperationStore] as () => unknown).bind(target)
          : other(target);
      },
    });
}

/** The store of a process: when that is dead nothing is asked, and nothing is heard. */
function mortal(store: OperationStore, process: Process): OperationStore {
  return new Proxy(store, {
    get(target, name) {
      const method = target[name as keyof OperationStore] as (...args: unknown[]) => Promise<unknown>;
      return async (...args: unknown[]) => {
        if (process.isDead) return never();
        const answer = await method.apply(target, args);
        return process.isDead ? never() : answer;
      };
    },
  });
}
