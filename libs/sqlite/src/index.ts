export type { Serializer, SqliteStoreOptions } from './options.js';
export { sqliteStore } from './sqlite-store.js';
export { SqliteStoreError } from './store-error.js';
