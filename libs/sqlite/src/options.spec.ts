import { mkdtempSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { VirtualClock } from '../../testing/src/index.js';
import { resolveDriver } from './resolve-driver.js';
import { sqliteStore } from './sqlite-store.js';
import { CLAIM, inputOf, makeStore, withStore } from './store.fixture.js';

describe('options that make no sense are refused where they are given, with their name and value', () => {
  it.each([
    [undefined, 'sqliteStore(options) is undefined'],
    [{}, 'sqliteStore({ path }) is undefined'],
    [{ path: '' }, 'sqliteStore({ path }) is ""'],
    [{ path: ':memory:' }, 'sqliteStore({ path }) is ":memory:"'],
    [{ path: 'x', driver: 'sqlite3' }, 'sqliteStore({ driver }) is "sqlite3"; expected one of node:sqlite, libsql'],
    [{ path: 'x', serializer: { encode: () => 1 } }, 'sqliteStore({ serializer })'],
    [{ path: 'x', maxPayloadBytes: 0 }, 'sqliteStore({ maxPayloadBytes }) is 0; expected a whole number from 1'],
    [{ path: 'x', keepDoneMs: -1 }, 'sqliteStore({ keepDoneMs }) is -1'],
    [{ path: 'x', keepDeadMs: '90d' }, 'sqliteStore({ keepDeadMs }) is "90d"'],
    [{ path: 'x', busyMs: NaN }, 'sqliteStore({ busyMs }) is NaN'],
    [{ path: 'x', busyMs: 3e9 }, 'sqliteStore({ busyMs }) is 3000000000; expected a whole number from 0 to 2147483647'],
    [{ path: 'x', bounds: { perLane: 0 } }, 'sqliteStore({ bounds: { perLane } }) is 0'],
    [{ path: 'x', bounds: { perTenant: 1.5 } }, 'sqliteStore({ bounds: { perTenant } }) is 1.5'],
  ])('%j', (options, message) => {
    expect(() => sqliteStore(options as never)).toThrow(message);
  });
});

test('a relative path is of the folder in which the process was when it made the store', async () => {
  const made = await makeStore();
  const before = process.cwd();
  process.chdir(made.folder);
  const relative = sqliteStore({ path: 'operations.db' });
  process.chdir(before);
  await (await relative.open({ clock: new VirtualClock() })).close();
  const store = await made.open({ clock: new VirtualClock() });
  await store.close();
  await made.destroy();
});

describe('the driver', () => {
  it('that is not installed is named, with the command that installs one', async () => {
    const [before, argv] = [process.cwd(), process.argv];
    const folder = mkdtempSync(join(tmpdir(), 'sluice-'));
    process.chdir(folder);
    process.argv = [argv[0]!, join(folder, 'main.js')];
    try {
      expect(() => resolveDriver('libsql')).toThrow(/the driver libsql is not there.*npm install libsql/);
      await expect(sqliteStore({ path: 'x.db', driver: 'better-sqlite3' }).open({ clock: new VirtualClock() })).rejects.toMatchObject({ code: 'CONFIG' }); // prettier-ignore
    } finally {
      process.chdir(before);
      process.argv = argv;
    }
  });

  it('is the one of Node where it has one, else one that the application installed', () => {
    expect(resolveDriver(null).name).toBe(isBuiltin('node:sqlite') ? 'node:sqlite' : 'libsql');
    expect(resolveDriver('libsql').path).toMatch(/libsql/);
  });

  it('libsql is taken where it is asked for, whatever Node has', async () => {
    await withStore(async ({ store }) => void expect((await store.create(inputOf('k'))).type).toBe('created'), { driver: 'libsql' }); // prettier-ignore
  });
});

describe('what is over a bound is refused before it is stored', () => {
  it('arguments, a position and a request; a result and an answer are not kept, and what happened has happened', async () => {
    await withStore(
      async ({ store }) => {
        const start = { owner: 'w', leaseMs: 1_000 };
        const big = 'x'.repeat(101);
        expect(await store.create(inputOf('big', { payload: big }))).toEqual({ type: 'refused', code: 'PAYLOAD_TOO_LARGE', of: 'payload', limit: 100 }); // prettier-ignore
        expect((await store.create(inputOf('fits', { payload: 'x'.repeat(100) }))).type).toBe('created');
        // Bytes, not letters.
        expect((await store.create(inputOf('euro', { payload: '€'.repeat(34) }))).type).toBe('refused');
        await store.create(inputOf('k', { start }));
        const hold = { id: inputOf('k').id, fence: 1 };
        const request = { step: 's', method: 'POST', route: null, providerKey: null, bodyHash: null, contentType: null, repeatableForMs: 0 }; // prettier-ignore
        expect(await store.recordRequest(hold, { ...request, body: Buffer.from(big) })).toEqual({ type: 'too-large', limit: 100 }); // prettier-ignore
        expect(await store.checkpoint(hold, big)).toEqual({ type: 'too-large', limit: 100 });
        expect(await store.requests(hold.id)).toEqual([]);
        await store.recordRequest(hold, { ...request, body: null });
        expect(await store.recordAnswer(hold, 's', { type: 'answered', status: 200, answer: big })).toMatchObject({ kept: false }); // prettier-ignore
        expect(await store.settle(hold, { to: 'done', cause: 'completed', result: big })).toMatchObject({ state: 'done', kept: false }); // prettier-ignore
        expect((await store.get(hold.id))?.result).toBeNull();
      },
      { maxPayloadBytes: 100 },
    );
  });

  it('a duration, a count or a page that is none is an error with its name', async () => {
    await withStore(async ({ store }) => {
      await expect(store.renew([], NaN)).rejects.toThrow('leaseMs is NaN');
      await expect(store.claim({ ...CLAIM, limit: 0 })).rejects.toThrow('limit is 0');
      await expect(store.list({ limit: 1, after: "1' OR 1" })).rejects.toThrow('after is');
    });
  });
});

test('what ended is forgotten in bounded bites, with all that belongs to it', async () => {
  await withStore(
    async ({ store, clock }) => {
      for (let at = 0; at < 25; at += 1) await store.create(inputOf(`k${at}`, { tenant: `t${at}` }));
      const { claimed } = await store.claim({ provider: 'crm', owner: 'w', leaseMs: 1_000, limit: 25, lanes: [] });
      for (const { operation } of claimed) await store.settle(operation, { to: 'dead', cause: 'rejected', error: null }); // prettier-ignore
      expect(await store.purge(100)).toBe(0);
      await clock.advance(5_000);
      expect([await store.purge(10), await store.purge(10), await store.purge(10), await store.purge(10)]).toEqual([10, 10, 5, 0]); // prettier-ignore
      expect(await store.counts()).toEqual({ counts: [], ages: [] });
    },
    { keepDeadMs: 5_000 },
  );
});
