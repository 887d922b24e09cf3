import { Inject, Injectable } from '@nestjs/common';
import type {
  BackfillSource,
  Deferred,
  ListQuery,
  OperationCounts,
  OperationsRuntime,
  OperationState,
} from '../../../core/src/index.js';
import { declaresObservable } from '../guard/method-site.js';
import { applicationStopped, operationsNeedStore } from '../operations.messages.js';
import { SLUICE_APPLICATION } from '../rate-limit.constants.js';
import type { SluiceApplication } from '../sluice-application.js';
import { deferRequest } from './defer-request.js';
import type { DeferOptions, ListedOperations, WaitOptions } from './operations.options.js';
import type { ArgumentsOf, ServiceClass } from './method-types.js';
import { detailsOf, type OperationDetails, viewOf } from './operation-view.js';

/** Operations on a page, unless one says otherwise. */
const DEFAULT_PAGE = 100;

/** Stored work: to put it to the queue, to follow it, and to settle what a person has to. All of it needs a durable store. */
@Injectable()
export class Operations {
  constructor(@Inject(SLUICE_APPLICATION) private readonly application: SluiceApplication) {}

  /**
   * Puts an invocation of a `@Durable` method to the queue; a worker of any process of the application runs it.
   *
   * @throws SluiceError CONFIG where the method is not durable or an argument cannot be stored; IDEMPOTENCY_CONFLICT where its
   *   key was used with other arguments; QUEUE_FULL; PAYLOAD_TOO_LARGE; STORE_UNAVAILABLE. Nothing is stored then.
   */
  async defer<T extends object, K extends keyof T>(
    service: ServiceClass<T>,
    method: K,
    args: ArgumentsOf<T[K]>,
    options: DeferOptions = {},
  ): Promise<Deferred> {
    const runtime = this.runtime('defer');
    return runtime.defer(deferRequest(this.application, service, method as string | symbol, args, options));
  }

  /** Null = there is none, or it ended and was forgotten. With `args: true` its arguments too. */
  async get(id: string, { args = false }: { readonly args?: boolean } = {}): Promise<OperationDetails | null> {
    const operation = await this.runtime('get').get(id);
    return operation === null ? null : detailsOf(operation, args);
  }

  /** A page of at most `limit`, 100 unless it is given, of all operations or those of one provider or state. */
  async list({ limit = DEFAULT_PAGE, ...query }: Partial<ListQuery> = {}): Promise<ListedOperations> {
    const { operations, next } = await this.runtime('list').list({ ...query, limit });
    return { operations: operations.map(viewOf), next };
  }

  /** How many there are of each provider, lane and state, and how old the oldest are. */
  async counts(): Promise<OperationCounts> {
    return this.runtime('counts').counts();
  }

  /**
   * Waits until it has ended: its `state` tells how.
   *
   * @throws SluiceError OPERATION_IN_PROGRESS at the deadline; CONFIG for an id that nobody knows; the signal's reason.
   */
  async wait(id: string, options: WaitOptions = {}): Promise<OperationDetails> {
    return detailsOf(await this.runtime('wait').wait(id, options), false);
  }

  /**
   * One that is dead once more.
   *
   * @returns Its state now: `uncertain` where a write of it may have happened and may not be repeated.
   * @throws SluiceError CONFIG where it is in no state for that.
   */
  async redrive(id: string): Promise<OperationState> {
    return this.runtime('redrive').redrive(id);
  }

  /** Gives up what nobody is running. `why` is stored with it. @throws SluiceError CONFIG where it is in no state for that. */
  async discard(id: string, why: string): Promise<OperationState> {
    return this.runtime('discard').discard(id, why);
  }

  /**
   * Says by hand that an uncertain or dead operation is done, with that result; `why` is stored with it.
   *
   * @throws SluiceError CONFIG where it is in no state for that, or the result is no plain data.
   */
  async resolve(id: string, result: unknown, why: string): Promise<OperationState> {
    const runtime = this.runtime('resolve');
    const operation = await runtime.get(id);
    const stored = operation === null ? undefined : this.application.stored.get(operation.name);
    const isList = stored !== undefined && declaresObservable(stored.method);
    return runtime.resolve(id, isList ? [result] : result, why);
  }

  /**
   * One that waits, whatever for, or is to be looked up: it is due now. What does not let it through puts it off again.
   *
   * @returns Its state, which stays.
   * @throws SluiceError CONFIG where it is neither.
   */
  async hasten(id: string): Promise<OperationState> {
    return this.runtime('hasten').hasten(id);
  }

  /**
   * Inside a `@Durable` method that a worker runs: reads a source in batches, and goes on after a crash behind the last batch
   * that was stored.
   *
   * @throws SluiceError CONFIG outside of such a run.
   */
  async backfill<Item>(source: BackfillSource<Item>): Promise<void> {
    return this.runtime('backfill').backfill(source);
  }

  private runtime(what: string): OperationsRuntime {
    const { operations } = this.application;
    if (operations === null) throw operationsNeedStore(what);
    if (this.application.isClosed) throw applicationStopped(null);
    return operations;
  }
}
