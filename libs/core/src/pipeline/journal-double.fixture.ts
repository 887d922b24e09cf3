import { enterMethod } from '../context/enter.js';
import type { OperationContext } from '../context/contexts.js';
import { SluiceError } from '../errors/sluice-error.js';
import { operationOf } from '../idempotency/keys.js';
import type { OperationJournal } from '../operations/journal.js';
import type { RequestEnd, RequestRecord, StoredRequest } from '../operations/port/request.js';
import type { DurableRun, Postponed } from '../operations/trail.js';
import type { Clock } from '../time/clock.js';

/** A journal in memory that outlives the runs of its operation, as a store does. */
export class JournalDouble implements OperationJournal {
  readonly requests = new Map<string, StoredRequest>();
  /** `record POST things 0`, `answered ...`, `not-done ...`, in order. */
  readonly log: string[] = [];
  /** In place of writing it down. */
  onRecord: ((request: RequestRecord) => Promise<void>) | null = null;
  onEnded: (() => Promise<void>) | null = null;

  isOpen = true;

  constructor(private readonly clock: Clock) {}

  known(step: string): StoredRequest | undefined {
    return this.requests.get(step);
  }

  async record(request: RequestRecord): Promise<StoredRequest> {
    await this.onRecord?.(request);
    const { step } = request;
    const before = this.requests.get(step);
    const nowMs = this.clock.wallMs();
    const open = before?.state === 'sent';
    if (before?.state === 'answered' || (open && (before.repeatableUntilMs ?? Infinity) <= nowMs)) {
      throw new SluiceError({ code: 'OUTCOME_UNKNOWN', provider: 'crm', message: 'It was sent before.' });
    }
    this.log.push(`record ${step}`);
    const { repeatableForMs, ...rest } = request;
    const fresh = repeatableForMs === null ? null : repeatableForMs <= 0 ? 0 : nowMs + repeatableForMs;
    const stored: StoredRequest = {
      ...rest,
      ...(before && { providerKey: before.providerKey }),
      ...(before && before.state !== 'not-done' && { body: before.body, bodyHash: before.bodyHash, contentType: before.contentType }), // prettier-ignore
      sends: (before?.sends ?? 0) + 1,
      firstSentAtMs: before?.firstSentAtMs ?? nowMs,
      lastSentAtMs: nowMs,
      repeatableUntilMs: open ? before.repeatableUntilMs : fresh,
      state: 'sent',
      status: null,
      answer: null,
    };
    this.requests.set(step, stored);
    return stored;
  }

  async ended(step: string, end: RequestEnd): Promise<void> {
    await this.onEnded?.();
    this.log.push(`${end.type} ${step}`);
    const answer = end.type === 'answered' ? end.answer : null;
    this.requests.set(step, { ...this.requests.get(step)!, state: end.type, status: end.status, answer });
  }

  get states(): string[] {
    return [...this.requests.values()].map(({ step, state, sends }) => `${step}: ${state} (${sends})`);
  }
}

/** One run of an operation, with what it tells when it is over. */
export interface Run {
  readonly operation: OperationContext;
  readonly trail: { postponed: Postponed | null; sent: boolean; readonly late: Set<Promise<unknown>> };
  /** Runs `fn` as part of it. */
  within<T>(fn: () => T): T;
}

/** A run of always the same operation. */
export function runOf(journal: OperationJournal, clock: Clock, durable?: DurableRun): Run {
  const trail = { postponed: null, sent: false, late: new Set<Promise<unknown>>() };
  const operation = { ...operationOf('scope', 'K'), journal, trail, ...(durable && { durable }) };
  return { operation, trail, within: (fn) => enterMethod({ provider: 'crm', clock, operation }, fn) };
}
