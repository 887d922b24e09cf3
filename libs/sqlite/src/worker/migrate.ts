import { type Database, tune } from './database.js';
import { StoreFileError } from './files.js';
import type { Migration } from './schema.js';

/**
 * Brings the file to the newest schema, in one transaction. A file that is ahead is left as it is where its steps say that
 * older code still fits: a deploy that is rolled back goes on with the same file. A file that this code must not touch is
 * refused before a byte of it changes.
 */
export function migrate(database: Database, migrations: readonly Migration[]): void {
  refuseOthers(database, migrations);
  tune(database);
  database.exec('BEGIN IMMEDIATE');
  try {
    // Another process may have migrated it in between, and further than this code goes.
    refuseOthers(database, migrations);
    database.exec('CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID');
    const version = read(database, 'version');
    for (const migration of migrations) {
      if (migration.version <= version) continue;
      database.exec(migration.sql);
      write(database, 'version', migration.version);
      write(database, 'readable-from', migration.readableFrom);
    }
    database.exec('COMMIT');
  } catch (error) {
    database.exec('ROLLBACK');
    throw error;
  }
}

function refuseOthers(database: Database, migrations: readonly Migration[]): void {
  const own = migrations.at(-1)!.version;
  const tables = database.all<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'").map(({ name }) => name); // prettier-ignore
  if (tables.length === 0) return;
  if (!tables.includes('meta') || !tables.includes('operations')) {
    throw new StoreFileError('It is a database of something else. Nothing was changed: give the store a file of its own.', 'NOT_A_STORE'); // prettier-ignore
  }
  if (read(database, 'readable-from') > own) {
    throw new StoreFileError(
      `It has schema ${read(database, 'version')} and this version of nestjs-sluice knows ${own}. Nothing was changed: ` +
        'go back to the newer version, or give the store another file.',
      'SCHEMA_TOO_NEW',
    );
  }
}

function read(database: Database, name: string): number {
  return database.get<{ value: number }>('SELECT value FROM meta WHERE name = ?', name)?.value ?? 0;
}

function write(database: Database, name: string, value: number): void {
  database.run(
    'INSERT INTO meta (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
    name,
    value,
  );
}
