import { SluiceError } from '../errors/sluice-error.js';
import type { WhoLooks } from '../errors/unknown-outcome.js';
import { stillUnknown } from '../idempotency/ends.js';
import { type HeldOperation, takenOver } from './hold-keeper.js';
import type { OperationJournal } from './journal.js';
import type { Recorded, RequestEnd, RequestRecord, StoredRequest } from './port/request.js';
import type { StoreAccess } from './store-access.js';
import type { OperationWatch } from './watch.js';

export interface StoreJournalDeps {
  readonly access: StoreAccess;
  readonly held: HeldOperation;
  /** What earlier runs left. */
  readonly requests: readonly StoredRequest[];
  readonly watch: OperationWatch;
  /** Who finds out where the outcome of one is unknown. */
  readonly whoLooks: WhoLooks;
}

/** The requests of one held operation, in its store. */
export class StoreJournal implements OperationJournal {
  private readonly requests = new Map<string, StoredRequest>();
  /** What the store is being told, step by step: of one step one thing after the other. */
  private readonly writing = new Map<string, Promise<void>>();
  private readonly recording = new Map<string, number>();
  private isClosed = false;

  constructor(private readonly deps: StoreJournalDeps) {
    for (const request of deps.requests) this.requests.set(request.step, request);
  }

  get isOpen(): boolean {
    return !this.isClosed && this.deps.held.isLive;
  }

  /** Its run is over: what that did not wait for, and has not left, is not sent. */
  close(): void {
    this.isClosed = true;
  }

  get isEmpty(): boolean {
    return this.requests.size === 0;
  }

  /** Whether a write of it may have left, in this run or an earlier one. */
  get sent(): boolean {
    for (const { state } of this.requests.values()) if (state !== 'not-done') return true;
    return false;
  }

  known(step: string): StoredRequest | undefined {
    return this.requests.get(step);
  }

  async record(request: RequestRecord): Promise<StoredRequest> {
    const { access, held, whoLooks } = this.deps;
    const { hold, provider } = held;
    if (this.isClosed) throw runIsOver(provider, hold.id);
    if (!held.isLive) throw takenOver(provider, hold.id);
    const { step } = request;
    await this.writing.get(step);
    // That a repeat is taken back does not say that the first send did not happen.
    const openBefore = this.requests.get(step)?.state === 'sent';
    this.recording.set(step, (this.recording.get(step) ?? 0) + 1);
    let recorded: Recorded;
    try {
      recorded = await access.ask(
        provider,
        (store) => store.recordRequest(hold, request),
        (answering) => this.takeBack(step, answering),
      );
    } finally {
      this.recording.set(step, this.recording.get(step)! - 1);
    }
    switch (recorded.type) {
      case 'recorded':
        this.requests.set(step, recorded.request);
        // The lease may have ended while the answer was on its way: then another may have begun, and this one must not.
        if (held.isLive) return recorded.request;
        if (!openBefore) await this.ended(step, { type: 'not-done', status: null });
        throw takenOver(provider, hold.id);
      case 'answered':
      case 'not-repeatable':
        this.requests.set(step, recorded.request);
        throw stillUnknown(provider, hold.id, undefined, whoLooks);
      case 'too-large':
        throw tooLarge(provider, hold.id, recorded.limit);
      case 'stale':
        held.lost();
        throw takenOver(provider, hold.id);
    }
  }

  ended(step: string, end: RequestEnd): Promise<void> {
    const known = this.requests.get(step);
    if (known !== undefined) this.requests.set(step, { ...known, ...answerOf(end) });
    return this.write(step, end);
  }

  /** Resolves when the store has heard all of it, or failed to. */
  async written(): Promise<void> {
    while (this.writing.size > 0) await Promise.all(this.writing.values());
  }

  /** What was refused because the store was slow may be written down all the same, and was not sent. */
  private takeBack(step: string, answering: Promise<Recorded>): void {
    const takenBack = answering.then(({ type }) => {
      // A later try may have written it down again, and be on the wire.
      const isSent = this.requests.get(step)?.state === 'sent' || this.recording.get(step)! > 0;
      return type === 'recorded' && !isSent ? this.tell(step, { type: 'not-done', status: null }) : undefined;
    });
    const { access, held } = this.deps;
    this.queue(
      step,
      access.ask(held.provider, () => takenBack).catch(() => undefined),
    );
  }

  private write(step: string, end: RequestEnd): Promise<void> {
    const before = this.writing.get(step);
    return this.queue(step, before === undefined ? this.tell(step, end) : before.then(() => this.tell(step, end)));
  }

  private async tell(step: string, end: RequestEnd): Promise<void> {
    const { access, held, watch } = this.deps;
    const { hold, provider } = held;
    try {
      const { type } = await access.ask(provider, (store) => store.recordAnswer(hold, step, end));
      if (type === 'stale') held.lost();
    } catch (error) {
      watch.failed(provider, 'answer', error);
    }
  }

  private queue(step: string, work: Promise<void>): Promise<void> {
    const writing = work.then(() => {
      if (this.writing.get(step) === writing) this.writing.delete(step);
    });
    this.writing.set(step, writing);
    return writing;
  }
}

function answerOf(end: RequestEnd): Pick<StoredRequest, 'state' | 'status' | 'answer'> {
  return { state: end.type, status: end.status, answer: end.type === 'answered' ? end.answer : null };
}

function runIsOver(provider: string, operationId: string): SluiceError {
  return new SluiceError({
    code: 'OPERATION_IN_PROGRESS',
    provider,
    operationId,
    message:
      `Provider "${provider}": the run of operation ${operationId} has ended, and this request came after; it was not sent. ` +
      'Await all requests in the method that makes them.',
  });
}

function tooLarge(provider: string, operationId: string, limit: number): SluiceError {
  return new SluiceError({
    code: 'PAYLOAD_TOO_LARGE',
    provider,
    operationId,
    message:
      `Provider "${provider}": a request of operation ${operationId} has a body of more than the ${limit} bytes that the store accepts; ` +
      'it was not sent. Send less at once, or raise the bound of the store.',
  });
}
