// Work for the store of operations, and for the bare driver.
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { operationId, SystemClock } from '../dist/esm/core/src/index.js';
import { sqliteStore } from '../dist/esm/sqlite/src/index.js';

/** Callers that make operations, and workers that take and end them, each waiting for one answer at a time. */
export const MAKERS = 384;
export const WORKERS = 4;
export const PER_CLAIM = 64;
const RAW_OPERATIONS = 400;

export const payload = JSON.stringify({ customer: 4_711, lines: [{ sku: 'A-17', amount: 3 }], note: 'x'.repeat(120) });
export const claimOf = (limit) => ({ provider: 'crm', owner: 'bench', leaseMs: 60_000, limit, lanes: ['background'] });

/** Ids are made by whoever asks: they are ready before the store is measured. */
export const idsOf = (count, prefix) =>
  Array.from({ length: count }, (_, at) => operationId('crm', 'Invoices.create', `${prefix}${at}`));

const inputOf = (id) => ({
  id,
  provider: 'crm',
  name: 'Invoices.create',
  fingerprint: 'f1',
  lane: 'background',
  tenant: `t${id.charCodeAt(0) % 4}`,
  partition: '',
  orderingKey: null,
  reference: null,
  payload,
  start: null,
  dueInMs: 0,
  keepMs: null,
  bounds: { perLane: 1e7, perTenant: 1e7 },
});

export async function withFile(run) {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-'));
  try {
    return await run(join(folder, 'operations.db'), folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

export const openStore = (path) => sqliteStore({ path }).open({ clock: new SystemClock() });

export function openRaw(path) {
  const require = createRequire(import.meta.url);
  if (isBuiltin('node:sqlite')) return new (require('node:sqlite').DatabaseSync)(path);
  return new (require('libsql'))(path);
}

/** Makes, claims and ends an operation of each id. */
export async function cycle(store, ids) {
  const operations = ids.length;
  let made = 0;
  let ended = 0;
  const make = async () => {
    while (made < operations) {
      made += 1;
      await store.create(inputOf(ids[made - 1]));
    }
  };
  const work = async () => {
    while (ended < operations) {
      const { claimed } = await store.claim(claimOf(PER_CLAIM));
      const done = ({ operation }) => store.settle(operation, { to: 'done', cause: 'completed', result: '{"id":7}' });
      await Promise.all(claimed.map(done));
      ended += claimed.length;
    }
  };
  await Promise.all([...Array.from({ length: MAKERS }, make), ...Array.from({ length: WORKERS }, work)]);
}

/** The same three writes of each operation on the bare driver, each in a transaction of its own. Returns cycles a second. */
export function throughDriver(path) {
  const database = openRaw(path);
  database.exec('PRAGMA journal_mode = WAL');
  database.exec('PRAGMA synchronous = FULL');
  database.exec('CREATE TABLE jobs (id TEXT PRIMARY KEY, state TEXT, payload TEXT, result TEXT)');
  database.exec("CREATE INDEX jobs_state ON jobs (state) WHERE state = 'queued'");
  const insert = database.prepare("INSERT INTO jobs VALUES (?, 'queued', ?, NULL)");
  const take = database.prepare(
    "UPDATE jobs SET state = 'running' WHERE id = (SELECT id FROM jobs WHERE state = 'queued' LIMIT 1) RETURNING id",
  );
  const end = database.prepare("UPDATE jobs SET state = 'done', result = ? WHERE id = ?");
  const ids = idsOf(RAW_OPERATIONS, 'k');
  const started = performance.now();
  for (const id of ids) {
    insert.run(id, payload);
    end.run('{"id":7}', take.all()[0].id);
  }
  const perSecond = (RAW_OPERATIONS / (performance.now() - started)) * 1_000;
  database.close();
  return perSecond;
}
