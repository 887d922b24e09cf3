// Claims from a file as a year of work leaves it.
import { statSync } from 'node:fs';
import { claimOf, openRaw, openStore, payload, withFile } from './store-load.mjs';
import { load, syncs } from './store-machine.mjs';
import { median } from './rounds.mjs';

const FINISHED = 1_000_000;
const WAITING = 100_000;
const TENANTS = 1_000;
const CLAIMS = 2_000;
/** Claims between two looks at the memory and the disk. */
const PER_PART = CLAIMS / 4;

async function fill(path) {
  await (await openStore(path)).close();
  const database = openRaw(path);
  const now = Date.now();
  const rows = (count, from, state, more) =>
    `INSERT INTO operations (id, provider, name, state, cause, fingerprint, lane, tenant, partition, line, ready, blocked, fence,
       created_at, accepted_at, updated_at, payload${more.map(([column]) => `, ${column}`).join('')})
     WITH RECURSIVE n(i) AS (SELECT ${from} UNION ALL SELECT i + 1 FROM n WHERE i < ${from + count - 1})
     SELECT 'id-' || i, 'crm', 'Invoices.create', '${state}', 'created', 'f1', 'background', 't' || (i % ${TENANTS}), '', 1 + i % ${TENANTS},
       ${state === 'queued' ? 1 : 0}, 0, 0, ${now}, ${now}, ${now}, '${payload}'${more.map(([, value]) => `, ${value}`).join('')} FROM n`;
  database.exec('BEGIN');
  database.exec(`INSERT INTO lines (id, provider, lane, tenant, open, ready)
    WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${TENANTS - 1})
    SELECT i + 1, 'crm', 'background', 't' || i, ${WAITING / TENANTS}, 1 FROM n`);
  database.exec(rows(FINISHED, 0, 'done', [['ended_at', now], ['purge_at', now + 1e9], ['result', `'{"id":7}'`]])); // prettier-ignore
  database.exec(rows(WAITING, FINISHED, 'queued', []));
  database.exec(`INSERT INTO counts VALUES ('crm', 'background', 'done', ${FINISHED}), ('crm', 'background', 'queued', ${WAITING})`); // prettier-ignore
  database.exec('COMMIT');
  database.close();
}

/** All in ms and MB; the disk is measured between the claims, for each of them waits for one sync. */
export const claimsOfMany = () =>
  withFile(async (path, folder) => {
    await fill(path);
    const store = await openStore(path);
    const claims = [];
    const memory = [];
    const disk = [];
    const look = () => {
      globalThis.gc?.();
      memory.push(process.memoryUsage().rss / 1e6);
      disk.push(...syncs(folder, 50));
    };
    for (let at = 0; at < CLAIMS; at += 1) {
      if (at % PER_PART === 0) look();
      const started = performance.now();
      const { claimed } = await store.claim(claimOf(1));
      claims.push(performance.now() - started);
      await store.settle(claimed[0].operation, { to: 'done', cause: 'completed', result: null });
    }
    look();
    const started = performance.now();
    await store.list({ state: 'queued', limit: 100 });
    await store.counts();
    const looked = performance.now() - started;
    await store.close();
    claims.sort((a, b) => a - b);
    return {
      median: median(claims),
      p99: claims[Math.floor(CLAIMS * 0.99)],
      syncMs: median(disk),
      load: load(),
      looked,
      memory,
      fileMb: statSync(path).size / 1e6,
    };
  });
