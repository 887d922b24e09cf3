import { configError } from '../errors/config-error.js';
import type { Ledger } from '../idempotency/options.js';
import type { ProviderRuntime } from '../pipeline/runtime.js';
import { createDurableLedger } from './durable-ledger.js';
import type { RunFacts } from './ending.js';
import type { OperationHandler } from './handler.js';
import { Reconciler } from './reconciler.js';
import { Worker } from './worker.js';
import type { WorkerDeps } from './worker-deps.js';
import type { OperationMove } from './watch.js';

/** What became uncertain is looked up so soon at the latest, in ms: what was slow to arrive is there by then. */
const FIRST_CHECK_MS = 1_000;

/** The operations of one provider. */
export class ProviderOperations {
  readonly ledger: Ledger;
  readonly handlers = new Map<string, OperationHandler>();
  private readonly worker: Worker;
  private readonly reconciler: Reconciler;

  constructor(
    readonly runtime: ProviderRuntime,
    deps: Omit<WorkerDeps, 'runtime' | 'handlers'>,
  ) {
    const rules = (): Pick<RunFacts, 'maxAttempts' | 'deadOnSpentBudget' | 'checkInMs'> => {
      const { retry, reconcile } = runtime.contract;
      return {
        maxAttempts: retry.maxAttempts,
        deadOnSpentBudget: retry.budget?.onSpent === 'dead-letter',
        checkInMs: Math.min(FIRST_CHECK_MS, reconcile.settleTimeMs),
      };
    };
    const { access, keeper, watch, owner } = deps;
    this.ledger = createDurableLedger({
      access,
      keeper,
      watch,
      owner,
      rules,
      keepMs: null,
      bounds: null,
      isLookedUp: (name) => (this.handlers.get(name)?.reconcile ?? null) !== null,
      get maxWaitMs() {
        return runtime.contract.timeouts.totalMs;
      },
    });
    const shared: WorkerDeps = { ...deps, runtime, handlers: this.handlers };
    this.worker = new Worker(shared, rules);
    this.reconciler = new Reconciler(shared);
  }

  /** @throws SluiceError CONFIG where the name is taken. */
  register(handler: OperationHandler): void {
    const { name, provider } = handler;
    if (this.handlers.has(name)) {
      throw configError(provider, '@Durable({ name })', name, 'a name that no other method of this provider has: what is stored is found by it'); // prettier-ignore
    }
    this.handlers.set(name, handler);
  }

  start(): void {
    // What cannot be run here is run elsewhere.
    if (this.handlers.size > 0) this.worker.claims.start();
    this.reconciler.claims.start();
  }

  async stop(graceMs: number): Promise<void> {
    await Promise.all([this.worker.claims.stop(graceMs), this.reconciler.claims.stop(graceMs)]);
  }

  /** There may be something to do now. */
  wake(): void {
    this.worker.claims.wake();
    this.reconciler.claims.wake();
  }

  moved({ to }: OperationMove): void {
    if (to === 'uncertain') this.reconciler.claims.wake();
    // What ends frees the next of its order.
    else if (to !== 'running' && to !== 'reconciling') this.worker.claims.wake();
  }
}
