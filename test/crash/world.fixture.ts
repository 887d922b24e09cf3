/** A provider that lives on, a store that outlives its processes, and what both say when all is over. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type SimulatedRequest, SeededRandom } from 'nestjs-sluice/testing';
import { auditOf, type Findings } from '../../apps/invoice-run/src/books.js';
import type { RunSettings } from '../../apps/invoice-run/src/run-app.js';
import { timesheets } from '../../apps/invoice-run/src/timesheets.js';
import { type AccountingOptions, startAccounting } from '../../apps/provider-simulator/src/accounting.js';
import { openRaw } from '../../libs/sqlite/src/store.fixture.js';

/** Fast enough for many kills: a lease lasts a second, an effect is there within 1.5 s. */
const SPEED = 20;
/** Long enough for a busy machine: what is uncertain here is so because a process ended. */
const ATTEMPT_MS = 8_000;

export interface OperationRow {
  readonly name: string;
  readonly state: string;
  readonly cause: string;
  readonly deliveries: number;
  readonly error: string | null;
}

export interface World {
  readonly settings: RunSettings;
  /** By the provider's books, of the first `sheets` timesheets without the first `from`. */
  audit(from: number, sheets: number): Findings;
  /** By the file itself, without the store's code. */
  rows(): OperationRow[];
  destroy(): Promise<void>;
}

export interface WorldOptions extends Pick<AccountingOptions, 'lateShare' | 'failingShare' | 'slowInvoice'> {
  readonly keys: boolean;
  readonly seed: number;
  readonly onRequest: (request: SimulatedRequest) => void;
  /** Longest time the provider works on a request, before it takes effect or after. */
  readonly maxLatencyMs: number;
}

export async function openWorld({ keys, seed, maxLatencyMs, ...options }: WorldOptions): Promise<World> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-crash-'));
  const random = new SeededRandom(seed);
  const api = await startAccounting({
    ...options,
    speed: SPEED,
    idempotencyKeys: keys,
    latencyMs: () => Math.floor(random.next() * maxLatencyMs),
  });
  const path = join(folder, 'operations.db');
  return {
    settings: { url: api.url, speed: SPEED, attemptMs: ATTEMPT_MS, keys, path, from: 0, sheets: 0 },
    audit: (from, sheets) => auditOf(api, timesheets(sheets).slice(from)),
    rows() {
      const raw = openRaw(path);
      try {
        return raw.all<OperationRow>('SELECT name, state, cause, deliveries, error FROM operations');
      } finally {
        raw.close();
      }
    },
    async destroy() {
      await api.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** What the books say of a run that went as it should. */
export const RIGHT: Findings = { missing: [], twice: [], notSent: [], sentTwice: [] };

/** Operations that have not ended. */
export function openOf(rows: readonly OperationRow[]): OperationRow[] {
  return rows.filter(({ state }) => !['done', 'dead', 'discarded'].includes(state));
}
