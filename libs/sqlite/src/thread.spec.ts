import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { VirtualClock } from '../../testing/src/index.js';
import { resolveDriver } from './resolve-driver.js';
import { sqliteStore } from './sqlite-store.js';
import { CLAIM, inputOf, makeStore, withStore } from './store.fixture.js';

/**
 * A driver that is the real one until its n-th commit, and then does something else. It lies where an application would have
 * installed it.
 */
async function withDriver(commits: number, then: string, run: (path: string) => Promise<void>): Promise<void> {
  const made = await makeStore();
  const real = resolveDriver(null);
  const path = createRequire(import.meta.url).resolve(real.path);
  const folder = join(made.folder, 'node_modules', 'better-sqlite3');
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, 'index.js'),
    `const loaded = require(${JSON.stringify(path)});
    const Real = loaded.DatabaseSync ?? loaded;
    // As better-sqlite3 takes its values, which node:sqlite does not.
    const inArrays = (statement) =>
      Object.fromEntries(['run', 'get', 'all'].map((name) => [name, (values) => statement[name](...values)]));
    let commits = 0;
    module.exports = class {
      constructor(path) { this.real = new Real(path); }
      prepare(sql) { return inArrays(this.real.prepare(sql)); }
      close() { return this.real.close(); }
      exec(sql) {
        if (sql === 'COMMIT' && ++commits > ${commits}) { ${then} }
        return this.real.exec(sql);
      }
    };`,
  );
  const before = process.cwd();
  process.chdir(made.folder);
  try {
    await run(made.path);
  } finally {
    process.chdir(before);
    await made.destroy();
  }
}

const open = (path: string) => sqliteStore({ path, driver: 'better-sqlite3' }).open({ clock: new VirtualClock() });

describe('the thread of a store', () => {
  it.each([
    ['throws outside of any command', "setImmediate(() => { throw new Error('native trouble'); });", 'native trouble'],
    ['ends before a commit', 'process.exit(3);', 'its thread has ended'],
  ])('where it %s what was asked and not answered is rejected, and all that is asked later', async (_, then, told) => {
    await withDriver(2, then, async (path) => {
      const store = await open(path);
      expect((await store.create(inputOf('before'))).type).toBe('created');
      const asked = await Promise.allSettled([1, 2, 3].map((at) => store.create(inputOf(`k${at}`))));
      const rejected = asked.flatMap((end) => (end.status === 'rejected' ? [end.reason as unknown] : []));
      let later: unknown = null;
      while (later === null) await store.claim(CLAIM).catch((error: unknown) => (later = error));
      for (const error of [...rejected, later, await store.counts().catch((thrown: unknown) => thrown)]) {
        expect(error).toMatchObject({ name: 'SqliteStoreError', code: 'WORKER_ENDED' });
        expect(String(error)).toContain(`The store ${path} is gone`);
        expect(String(error)).toContain(told);
      }
      await store.close();
      // What was acknowledged is there for the next one, and what was rejected so is there or is not.
      const next = await sqliteStore({ path }).open({ clock: new VirtualClock() });
      const kept = (await next.list({ limit: 10 })).operations.length;
      expect(kept).toBeGreaterThanOrEqual(1 + asked.length - rejected.length);
      await next.close();
    });
  });

  it('where it ends while the file is opened the opening is rejected', async () => {
    await withDriver(0, 'process.exit(3);', async (path) => {
      await expect(open(path)).rejects.toMatchObject({
        code: 'WORKER_ENDED',
        message: expect.stringContaining(`The store ${path} cannot be opened`) as unknown,
      });
    });
  });

  it('a command that fails fails alone: what was asked with it is acknowledged', async () => {
    await withStore(async ({ store }) => {
      const created = await store.create(inputOf('k', { start: { owner: 'w', leaseMs: 1_000 } }));
      const hold = { id: inputOf('k').id, fence: (created as { fence: number }).fence };
      const never = () => store.recordAnswer(hold, 'never', { type: 'answered', status: 200, answer: null });
      const all = [store.create(inputOf('a')), never(), store.create(inputOf('b')), never(), never(), store.create(inputOf('c'))]; // prettier-ignore
      expect((await Promise.allSettled(all)).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'rejected', 'rejected', 'fulfilled']); // prettier-ignore
      expect((await store.list({ limit: 10 })).operations).toHaveLength(4);
    });
  });

  it('where a commit fails nothing of it is there, and what can be committed is', async () => {
    await withDriver(2, "if (commits === 3) { this.real.exec('ROLLBACK'); throw Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR' }); }", async (path) => {
      const store = await open(path);
      await store.create(inputOf('before'));
      const ends = await Promise.allSettled([1, 2, 3].map((at) => store.create(inputOf(`k${at}`))));
      const kept = (await store.list({ limit: 10 })).operations.map(({ id }) => id);
      for (const [at, end] of ends.entries()) {
        expect(kept.includes(inputOf(`k${at + 1}`).id)).toBe(end.status === 'fulfilled');
      }
      expect(ends.filter(({ status }) => status === 'rejected')).toHaveLength(1);
      await store.close();
    }); // prettier-ignore
  });
});

test('what one transaction answers is handed over in bites: the loop turns in between, and no answer is lost', async () => {
  const made = await makeStore();
  let monoMs = 0;
  // A machine on which each look at the clock finds it a millisecond later.
  const clock = Object.assign(new VirtualClock(), { monoMs: () => (monoMs += 1) });
  const store = await made.open({ clock });
  let turns = 0;
  let isCounting = true;
  const turn = (): void => {
    turns += 1;
    if (isCounting) setImmediate(turn);
  };
  const answeredIn: number[] = [];
  const asked = Array.from({ length: 512 }, async (_, at) => {
    await store.create(inputOf(`k${at}`));
    answeredIn.push(turns);
    return store.get(inputOf(`k${at}`).id);
  });
  setImmediate(turn);
  expect((await Promise.all(asked)).filter((operation) => operation === null)).toEqual([]);
  isCounting = false;
  const perTurn = answeredIn.map((at) => answeredIn.filter((other) => other === at).length);
  expect(Math.max(...perTurn)).toBeLessThanOrEqual(64);
  await store.close();
  await made.destroy();
});

describe('close', () => {
  it('ends after all that was asked before, rejects what is asked later, and may be called again', async () => {
    const made = await makeStore();
    const store = await made.open({ clock: new VirtualClock() });
    const asked = Promise.all(Array.from({ length: 1_500 }, (_, at) => store.create(inputOf(`k${at}`))));
    const closed = store.close();
    const late = store.create(inputOf('late')).catch((error: unknown) => error);
    await closed;
    expect((await asked).every(({ type }) => type === 'created')).toBe(true);
    expect(await late).toMatchObject({ code: 'CLOSED', message: expect.stringContaining(made.path) as unknown });
    await store.close();
    const again = await made.open({ clock: new VirtualClock() });
    expect((await again.counts()).counts).toEqual([expect.objectContaining({ count: 1_500 })]);
    await again.close();
    await made.destroy();
  });

  it('leaves no thread, handle or file of the log', async () => {
    const before = process.getActiveResourcesInfo().filter((name) => /Worker|MessagePort/.test(name)).length;
    await withStore(async ({ store }) => void (await store.create(inputOf('k'))));
    expect(process.getActiveResourcesInfo().filter((name) => /Worker|MessagePort/.test(name))).toHaveLength(before);
  });
});
