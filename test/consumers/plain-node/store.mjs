// A store opens by import and by require alike, where a driver is; where none is its error says what to install.
import 'reflect-metadata';
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { VirtualClock } from 'nestjs-sluice/testing';
import * as imported from 'nestjs-sluice/sqlite';

const required = createRequire(import.meta.url)('nestjs-sluice/sqlite');
const folder = mkdtempSync(join(tmpdir(), 'consumer-'));
const path = join(folder, 'operations.db');
for (const { sqliteStore } of [imported, required]) {
  const opened = sqliteStore({ path }).open({ clock: new VirtualClock() });
  if (isBuiltin('node:sqlite')) {
    const store = await opened;
    await store.saveUsed('crm', [{ key: 'day', value: '17' }], 60_000);
    assert.deepEqual(await store.loadUsed('crm'), [{ key: 'day', value: '17' }]);
    await store.close();
  } else {
    await assert.rejects(opened, { code: 'CONFIG', message: /npm install libsql/ });
  }
}
rmSync(folder, { recursive: true });
console.log('store: ok');
