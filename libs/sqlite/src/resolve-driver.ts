import { createRequire, isBuiltin } from 'node:module';
import { join } from 'node:path';
import { SluiceError } from '../../core/src/index.js';
import type { DriverName } from './protocol.js';

export interface Driver {
  readonly name: DriverName;
  /** What the worker requires. */
  readonly path: string;
}

/**
 * The driver that was asked for, or the first that is there. Peers are looked for where the application stands, then where
 * its main file is: they are its dependencies.
 *
 * @throws SluiceError CONFIG that names the command to install one.
 */
export function resolveDriver(wanted: DriverName | null): Driver {
  for (const name of wanted === null ? (['node:sqlite', 'libsql', 'better-sqlite3'] as const) : [wanted]) {
    const path = name === 'node:sqlite' ? builtin(name) : installed(name);
    if (path !== null) return { name, path };
  }
  const missing = wanted === null ? 'no SQLite driver is there' : `the driver ${wanted} is not there`;
  throw new SluiceError({
    code: 'CONFIG',
    message:
      `nestjs-sluice/sqlite: ${missing} (looked for from ${lookedFrom().join(' and ')}). ` +
      'Use Node 22.13 or later, which has one built in, or: npm install libsql',
  });
}

function builtin(name: string): string | null {
  return isBuiltin(name) ? name : null;
}

function installed(name: string): string | null {
  for (const from of lookedFrom()) {
    try {
      return createRequire(from).resolve(name);
    } catch {
      continue;
    }
  }
  return null;
}

function lookedFrom(): readonly string[] {
  const main = process.argv[1];
  return [join(process.cwd(), 'index.js'), ...(main === undefined ? [] : [main])];
}
