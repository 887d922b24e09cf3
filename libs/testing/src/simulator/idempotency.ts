import type { SimulatedAnswer } from './answer.js';
import type { SimulatedRequest } from './request.js';

/** How the provider honours idempotency keys. */
export interface SimulatedIdempotency {
  /** Default: `idempotency-key`. */
  readonly header?: string;
  /** Field of a JSON body that carries the key instead. */
  readonly bodyField?: string;
  /** How long a key is remembered. Default: 24 h. */
  readonly retentionMs?: number;
  /** Answer to a key that came with another request before. Default: 422. */
  readonly conflictStatus?: number;
  /** Answer to a key whose first request is still under way. Default: 409. */
  readonly inUseStatus?: number;
}

const DEFAULT_RETENTION_MS = 86_400_000;

interface Remembered {
  readonly fingerprint: string;
  readonly atMs: number;
  /** Null while the first request is under way. */
  answer: SimulatedAnswer | null;
}

/** What the book of keys says about a request: go on as usual, or answer so. */
export type KeyVerdict =
  { readonly type: 'new'; readonly key: string | null } | { readonly type: 'answer'; readonly answer: SimulatedAnswer };

/** Remembers what was answered to which key. A failure (5xx) or an execution that never answered leaves the key as it is known by then. */
export class KeyBook {
  private readonly entries = new Map<string, Remembered>();

  constructor(private readonly options: SimulatedIdempotency) {}

  look(request: SimulatedRequest, nowMs: number): KeyVerdict {
    const key = this.keyOf(request);
    if (key === null) return { type: 'new', key: null };
    const known = this.entries.get(key);
    const fingerprint = `${request.method} ${request.path}\n${request.text}`;
    if (known === undefined || nowMs - known.atMs >= (this.options.retentionMs ?? DEFAULT_RETENTION_MS)) {
      this.entries.set(key, { fingerprint, atMs: nowMs, answer: null });
      return { type: 'new', key };
    }
    if (known.fingerprint !== fingerprint)
      return conflict(this.options.conflictStatus ?? 422, 'The key was used for another request.');
    if (known.answer === null)
      return conflict(this.options.inUseStatus ?? 409, 'A request with this key is under way.');
    return {
      type: 'answer',
      answer: { ...known.answer, headers: { ...known.answer.headers, 'idempotent-replayed': 'true' } },
    };
  }

  /** The request with this key was executed. */
  executed(key: string | null, answer: SimulatedAnswer): void {
    if (key === null) return;
    const known = this.entries.get(key);
    if (known === undefined) return;
    if (answer.status >= 500) this.entries.delete(key);
    else known.answer = answer;
  }

  /** The request with this key ended without having been executed: the key is free again. */
  dropped(key: string | null): void {
    if (key !== null && this.entries.get(key)?.answer === null) this.entries.delete(key);
  }

  private keyOf(request: SimulatedRequest): string | null {
    const { header = 'idempotency-key', bodyField } = this.options;
    if (bodyField === undefined) return request.headers[header.toLowerCase()] ?? null;
    const value = (request.body as Record<string, unknown> | undefined)?.[bodyField];
    return typeof value === 'string' ? value : null;
  }
}

const conflict = (status: number, error: string): KeyVerdict => ({
  type: 'answer',
  answer: { status, body: { error } },
});
