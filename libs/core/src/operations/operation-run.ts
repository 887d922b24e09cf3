/** One run of a held operation, by a caller or a worker: what its calls are given, and its end. */
import type { OperationContext } from '../context/contexts.js';
import type { WhoLooks } from '../errors/unknown-outcome.js';
import type { RunFacts } from './ending.js';
import type { HeldOperation } from './hold-keeper.js';
import type { Ending, Settled } from './port/hold.js';
import type { StoredRequest } from './port/request.js';
import { settleHold } from './settle-hold.js';
import type { StoreAccess } from './store-access.js';
import { StoreJournal } from './store-journal.js';
import type { DurableRun, OperationTrail, Postponed } from './trail.js';
import type { OperationWatch } from './watch.js';

export interface RunDeps {
  readonly access: StoreAccess;
  readonly watch: OperationWatch;
}

export interface RunStart {
  readonly name: string;
  readonly held: HeldOperation;
  /** What earlier runs left. */
  readonly requests: readonly StoredRequest[];
  /** Who finds out where its outcome is unknown. */
  readonly whoLooks: WhoLooks;
  /** Absent = somebody waits for it. */
  readonly durable?: DurableRun;
}

/** Promises, until they are settled. */
class UnderWay extends Set<Promise<unknown>> {
  override add(work: Promise<unknown>): this {
    const over = (): void => void this.delete(work);
    work.then(over, over);
    return super.add(work);
  }
}

export class OperationRun {
  readonly operation: OperationContext;
  private readonly journal: StoreJournal;
  private readonly trail: OperationTrail & {
    postponed: Postponed | null;
    readonly late: Set<Promise<unknown>>;
    readonly onWire: Set<Promise<unknown>>;
  };

  constructor(
    private readonly deps: RunDeps,
    private readonly start: RunStart,
  ) {
    const { held, requests, whoLooks, durable } = start;
    const { id } = held.hold;
    this.journal = new StoreJournal({ access: deps.access, held, requests, watch: deps.watch, whoLooks });
    const owesRetry = durable !== undefined && durable.failures > 0;
    this.trail = { postponed: null, sent: false, owesRetry, late: new UnderWay(), onWire: new UnderWay() };
    this.operation = {
      id,
      // Requests that no run has written down yet get their keys from it, so it is the same in every process.
      key: id,
      ordinals: new Map(),
      unsettled: new Set(),
      journal: this.journal,
      trail: this.trail,
      whoLooks,
      ...(durable && { durable }),
    };
  }

  get held(): HeldOperation {
    return this.start.held;
  }

  /** Whether writes of it are on the wire though their caller gave up. */
  get isOnWire(): boolean {
    return this.trail.late.size > 0;
  }

  /** Its method has given its result: what that did not wait for, and has not left, is not sent. */
  close(): void {
    this.journal.close();
  }

  /** Its method has ended: resolves when nothing of it is on the wire and the store has heard of all ends. */
  async written(): Promise<void> {
    this.close();
    const { late, onWire } = this.trail;
    while (late.size + onWire.size > 0) await Promise.allSettled([...late, ...onWire]);
    await this.journal.written();
  }

  /** What it tells for `endingOf`: to be asked after {@link written}. */
  facts(): Pick<RunFacts, 'sent' | 'unsettled' | 'postponed' | 'nowMono'> {
    return {
      // The journal knows better than the trail, which counts refused ones too; but some calls keep none.
      sent: this.journal.isEmpty ? this.trail.sent : this.journal.sent,
      unsettled: this.operation.unsettled!.size > 0,
      postponed: this.trail.postponed,
      nowMono: this.deps.access.clock.monoMs(),
    };
  }

  /** As {@link settleHold}. */
  settle(ending: Ending): Promise<Settled | null> {
    const { access, watch } = this.deps;
    const { held, name } = this.start;
    const { hold, provider } = held;
    const settling = settleHold({ access, watch, hold, provider, name, from: 'running' }, ending);
    return settling.finally(() => held.release());
  }
}
