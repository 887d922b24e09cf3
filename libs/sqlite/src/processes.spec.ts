import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startProcess } from './processes.fixture.js';
import { inputOf, openRaw, withStore } from './store.fixture.js';

describe('several processes of one host', () => {
  it('share the file: each operation is run once, by whichever process, and all are done', async () => {
    await withStore(async ({ store, path, folder }) => {
      const keys = Array.from({ length: 300 }, (_, index) => `k${index}`);
      await Promise.all(keys.map((key, at) => store.create(inputOf(key, { tenant: `t${at % 7}` }))));
      const log = join(folder, 'log');
      const children = ['one', 'two', 'three'].map((name) => startProcess({ type: 'work', path, name, log }));
      const ends = await Promise.all(children.map(({ exited }) => exited));
      expect([ends, children.flatMap(({ lines }) => lines).filter((line) => !/^(ready|settled)/.test(line))]).toEqual([
        [{ code: 0, signal: null }, { code: 0, signal: null }, { code: 0, signal: null }], // prettier-ignore
        [],
      ]);
      const runs = readFileSync(log, 'utf8').trim().split('\n').map((line) => line.split(' ')); // prettier-ignore
      expect(runs.map(([id]) => id).sort()).toEqual(keys.map((key) => inputOf(key).id).sort());
      expect((await store.counts()).counts).toEqual([expect.objectContaining({ state: 'done', count: 300 })]);
    });
  });

  it('one that stood still past its lease changes nothing when it goes on: another has done its work', async () => {
    await withStore(async ({ store, path, folder }) => {
      await store.create(inputOf('k'));
      const still = startProcess({ type: 'hold', path });
      expect(await still.heard('holds')).toBe('holds 1');
      const log = join(folder, 'log');
      const other = startProcess({ type: 'work', path, name: 'other', log, aheadMs: 600_000 });
      expect((await other.exited).code).toBe(0);
      expect(readFileSync(log, 'utf8')).toBe(`${inputOf('k').id} 2 other\n`);
      still.process.kill('SIGCONT');
      expect(await still.heard('told')).toBe('told stale');
      await still.exited;
      expect((await store.get(inputOf('k').id))?.result).toBe('"other"');
    });
  });

  it('all may open a new file at the same moment', async () => {
    await withStore(async ({ folder }) => {
      const path = join(folder, 'new.db');
      const children = Array.from({ length: 5 }, () => startProcess({ type: 'ask-and-leave', path }));
      const ends = await Promise.all(children.map(({ exited }) => exited));
      expect([ends.map(({ code }) => code), children.flatMap(({ lines }) => lines)]).toEqual([Array(5).fill(0), Array(5).fill('made')]); // prettier-ignore
      const raw = openRaw(path);
      expect(raw.get('SELECT count(*) AS count FROM operations')).toEqual(expect.objectContaining({ count: 1 }));
      raw.close();
    });
  });

  it('one that ends without closing its store ends at once, and its last word counts', async () => {
    await withStore(async ({ store, path }) => {
      const child = startProcess({ type: 'ask-and-leave', path });
      expect(await child.exited).toEqual({ code: 0, signal: null });
      expect((await store.get(inputOf('asked').id))?.state).toBe('queued');
    });
  });

  it('a store waits for another process that writes, and goes on when that is through', async () => {
    await withStore(async ({ store, path }) => {
      const writer = openRaw(path);
      writer.exec('BEGIN IMMEDIATE');
      let made = false;
      const created = store.create(inputOf('k')).then(() => (made = true));
      // Nothing tells that the thread waits by now; if it does not yet, the test is easier.
      await new Promise((resolve) => setTimeout(resolve, 50));
      expect(made).toBe(false);
      writer.exec('COMMIT');
      await created;
      writer.close();
    });
  });

  it('and where that takes longer than busyMs all that was asked fails with one wait, and the next is served', async () => {
    await withStore(
      async ({ store, path }) => {
        const writer = openRaw(path);
        writer.exec('BEGIN IMMEDIATE');
        const started = performance.now();
        const ends = await Promise.allSettled(Array.from({ length: 50 }, (_, index) => store.create(inputOf(`k${index}`)))); // prettier-ignore
        expect(performance.now() - started).toBeLessThan(5_000);
        for (const end of ends) expect(end).toMatchObject({ reason: { name: 'SqliteStoreError', code: 'SQLITE_BUSY' } }); // prettier-ignore
        expect(String((ends[0] as PromiseRejectedResult).reason)).toContain(`The store ${path} did not run "create"`);
        writer.exec('COMMIT');
        writer.close();
        expect((await store.create(inputOf('k0'))).type).toBe('created');
      },
      { busyMs: 300 },
    );
  });
});
