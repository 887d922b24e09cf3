/** A command of the store that failed. Its text names no value that was stored. */
export class SqliteStoreError extends Error {
  override readonly name = 'SqliteStoreError';

  constructor(
    message: string,
    /**
     * SQLite's own code (`SQLITE_FULL`), the system's (`EACCES`), or one of `CLOSED`, `WORKER_ENDED`, `UNREADABLE`, `NOT_A_STORE`,
     * `SCHEMA_TOO_NEW`, `LOG_DAMAGED`, `LOG_WITHOUT_DATA`, `NO_WAL`.
     */
    readonly code: string | null,
  ) {
    super(message);
  }
}
