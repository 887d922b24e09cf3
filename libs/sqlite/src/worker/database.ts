/** One connection, whatever the driver. All three have the same synchronous calls. */
import { createRequire } from 'node:module';
import type { DriverName } from '../protocol.js';
import { makeFile, refuseForeignLog, StoreFileError } from './files.js';

export type Value = string | number | null | Uint8Array;

/** `better-sqlite3` and `libsql` take the values as one array too, which is the faster way; `node:sqlite` does not. */
type Values = readonly Value[] | readonly (readonly Value[])[];

interface Statement {
  run(...values: Values): { changes: number | bigint };
  get(...values: Values): unknown;
  all(...values: Values): unknown[];
  columns?(): readonly { readonly name: string }[];
  /** Rows as arrays: `better-sqlite3` and `libsql`. */
  raw?(isRaw: boolean): unknown;
  /** The same of `node:sqlite`; older ones have it not. */
  setReturnArrays?(isRaw: boolean): unknown;
}

interface Connection {
  prepare(sql: string): Statement;
  exec(sql: string): unknown;
  close(): unknown;
}

type Constructor = new (path: string) => Connection;

export interface DatabaseSettings {
  readonly path: string;
  readonly driver: DriverName;
  readonly driverPath: string;
  readonly busyMs: number;
}

/** A connection with its prepared statements: each text is prepared once. */
export class Database {
  private readonly statements = new Map<string, Statement>();
  private readonly readers = new Map<string, Reader>();

  constructor(
    private readonly connection: Connection,
    private readonly takesArrays: boolean,
  ) {}

  run(sql: string, ...values: Value[]): number {
    return Number(this.prepared(sql).run(...this.bound(values)).changes);
  }

  get<Row>(sql: string, ...values: Value[]): Row | undefined {
    const { statement, columns, blank } = this.reader(sql);
    const row = statement.get(...this.bound(values));
    return (columns === null || row === undefined ? row : named(blank, columns, row as readonly Value[])) as
      Row | undefined;
  }

  all<Row>(sql: string, ...values: Value[]): Row[] {
    const { statement, columns, blank } = this.reader(sql);
    const rows = statement.all(...this.bound(values));
    return (columns === null ? rows : rows.map((row) => named(blank, columns, row as readonly Value[]))) as Row[];
  }

  exec(sql: string): void {
    this.connection.exec(sql);
  }

  close(): void {
    this.statements.clear();
    this.readers.clear();
    this.connection.close();
  }

  private bound(values: readonly Value[]): Values {
    return this.takesArrays ? [values] : values;
  }

  private reader(sql: string): Reader {
    let reader = this.readers.get(sql);
    if (reader === undefined) {
      reader = readerOf(this.connection.prepare(sql));
      this.readers.set(sql, reader);
    }
    return reader;
  }

  private prepared(sql: string): Statement {
    let statement = this.statements.get(sql);
    if (statement === undefined) {
      statement = this.connection.prepare(sql);
      this.statements.set(sql, statement);
    }
    return statement;
  }
}

interface Reader {
  readonly statement: Statement;
  /** Of the arrays that it gives; null = it gives objects. */
  readonly columns: readonly string[] | null;
  /** A row without values. */
  readonly blank: Readonly<Record<string, Value>>;
}

/** A driver that makes objects hands each column's name over with each row: that costs more than the row. */
function readerOf(statement: Statement): Reader {
  const columns = statement.columns?.().map(({ name }) => name) ?? [];
  // Parsed and not built, for the engine keeps a wide object that was built key by key as a slow table.
  const blank = JSON.parse(`{${columns.map((name) => `${JSON.stringify(name)}:null`).join()}}`) as Reader['blank'];
  if (columns.length > 0 && statement.raw !== undefined) statement.raw(true);
  else if (columns.length > 0 && statement.setReturnArrays !== undefined) statement.setReturnArrays(true);
  else return { statement, columns: null, blank };
  return { statement, columns, blank };
}

function named(blank: Reader['blank'], columns: readonly string[], values: readonly Value[]): Record<string, Value> {
  const row = { ...blank };
  for (let at = 0; at < columns.length; at += 1) row[columns[at]!] = values[at]!;
  return row;
}

/** Opens the file, and changes nothing in one that exists. */
export function openDatabase({ path, driver, driverPath, busyMs }: DatabaseSettings): Database {
  makeFile(path);
  refuseForeignLog(path);
  const database = new Database(new (constructorOf(driver, driverPath))(path), driver !== 'node:sqlite');
  database.exec(`PRAGMA busy_timeout = ${Math.ceil(busyMs)}`);
  return database;
}

/** How the file is written, once it is known to be ours. */
export function tune(database: Database): void {
  const mode = database.get<{ journal_mode: string }>('PRAGMA journal_mode = WAL')?.journal_mode;
  if (mode !== 'wal')
    throw new StoreFileError('It cannot keep a write-ahead log here: is it on a network drive?', 'NO_WAL');
  // An acknowledged command survives the loss of power, not of the process alone.
  database.exec('PRAGMA synchronous = FULL');
  database.exec('PRAGMA cache_size = -16000');
  // Of pages: the log is written back a fourth as often as by default, for pages that many transactions change are written back once.
  database.exec('PRAGMA wal_autocheckpoint = 4000');
  // A log that a burst made long is cut to this when it is begun anew.
  database.exec('PRAGMA journal_size_limit = 67108864');
}

function constructorOf(driver: DriverName, driverPath: string): Constructor {
  const loaded: unknown = createRequire(`${process.cwd()}/`)(driverPath);
  if (driver === 'node:sqlite') return (loaded as { DatabaseSync: Constructor }).DatabaseSync;
  return typeof loaded === 'function' ? (loaded as Constructor) : (loaded as { default: Constructor }).default;
}
