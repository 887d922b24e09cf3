import { AsyncLocalStorage } from 'node:async_hooks';
import { LRUCache } from 'lru-cache';
import type { OperationContext } from '../context/contexts.js';
import { configError } from '../errors/config-error.js';
import { copyError } from '../errors/copy-error.js';
import type { Clock } from '../time/clock.js';
import { copyData } from './copy.js';
import { conflict, endedUnknown, full, stillUnknown, waitsForItself } from './ends.js';
import { operationOf } from './keys.js';
import type { Ledger, OperationRequest, OperationWork } from './options.js';
import { waitForRun } from './wait-for-run.js';

export interface LedgerDeps {
  readonly clock: Clock;
  /** How long a finished or unknown operation is remembered, in ms. At least 1. */
  readonly retentionMs: number;
  /** Finished operations remembered, least recently asked for forgotten first; and as many under way or unknown, which are never forgotten before their time. */
  readonly maxEntries: number;
}

/** How a run ended; its value is nobody's own. */
type End =
  | { readonly type: 'succeeded'; readonly value: unknown }
  | { readonly type: 'failed'; readonly error: unknown }
  | { readonly type: 'unknown'; readonly error: unknown };

interface Finished {
  readonly fingerprint: string;
  readonly value: unknown;
}

interface Running {
  readonly type: 'running';
  readonly fingerprint: string;
  /** Of the caller who began it: that one may give up, which is no answer for the others. */
  readonly signal: AbortSignal | null;
  readonly ended: Promise<End>;
}

interface Unknown {
  readonly type: 'unknown';
  readonly fingerprint: string;
  readonly error: unknown;
  readonly untilMono: number;
}

/** The runs that the running code is part of: one that waits for itself would wait for ever. */
const within = new AsyncLocalStorage<readonly Running[]>();

export function createLedger(deps: LedgerDeps): Ledger {
  return new MemoryLedger(deps);
}

class MemoryLedger implements Ledger {
  private readonly finished: LRUCache<string, Finished>;
  private readonly open = new Map<string, Running | Unknown>();

  constructor(private readonly deps: LedgerDeps) {
    const { clock, maxEntries, retentionMs } = deps;
    this.finished = new LRUCache({
      max: maxEntries,
      ttl: Math.max(1, Math.ceil(retentionMs)),
      // It takes moment 0 for "never", and would keep the time in a timer of its own.
      perf: { now: () => clock.monoMs() + 1 },
      ttlResolution: 0,
    });
  }

  get size(): number {
    this.finished.purgeStale();
    this.forgetOldUnknowns();
    return this.finished.size + this.open.size;
  }

  async run<T>(request: OperationRequest, work: OperationWork<T>): Promise<T> {
    const { provider, scope, key, fingerprint } = request;
    if (typeof key !== 'string' || key === '') {
      throw configError(provider, 'idempotency key', typeof key, 'a text that is not empty');
    }
    const operation = operationOf(scope, key);
    for (;;) {
      if (request.signal?.aborted) throw request.signal.reason;
      const done = this.finished.get(operation.key);
      const open = done === undefined ? this.openOf(operation.key) : undefined;
      const known = done ?? open;
      if (known === undefined) return this.begin(request, operation, work);
      if (known.fingerprint !== fingerprint) throw conflict(provider, operation.id);
      if (done !== undefined) return copyData(done.value) as T;
      if (open?.type === 'unknown') throw stillUnknown(provider, operation.id, open.error, 'caller');
      if (open?.type === 'running') {
        if (within.getStore()?.includes(open)) throw waitsForItself(provider, operation.id);
        const end = await waitForRun(open.ended, request, this.deps.clock, operation.id);
        if (end.type === 'succeeded') return copyData(end.value) as T;
        if (end.type === 'unknown') throw stillUnknown(provider, operation.id, end.error, 'caller');
        if (!open.signal?.aborted) throw copyError(end.error);
      }
    }
  }

  private async begin<T>(request: OperationRequest, operation: OperationContext, work: OperationWork<T>): Promise<T> {
    const { provider, fingerprint, signal = null } = request;
    if (this.open.size >= this.deps.maxEntries) this.forgetOldUnknowns();
    if (this.open.size >= this.deps.maxEntries) throw full(provider, operation.id, this.deps.maxEntries);
    let end: (end: End) => void = () => undefined;
    const ended = new Promise<End>((resolve) => (end = resolve));
    const running: Running = { type: 'running', fingerprint, signal, ended };
    this.open.set(operation.key, running);
    try {
      const value = await within.run([...(within.getStore() ?? []), running], () => work(operation));
      // What is kept is a copy: the caller may do with its own what it likes.
      const kept = copyData(value);
      this.open.delete(operation.key);
      this.finished.set(operation.key, { fingerprint, value: kept });
      end({ type: 'succeeded', value: kept });
      return value;
    } catch (error) {
      const unknown = endedUnknown(error) || (operation.unsettled?.size ?? 0) > 0;
      if (unknown) {
        const untilMono = this.deps.clock.monoMs() + this.deps.retentionMs;
        this.open.set(operation.key, { type: 'unknown', fingerprint, error, untilMono });
      } else {
        this.open.delete(operation.key);
      }
      end({ type: unknown ? 'unknown' : 'failed', error });
      throw error;
    }
  }

  private openOf(key: string): Running | Unknown | undefined {
    const open = this.open.get(key);
    if (open?.type !== 'unknown' || open.untilMono > this.deps.clock.monoMs()) return open;
    this.open.delete(key);
    return undefined;
  }

  private forgetOldUnknowns(): void {
    for (const key of this.open.keys()) this.openOf(key);
  }
}
