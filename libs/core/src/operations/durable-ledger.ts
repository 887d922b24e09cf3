import { currentContext } from '../context/context.js';
import { configError } from '../errors/config-error.js';
import { copyError } from '../errors/copy-error.js';
import { copyData } from '../idempotency/copy.js';
import { conflict, endedUnknown, inProgress, waitsForItself } from '../idempotency/ends.js';
import { operationOf } from '../idempotency/keys.js';
import type { DurableRequest, Ledger, OperationRequest, OperationWork } from '../idempotency/options.js';
import { waitForRun } from '../idempotency/wait-for-run.js';
import { type Ask, begin, type BeginDeps, type Found } from './begin.js';
import { endingOf, type RunFacts, succeeded } from './ending.js';
import { answerOf, type ExistingDeps, unknown, whoLooks } from './existing.js';
import { takenOver } from './hold-keeper.js';
import { insideOf, tellInside } from './inside.js';
import { deferred, outcomeUnknown } from './ledger-errors.js';
import { keptResult } from './kept-result.js';
import { OperationRun } from './operation-run.js';
import type { Ending, Settled } from './port/hold.js';
import { isWithin, runWithin } from './within.js';

export interface DurableLedgerDeps extends BeginDeps, ExistingDeps {
  /** Of the contract as it is now. */
  rules(): Pick<RunFacts, 'maxAttempts' | 'deadOnSpentBudget' | 'checkInMs'>;
}

/** How a run of this process ended, for those who joined it. */
type End =
  | { readonly type: 'succeeded'; readonly value: unknown }
  | { readonly type: 'failed'; readonly error: unknown }
  | { readonly type: 'unknown'; readonly error: unknown }
  | { readonly type: 'deferred'; readonly retryAfterMs: number | null; readonly error: unknown }
  /** It did not run here. */
  | { readonly type: 'found'; readonly operation: Found };

class Local {
  end: (end: End) => void = () => undefined;
  readonly ended = new Promise<End>((resolve) => (this.end = resolve));

  constructor(
    readonly fingerprint: string,
    /** Of the caller who began it: that one may give up, which is no answer for the others. */
    readonly signal: AbortSignal | null,
  ) {}
}

const BY_CALLERS: Omit<DurableRequest, 'name'> = {
  invocation: null,
  lane: 'default',
  tenant: '',
  partition: '',
  orderingKey: null,
  reference: null,
  whenPostponed: 'raise',
  whenUnknown: 'raise',
};

/** The ledger of one provider whose operations outlive the process. */
export function createDurableLedger(deps: DurableLedgerDeps): Ledger {
  return new DurableLedger(deps);
}

class DurableLedger implements Ledger {
  private readonly local = new Map<string, Local>();

  constructor(private readonly deps: DurableLedgerDeps) {}

  get size(): number {
    return this.local.size;
  }

  async run<T>(request: OperationRequest, work: OperationWork<T>): Promise<T> {
    try {
      return await this.asked(request, work);
    } catch (error) {
      if (endedUnknown(error) && !request.once) tellInside(error as object, 'looked-up');
      throw error;
    }
  }

  private async asked<T>(request: OperationRequest, work: OperationWork<T>): Promise<T> {
    const { provider, scope, key, deadlineMono = Infinity, durable = { ...BY_CALLERS, name: scope } } = request;
    if (typeof key !== 'string' || key === '') {
      throw configError(provider, 'idempotency key', typeof key, 'a text that is not empty');
    }
    const byWorker = currentContext().method?.operation?.durable !== undefined;
    const ask: Ask = { id: operationOf(scope, key).id, request, durable, byWorker };
    for (let asks = 0; ; asks += 1) {
      if (request.signal?.aborted) throw request.signal.reason;
      if (asks > 0 && this.deps.access.clock.monoMs() >= deadlineMono) throw inProgress(provider, ask.id);
      const local = this.local.get(ask.id);
      if (local !== undefined && local.fingerprint !== request.fingerprint) throw conflict(provider, ask.id);
      if (isWithin(ask.id)) throw waitsForItself(provider, ask.id);
      const end = local === undefined ? await this.lead(ask, work) : await this.join(ask, local);
      if (end === null) continue;
      if (end.type === 'succeeded') return end.value as T;
      const answer =
        end.type === 'found'
          ? await answerOf(this.deps, ask, end.operation)
          : await answerOf(this.deps, ask, UNCERTAIN, end.error);
      if (answer.type === 'value') return answer.value as T;
      if (answer.type === 'unresolved') throw unresolved(ask, end.type === 'found' ? undefined : end.error);
    }
  }

  /** What another caller's run in this process gave; null = ask again. */
  private async join(ask: Ask, local: Local): Promise<Answered | null> {
    const end = await waitForRun(local.ended, ask.request, this.deps.access.clock, ask.id);
    switch (end.type) {
      case 'succeeded':
        return { type: 'succeeded', value: copyData(end.value) };
      case 'failed':
        if (local.signal?.aborted) return null;
        throw copyError(end.error);
      default:
        return this.tell(ask, end);
    }
  }

  private async lead<T>(ask: Ask, work: OperationWork<T>): Promise<Answered> {
    const { provider, fingerprint, signal = null } = ask.request;
    const { name } = ask.durable;
    const local = new Local(fingerprint, signal);
    this.local.set(ask.id, local);
    let begun: Awaited<ReturnType<typeof begin>>;
    try {
      begun = await begin(this.deps, ask);
    } catch (error) {
      this.close(ask, local, { type: 'failed', error });
      throw error;
    }
    if (begun.type === 'found') {
      this.close(ask, local, begun);
      return begun;
    }
    const { held, requests } = begun;
    const run = new OperationRun(this.deps, { name, held, requests, whoLooks: whoLooks(this.deps, ask) });
    try {
      if (signal?.aborted) throw signal.reason;
      const value = await runWithin(ask.id, () => work(run.operation, held.signal));
      run.close();
      // What is kept is a copy: the caller may do with its own what it likes.
      const kept = copyData(value);
      await run.settle(succeeded(keptResult(this.deps.watch, provider, `the result of ${name}`, value)));
      this.close(ask, local, { type: 'succeeded', value: kept });
      return { type: 'succeeded', value };
    } catch (error) {
      const ending = this.fail(ask, local, run, error);
      // Cancelling releases the caller at once; so does a deadline that passes while a write is on the wire.
      if (signal?.aborted || run.isOnWire) throw error;
      return this.tell(ask, await ending);
    }
  }

  /** Settles a run that failed, when its writes have ended. Never rejects. */
  private async fail(ask: Ask, local: Local, run: OperationRun, error: unknown): Promise<End> {
    const gaveUp = local.signal?.aborted || isCancel(error) ? 'caller' : run.held.isLive ? null : 'lost';
    await run.written();
    const { invocation, whenPostponed } = ask.durable;
    const durable = invocation !== null && whenPostponed === 'defer';
    const ending = endingOf(error, {
      ...run.facts(),
      ...this.deps.rules(),
      // One that is looked up, and that no worker may begin, finds out for itself.
      inside: durable || invocation === null ? insideOf(error) : null,
      durable,
      gaveUp,
      attempts: 0,
    });
    const end = this.endOf(ask, ending, await run.settle(ending), error);
    this.close(ask, local, end);
    return end;
  }

  private endOf({ id, request }: Ask, ending: Ending, settled: Settled | null, error: unknown): End {
    // Where the store did not answer, what was accepted is found by the next process.
    const state = settled?.type === 'settled' ? settled.state : ending.to;
    if (state === 'uncertain') return { type: 'unknown', error };
    if (settled?.type === 'stale') return { type: 'failed', error: takenOver(request.provider, id) };
    if (state !== 'waiting' && state !== 'queued') return { type: 'failed', error };
    return { type: 'deferred', retryAfterMs: ending.to === 'waiting' ? ending.dueInMs : null, error };
  }

  /** What one who asked is told of the end of a run. */
  private tell(ask: Ask, end: End): Answered {
    const { id, request, durable } = ask;
    const { provider } = request;
    switch (end.type) {
      case 'succeeded':
      case 'found':
        return end;
      case 'failed':
        throw end.error;
      case 'deferred':
        throw deferred(provider, id, end.retryAfterMs, this.deps.access.clock, end.error);
      case 'unknown':
        if (durable.whenUnknown === 'wait') return end;
        throw endedUnknown(end.error)
          ? copyError(end.error)
          : outcomeUnknown(provider, id, end.error, whoLooks(this.deps, ask));
    }
  }

  private close({ id }: Ask, local: Local, end: End): void {
    this.local.delete(id);
    local.end(end);
  }
}

function unresolved(ask: Ask, cause: unknown): Error {
  const error = unknown(ask, cause, 'person');
  tellInside(error, 'given-up');
  return error;
}

type Answered = Extract<End, { type: 'succeeded' | 'unknown' | 'found' }>;

/** A request of the operation was cancelled by the one who runs it: Axios's own name for it. */
function isCancel(error: unknown): boolean {
  return typeof error === 'object' && error !== null && (error as { code?: unknown }).code === 'ERR_CANCELED';
}

const UNCERTAIN: Found = { state: 'uncertain', cause: 'outcome-unknown', dueAtMs: null, result: null };
