import { Claims, GIVEN_BACK } from './claims.js';
import { endingOf, type RunFacts, succeeded } from './ending.js';
import type { HeldOperation } from './hold-keeper.js';
import { insideOf } from './inside.js';
import type { Job, JobWork } from './jobs.js';
import { keptResult } from './kept-result.js';
import { OperationRun } from './operation-run.js';
import type { Claimed } from './port/claim.js';
import type { Ending } from './port/hold.js';
import { storedErrorOf } from './stored-error-of.js';
import { runWithin } from './within.js';
import { invocationOf, unknownName, type WorkerDeps } from './worker-deps.js';

/** Work that this process has no handler for is left to others for so long, in ms: another version may know it. */
const UNKNOWN_NAME_MS = 60_000;

/** Runs the stored operations of one provider, a few at a time. */
export class Worker {
  readonly claims: Claims;
  private readonly strangers = new Set<string>();

  constructor(
    private readonly deps: WorkerDeps,
    private readonly rules: () => Pick<RunFacts, 'maxAttempts' | 'deadOnSpentBudget' | 'checkInMs'>,
  ) {
    const lanes = (): string[] => deps.runtime.contract.lanes.map(({ name }) => name);
    this.claims = new Claims(deps, {
      to: 'running',
      ask: (store, request) => store.claim({ ...request, lanes: lanes() }),
      workOf: (claimed, held) => this.workOf(claimed, held),
    });
  }

  private workOf(claimed: Claimed, held: HeldOperation): JobWork {
    const run = this.runOf(claimed, held);
    return {
      perform: (job) => this.perform(claimed, run, job),
      giveBack: async () => void (await run.settle(GIVEN_BACK)),
    };
  }

  private runOf({ operation, requests }: Claimed, held: HeldOperation): OperationRun {
    const { access, watch, maxHoldMs, places, handlers } = this.deps;
    const whoLooks = (handlers.get(operation.name)?.reconcile ?? null) === null ? 'caller' : 'reconcile';
    const durable = { maxHoldMs, failures: operation.attempts };
    const run = new OperationRun({ access, watch }, { name: operation.name, held, requests, whoLooks, durable });
    places.open(run.operation, held, operation.checkpoint);
    return run;
  }

  private async perform(claimed: Claimed, run: OperationRun, job: Job): Promise<void> {
    const ending = await this.endOf(claimed, run, job);
    if (!job.isGone) await run.settle(ending);
  }

  private async endOf(claimed: Claimed, run: OperationRun, { held, stop }: Job): Promise<Ending> {
    const { operation } = claimed;
    const handler = this.deps.handlers.get(operation.name);
    if (this.claims.isStopping) return GIVEN_BACK;
    if (handler === undefined) return this.left(operation.name);
    let invocation;
    try {
      invocation = invocationOf(claimed);
    } catch (error) {
      return { to: 'dead', cause: 'unreadable', error: storedErrorOf(error) };
    }
    try {
      const signal = AbortSignal.any([held.signal, stop]);
      const value = await runWithin(operation.id, () => handler.run(invocation, run.operation, signal));
      // As it is now: writes that are still on the wire belong to it, and take their time.
      const result = keptResult(
        this.deps.watch,
        this.deps.runtime.contract.name,
        `the result of ${operation.name}`,
        value,
      );
      await run.written();
      return succeeded(result);
    } catch (error) {
      const gaveUp = stop.aborted ? 'shutdown' : held.isLive ? null : 'lost';
      await run.written();
      const { attempts } = operation;
      return endingOf(error, {
        ...run.facts(),
        ...this.rules(),
        inside: insideOf(error),
        durable: true,
        gaveUp,
        attempts,
      });
    }
  }

  /** Another version of the application may know it. */
  private left(name: string): Ending {
    if (!this.strangers.has(name)) {
      this.strangers.add(name);
      this.deps.watch.failed(this.deps.runtime.contract.name, `no method ${name}`, unknownName(name));
    }
    return { to: 'waiting', cause: 'rescheduled', dueInMs: UNKNOWN_NAME_MS, error: storedErrorOf(unknownName(name)) };
  }
}
