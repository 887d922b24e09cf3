import { VirtualClock } from '../../testing/src/index.js';
import { CLAIM, inputOf, makeStore, openRaw } from './store.fixture.js';
import { MIGRATIONS } from './worker/schema.js';

/** A file as the first schema wrote it, with an operation in each state. */
function writeFirstSchema(path: string): void {
  const raw = openRaw(path);
  raw.exec('PRAGMA journal_mode = WAL');
  raw.exec('CREATE TABLE meta (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID');
  raw.exec(MIGRATIONS[0]!.sql);
  raw.exec("INSERT INTO meta VALUES ('version', 1), ('readable-from', 1)");
  raw.exec("INSERT INTO lines (id, provider, lane, tenant, open, ready) VALUES (1, 'crm', 'background', 'a', 4, 1)");
  const rows: readonly (readonly [key: string, state: string, ready: number, dueAt: number | null, more: Record<string, string | number>])[] = [
    ['queued', 'queued', 1, null, {}],
    ['waiting', 'waiting', 0, 50_000, {}],
    ['held', 'running', 0, null, { owner: 'w', lease_until: 1_000, fence: 1, deliveries: 1 }],
    ['doubt', 'uncertain', 0, 1_000, { resend_until: 0, requests: 1 }],
    ['done', 'done', 0, null, { ended_at: 10, purge_at: 9e12, result: '{"id":7}' }],
    ['dead', 'dead', 0, null, { ended_at: 10, purge_at: 9e12 }],
  ]; // prettier-ignore
  for (const [key, state, ready, dueAt, more] of rows) {
    const input = inputOf(key);
    const row = {
      id: input.id, provider: 'crm', name: input.name, state, cause: 'created', fingerprint: 'f1', lane: 'background', tenant: 'a', partition: '',
      line: 1, ready, blocked: 0, due_at: dueAt, fence: 0, created_at: 10, accepted_at: 10, updated_at: 10, payload: input.payload, ...more,
    }; // prettier-ignore
    const columns = Object.keys(row);
    raw.run(`INSERT INTO operations (${columns.join()}) VALUES (${columns.map(() => '?').join()})`, ...Object.values(row)); // prettier-ignore
    raw.run("INSERT INTO counts VALUES ('crm', 'background', ?, 1)", state);
  }
  raw.exec(
    'INSERT INTO requests (operation, step, method, sends, first_sent_at, last_sent_at, repeatable_until, state) ' +
      "SELECT seq, 's', 'POST', 1, 10, 10, 0, 'sent' FROM operations WHERE state = 'uncertain'",
  );
  raw.close();
}

test('a file of the first schema is brought to the newest, and its operations go on as they stood', async () => {
  const made = await makeStore();
  writeFirstSchema(made.path);
  const clock = new VirtualClock({ wall: 20_000 });
  const store = await made.open({ clock });
  const keysOf = (claimed: readonly { readonly operation: { readonly payload: string | null } }[]): string[] =>
    claimed.map(({ operation }) => (JSON.parse(operation.payload!) as { key: string }).key);

  expect((await store.list({ limit: 10 })).operations.map(({ state }) => state)).toEqual(['queued', 'waiting', 'running', 'uncertain', 'done', 'dead']); // prettier-ignore
  expect((await store.get(inputOf('done').id))?.result).toBe('{"id":7}');
  expect((await store.recover(10)).map(({ id }) => id)).toEqual([inputOf('held').id]);
  const first = await store.claim(CLAIM);
  expect([keysOf(first.claimed), first.nextInMs]).toEqual([['queued', 'held'], 30_000]);
  expect(keysOf((await store.claimUncertain(CLAIM)).claimed)).toEqual(['doubt']);
  await clock.advance(30_000);
  expect(keysOf((await store.claim(CLAIM)).claimed)).toEqual(['waiting']);
  expect((await store.redrive(inputOf('dead').id)).type).toBe('moved');
  await store.close();

  const raw = openRaw(made.path);
  expect(raw.get("SELECT value FROM meta WHERE name = 'version'")).toMatchObject({ value: MIGRATIONS.at(-1)!.version });
  raw.close();
  await made.destroy();
});

test('a file that was migrated and one that is new have the same schema', async () => {
  const [old, fresh] = [await makeStore(), await makeStore()];
  writeFirstSchema(old.path);
  const schemas: unknown[] = [];
  for (const made of [old, fresh]) {
    await (await made.open({ clock: new VirtualClock() })).close();
    const raw = openRaw(made.path);
    schemas.push(raw.all('SELECT type, name, sql FROM sqlite_master ORDER BY name'));
    raw.close();
    await made.destroy();
  }
  expect(schemas[0]).toEqual(schemas[1]);
});

test('versions rise by one, and none is readable from a newer one than itself', () => {
  expect(MIGRATIONS.map(({ version }) => version)).toEqual(MIGRATIONS.map((_, index) => index + 1));
  expect(MIGRATIONS.filter(({ version, readableFrom }) => readableFrom > version)).toEqual([]);
});
