import { configError } from '../../core/src/index.js';
import { MAX_MS } from './inputs.js';
import type { SqliteStoreOptions } from './options.js';

/** The least and the most of each number. SQLite counts milliseconds in 32 bits, and a row is held in memory as a whole. */
const NUMBERS = {
  maxPayloadBytes: [1, 100_000_000],
  keepDoneMs: [0, MAX_MS],
  keepDeadMs: [0, MAX_MS],
  busyMs: [0, 2_147_483_647],
} as const;
const DRIVERS = ['node:sqlite', 'libsql', 'better-sqlite3'];

/** @throws SluiceError CONFIG for the first option that makes no sense. */
export function checkOptions(options: SqliteStoreOptions): void {
  if (typeof options !== 'object' || options === null) {
    throw configError(null, 'sqliteStore(options)', options, 'an object with the path of a file');
  }
  const { path, driver, serializer, bounds } = options;
  if (typeof path !== 'string' || path === '' || path === ':memory:') {
    throw configError(null, 'sqliteStore({ path })', path, 'the path of a file');
  }
  if (driver !== undefined && !DRIVERS.includes(driver)) {
    throw configError(null, 'sqliteStore({ driver })', driver, `one of ${DRIVERS.join(', ')}`);
  }
  if (
    serializer !== undefined &&
    (typeof serializer.encode !== 'function' || typeof serializer.decode !== 'function')
  ) {
    throw configError(
      null,
      'sqliteStore({ serializer })',
      serializer,
      'an object with the functions encode and decode',
    );
  }
  for (const [name, [least, most]] of Object.entries(NUMBERS)) {
    checkNumber(`sqliteStore({ ${name} })`, options[name as keyof typeof NUMBERS], least, most);
  }
  for (const name of ['perLane', 'perTenant'] as const) {
    checkNumber(`sqliteStore({ bounds: { ${name} } })`, bounds?.[name], 1, Number.MAX_SAFE_INTEGER);
  }
}

function checkNumber(option: string, value: number | undefined, least: number, most: number): void {
  if (value === undefined || (Number.isInteger(value) && value >= least && value <= most)) return;
  throw configError(null, option, value, `a whole number from ${least} to ${most}`);
}
