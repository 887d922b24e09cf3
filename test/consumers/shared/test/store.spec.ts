import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqliteStore, SqliteStoreError } from 'nestjs-sluice/sqlite';
import { storeConformance, VirtualClock } from 'nestjs-sluice/testing';

/** A file of its own for each check. */
async function makeStore() {
  const folder = mkdtempSync(join(tmpdir(), 'consumer-'));
  return {
    open: sqliteStore({ path: join(folder, 'operations.db') }).open,
    destroy: async () => rmSync(folder, { recursive: true }),
  };
}

describe('the durable store in this project', () => {
  for (const { name, run } of storeConformance(makeStore).slice(0, 12)) it(name, run);

  it('says what is wrong with its file', async () => {
    const clock = new VirtualClock();
    const error: unknown = await sqliteStore({ path: join(tmpdir(), 'no', 'such', 'folder.db') }).open({ clock }).catch((reason: unknown) => reason); // prettier-ignore
    expect(error).toBeInstanceOf(SqliteStoreError);
    expect(error).toMatchObject({ code: 'ENOENT' });
  });
});
