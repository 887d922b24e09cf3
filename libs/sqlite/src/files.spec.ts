import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { VirtualClock } from '../../testing/src/index.js';
import { SqliteStoreError } from './store-error.js';
import { startProcess } from './processes.fixture.js';
import { sqliteStore } from './sqlite-store.js';
import { inputOf, makeStore, openRaw } from './store.fixture.js';

const clock = new VirtualClock();

async function refusalOf(path: string): Promise<SqliteStoreError> {
  const error: unknown = await sqliteStore({ path }).open({ clock }).catch((thrown: unknown) => thrown); // prettier-ignore
  expect(error).toBeInstanceOf(SqliteStoreError);
  expect((error as Error).message).toContain(`The store ${path} cannot be opened: `);
  return error as SqliteStoreError;
}

/** A store with operations in it, closed; what was acknowledged is in the file. */
async function filled(): Promise<Awaited<ReturnType<typeof makeStore>>> {
  const made = await makeStore();
  const store = await made.open({ clock });
  await Promise.all(Array.from({ length: 200 }, (_, at) => store.create(inputOf(`k${at}`))));
  await store.close();
  return made;
}

/** As a killed process leaves it: data that are in the log alone. */
async function killed(): Promise<Awaited<ReturnType<typeof makeStore>>> {
  const made = await makeStore();
  const child = startProcess({ type: 'stand-still', path: made.path });
  await child.heard('ready');
  child.process.kill('SIGKILL');
  await child.exited;
  expect(statSync(`${made.path}-wal`).size).toBeGreaterThan(100);
  return made;
}

describe('a path that holds no store is refused with its name', () => {
  it.each([
    ['a missing folder', (folder: string) => join(folder, 'none', 'x.db'), 'ENOENT'],
    ['a folder', (folder: string) => folder, 'EISDIR'],
    ['below a file', (folder: string) => (writeFileSync(join(folder, 'f'), ''), join(folder, 'f', 'x.db')), 'ENOTDIR'],
  ])('%s', async (_, pathIn, code) => {
    const made = await makeStore();
    expect((await refusalOf(pathIn(made.folder))).code).toContain(code);
    await made.destroy();
  });

  it('a folder in which nothing may be written', async () => {
    const made = await makeStore();
    const folder = process.getuid?.() === 0 ? '/proc/self' : join(made.folder, 'closed');
    if (folder !== '/proc/self') {
      mkdirSync(folder);
      chmodSync(folder, 0o500);
    }
    expect((await refusalOf(join(folder, 'x.db'))).code).toMatch(/^(EACCES|ENOENT|EPERM|EROFS)$/);
    await made.destroy();
  });
});

describe('a damaged file is refused, and not a byte of it changes', () => {
  it.each([
    ['garbage', (path: string) => writeFileSync(path, 'not a database, '.repeat(1_000)), 'SQLITE_NOTADB'],
    ['a short text', (path: string) => writeFileSync(path, 'hello'), 'SQLITE_NOTADB'],
    ['a head without its pages', (path: string) => truncateSync(path, 100), /SQLITE_(CORRUPT|NOTADB)/],
    ['a torn page', (path: string) => truncateSync(path, 6_000), /SQLITE_(CORRUPT|NOTADB)/],
    ['half of it', (path: string) => truncateSync(path, Math.floor(statSync(path).size / 8192) * 4096), 'SQLITE_CORRUPT'], // prettier-ignore
  ])('%s', async (_, damage, code) => {
    const made = await filled();
    damage(made.path);
    const before = readFileSync(made.path);
    expect((await refusalOf(made.path)).code).toMatch(code);
    expect(readFileSync(made.path).equals(before)).toBe(true);
    await made.destroy();
  });

  it.each([
    ['garbage in place of the log', (log: string) => writeFileSync(log, 'not a log at all'.repeat(500)), 'LOG_DAMAGED'],
    ['a log without its data', (log: string) => truncateSync(log.replace('-wal', ''), 0), 'LOG_WITHOUT_DATA'],
  ])('%s', async (_, damage, code) => {
    const made = await killed();
    damage(`${made.path}-wal`);
    const before = readFileSync(`${made.path}-wal`);
    expect((await refusalOf(made.path)).code).toBe(code);
    expect(readFileSync(`${made.path}-wal`).equals(before)).toBe(true);
    await made.destroy();
  });

  it('a log that was cut off within a commit is the log without that commit', async () => {
    const made = await killed();
    const log = `${made.path}-wal`;
    truncateSync(log, statSync(log).size - 1_000);
    const store = await made.open({ clock });
    expect((await store.counts()).counts).toEqual([]);
    expect((await store.create(inputOf('k'))).type).toBe('created');
    await store.close();
    await made.destroy();
  });
});

describe('a database that this version must not touch', () => {
  it('of another application is left as it is', async () => {
    const made = await makeStore();
    const raw = openRaw(made.path);
    raw.exec('CREATE TABLE operations (mine TEXT)');
    raw.close();
    const before = readFileSync(made.path);
    const error = await refusalOf(made.path);
    expect([error.code, error.message]).toEqual(['NOT_A_STORE', expect.stringContaining('a file of its own')]);
    expect(readFileSync(made.path).equals(before)).toBe(true);
    expect(existsSync(`${made.path}-wal`)).toBe(false);
    await made.destroy();
  });

  it('of a newer version is left as it is, and the error says which', async () => {
    const made = await filled();
    const raw = openRaw(made.path);
    raw.exec("UPDATE meta SET value = 99 WHERE name IN ('version', 'readable-from')");
    raw.close();
    const before = readFileSync(made.path);
    const error = await refusalOf(made.path);
    expect([error.code, error.message]).toEqual(['SCHEMA_TOO_NEW', expect.stringContaining('It has schema 99 and')]);
    expect(readFileSync(made.path).equals(before)).toBe(true);
    await made.destroy();
  });

  it('of a newer version that says older code still fits is used, and stays what it is', async () => {
    const made = await filled();
    const raw = openRaw(made.path);
    raw.exec("UPDATE meta SET value = 99 WHERE name = 'version'");
    raw.close();
    const store = await made.open({ clock });
    expect((await store.get(inputOf('k7').id))?.state).toBe('queued');
    await store.close();
    const after = openRaw(made.path);
    expect(after.get("SELECT value FROM meta WHERE name = 'version'")).toMatchObject({ value: 99 });
    after.close();
    await made.destroy();
  });
});

test('the file and its log are for their owner alone', async () => {
  const made = await makeStore();
  const store = await made.open({ clock });
  await store.create(inputOf('k'));
  for (const name of ['', '-wal', '-shm']) expect(statSync(made.path + name).mode & 0o077).toBe(0);
  await store.close();
  expect(existsSync(`${made.path}-wal`)).toBe(false);
  await made.destroy();
});

test('case 89: on a full disk what is asked is refused and nothing that was acknowledged is lost; with room it goes on', async () => {
  const made = await makeStore();
  const hooks = new URL('../../../test/support/typescript.mjs', import.meta.url).href;
  const program = new URL('./process-program.fixture.ts', import.meta.url).pathname;
  const job = JSON.stringify({ type: 'fill', path: made.path });
  // No file may grow over 2,000 blocks of 1,024 bytes; SQLite is told so, in place of a signal.
  const script = `trap '' XFSZ; ulimit -f 2000; exec "$0" --no-warnings --import "$1" "$2" '${job}'`;
  const run = spawnSync('bash', ['-c', script, process.execPath, hooks, program], { encoding: 'utf8' });
  const said = run.stdout.trim().split('\n');
  const kept = said.filter((line) => line.startsWith('made ')).map((line) => line.slice(5));
  expect([run.status, run.stderr]).toEqual([0, '']);
  expect(kept.length).toBeGreaterThan(10);
  expect(said.filter((line) => line.startsWith('refused '))).toContainEqual(expect.stringMatching(/SQLITE_(FULL|IOERR)/)); // prettier-ignore
  const store = await made.open({ clock });
  for (const key of kept) expect((await store.get(inputOf(key).id))?.state).toBe('queued');
  expect((await store.create(inputOf('more'))).type).toBe('created');
  await store.close();
  await made.destroy();
});
