/** What is written of one stage. It names limits and nothing else: no partition, tenant or credential. */
import type { Saved } from '../books/saved.js';

export interface BookRecord {
  readonly saved: Saved;
  /** May have been used since, without another word; null = all of it. */
  readonly more: number | null;
  /** The provider said that nothing is left for so long. */
  readonly shutForUs: number;
}

export interface PermitsRecord {
  /** At most so many were held. */
  readonly held: number;
  /** For so long at most; null = for as long as an attempt can take, from whenever its process ended. */
  readonly forUs: number | null;
}

export interface StageRecord {
  /** Wall time in ms, and the gate's own time in microseconds, when it was written. */
  readonly wallMs: number;
  readonly gateUs: number;
  /** By name of the limit. */
  readonly books: Readonly<Record<string, BookRecord>>;
  readonly permits: Readonly<Record<string, PermitsRecord>>;
  readonly pause: {
    readonly forUs: number;
    readonly lastedUs: number;
    readonly step: number;
    readonly hinted: boolean;
    readonly tested: boolean;
  } | null;
  /** The breaker was open for so long yet. */
  readonly breakerForUs: number | null;
}

/** Whoever keeps a book of its own: a process. */
export interface OwnerRecord {
  readonly wallMs: number;
  /** It goes on, or was killed: what it has not written may have been used. */
  readonly open: boolean;
  /** Wall time in ms of the latest start after a process that had not ended in order; null = none that matters. */
  readonly gapMs: number | null;
}

/** @throws TypeError, SyntaxError when it is none. */
export function stageRecordOf(text: string): StageRecord {
  const record = objectOf(JSON.parse(text));
  for (const name of ['wallMs', 'gateUs']) finite(record[name]);
  const { pause, breakerForUs } = record;
  for (const book of Object.values(objectOf(record['books']))) {
    const { saved, more, shutForUs } = objectOf(book);
    objectOf(saved);
    if (more !== null) finite(more);
    finite(shutForUs);
  }
  for (const permits of Object.values(objectOf(record['permits']))) {
    const { held, forUs } = objectOf(permits);
    finite(held);
    if (forUs !== null) finite(forUs);
  }
  if (pause !== null) for (const name of ['forUs', 'lastedUs', 'step']) finite(objectOf(pause)[name]);
  if (breakerForUs !== null) finite(breakerForUs);
  return record as unknown as StageRecord;
}

/** @throws TypeError, SyntaxError when it is none. */
export function ownerRecordOf(text: string): OwnerRecord {
  const record = objectOf(JSON.parse(text));
  finite(record['wallMs']);
  if (typeof record['open'] !== 'boolean') throw new TypeError('No word on its end.');
  if (record['gapMs'] !== null) finite(record['gapMs']);
  return record as unknown as OwnerRecord;
}

function objectOf(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null) throw new TypeError('Not an object.');
  return value as Record<string, unknown>;
}

function finite(value: unknown): void {
  if (typeof value !== 'number' || !Number.isFinite(value)) throw new TypeError('Not a number.');
}
