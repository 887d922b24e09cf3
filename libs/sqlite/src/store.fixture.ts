import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CreateOperation, operationId, type OperationStore } from '../../core/src/index.js';
import { VirtualClock } from '../../testing/src/index.js';
import type { SqliteStoreOptions } from './options.js';
import { resolveDriver } from './resolve-driver.js';
import { sqliteStore } from './sqlite-store.js';
import { type Database, openDatabase } from './worker/database.js';

/** A file of its own in a folder of its own. */
export async function makeStore(options: Partial<SqliteStoreOptions> = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-'));
  const path = join(folder, 'operations.db');
  return {
    path,
    folder,
    open: sqliteStore({ path, ...options }).open,
    /** As after a deploy with other options. */
    reopen: (other: Partial<SqliteStoreOptions>, clock: VirtualClock) =>
      sqliteStore({ path, ...other }).open({ clock }),
    destroy: () => rm(folder, { recursive: true, force: true }),
  };
}

/** One open store on a virtual clock, gone after the test. */
export async function withStore(
  run: (context: { store: OperationStore; clock: VirtualClock; path: string; folder: string }) => Promise<void>,
  options: Partial<SqliteStoreOptions> = {},
): Promise<void> {
  const made = await makeStore(options);
  const clock = new VirtualClock();
  const store = await made.open({ clock });
  try {
    await run({ store, clock, path: made.path, folder: made.folder });
  } finally {
    await store.close();
    await made.destroy();
  }
}

/** The file as it is, beside the store: the judge of what was stored. */
export function openRaw(path: string): Database {
  const driver = resolveDriver(null);
  return openDatabase({ path, driver: driver.name, driverPath: driver.path, busyMs: 1_000 });
}

export function inputOf(key: string, more: Partial<CreateOperation> = {}): CreateOperation {
  return {
    id: operationId('crm', 'Invoices.create', key),
    provider: 'crm',
    name: 'Invoices.create',
    fingerprint: 'f1',
    lane: 'background',
    tenant: 'a',
    partition: '',
    orderingKey: null,
    reference: null,
    payload: JSON.stringify({ key }),
    start: null,
    dueInMs: 0,
    keepMs: null,
    bounds: null,
    ...more,
  };
}

export const CLAIM = { provider: 'crm', owner: 'w', leaseMs: 60_000, limit: 5, lanes: ['background'] };
