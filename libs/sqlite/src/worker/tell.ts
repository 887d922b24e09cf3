/** SQLite's primary result codes that a store may meet. `node:sqlite` gives their numbers alone. */
const NAMES: Readonly<Record<number, string>> = {
  1: 'SQLITE_ERROR',
  3: 'SQLITE_PERM',
  5: 'SQLITE_BUSY',
  6: 'SQLITE_LOCKED',
  7: 'SQLITE_NOMEM',
  8: 'SQLITE_READONLY',
  10: 'SQLITE_IOERR',
  11: 'SQLITE_CORRUPT',
  13: 'SQLITE_FULL',
  14: 'SQLITE_CANTOPEN',
  17: 'SQLITE_SCHEMA',
  18: 'SQLITE_TOOBIG',
  19: 'SQLITE_CONSTRAINT',
  22: 'SQLITE_NOLFS',
  26: 'SQLITE_NOTADB',
};

/** What may be told of an error. SQLite's texts name tables and columns, never values. */
export function tell(error: unknown): { readonly message: string; readonly code: string | null } {
  const { message, code, errcode } = error as { message?: unknown; code?: unknown; errcode?: unknown };
  // An extended code has the primary one in its low byte.
  const named = typeof errcode === 'number' ? (NAMES[errcode & 0xff] ?? `SQLITE_${errcode}`) : null;
  const told = named ?? (typeof code === 'string' && code !== '' ? code : null);
  return { message: typeof message === 'string' ? message : 'The store failed.', code: told };
}
