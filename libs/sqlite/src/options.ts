import { resolve } from 'node:path';
import type { StoreBounds } from '../../core/src/index.js';
import type { DriverName } from './protocol.js';

/** Turns what is stored into something else and back: encryption, above all. Both must be pure and synchronous. */
export interface Serializer {
  /** @throws for what it cannot write: arguments, a position and a request are refused then; a result, an answer or an error is not kept. */
  encode(plain: Uint8Array): Uint8Array;
  /** @throws for what it cannot read; that operation ends in `dead`, cause `unreadable`. */
  decode(stored: Uint8Array): Uint8Array;
}

export interface SqliteStoreOptions {
  /** The file; it is made where there is none, for its owner alone. Several processes of one host may share it; a network drive may not hold it. */
  readonly path: string;
  /** Default: `node:sqlite` where this Node has it, else `libsql`, else `better-sqlite3`, whichever is installed. */
  readonly driver?: DriverName;
  /** Applied to arguments, results, positions, errors and the bodies of requests and answers. Default: none. */
  readonly serializer?: Serializer;
  /** Default: 100,000 open operations of a lane, 10,000 of a tenant in it. */
  readonly bounds?: Partial<StoreBounds>;
  /** Largest arguments, position, result, request body or answer, in bytes as stored. Default: 262,144. */
  readonly maxPayloadBytes?: number;
  /** What is done is kept for so long, where its operation does not say otherwise, in ms. Default: a day. */
  readonly keepDoneMs?: number;
  /** Dead letters and what was discarded, in ms. Default: 90 days. */
  readonly keepDeadMs?: number;
  /** Longest wait for another process that writes, in ms. Default: 5,000. */
  readonly busyMs?: number;
}

export interface ResolvedOptions extends Required<Omit<SqliteStoreOptions, 'driver' | 'serializer' | 'bounds'>> {
  readonly driver: DriverName | null;
  readonly serializer: Serializer | null;
  readonly bounds: StoreBounds;
}

const DAY_MS = 86_400_000;

export function resolveOptions(options: SqliteStoreOptions): ResolvedOptions {
  return {
    path: resolve(options.path),
    driver: options.driver ?? null,
    serializer: options.serializer ?? null,
    bounds: { perLane: 100_000, perTenant: 10_000, ...options.bounds },
    maxPayloadBytes: options.maxPayloadBytes ?? 262_144,
    keepDoneMs: options.keepDoneMs ?? DAY_MS,
    keepDeadMs: options.keepDeadMs ?? 90 * DAY_MS,
    busyMs: options.busyMs ?? 5_000,
  };
}
