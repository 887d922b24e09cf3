import { type DurableStore, MAX_DELIVERIES, TRANSITIONS } from '../../core/src/index.js';
import { Channel } from './channel.js';
import { checkOptions } from './check-options.js';
import { Codec } from './codec.js';
import { SqliteOperationStore } from './operation-store.js';
import { resolveOptions, type SqliteStoreOptions } from './options.js';
import { resolveDriver } from './resolve-driver.js';

/**
 * The embedded durable store: one SQLite file, written by a thread of its own. What it has acknowledged survives the loss
 * of power (`synchronous = FULL`); what many ask at once shares one wait for the disk.
 *
 * Loss policy: nothing open is ever dropped. What is over the bounds is refused. What is done is forgotten after its time,
 * and its key with it; dead letters after `keepDeadMs`. A result or answer over `maxPayloadBytes` is not kept, and its
 * operation is done all the same.
 *
 * @throws SluiceError CONFIG for an option that makes no sense, at once; for a driver that is not there, when it is opened.
 */
export function sqliteStore(options: SqliteStoreOptions): DurableStore {
  checkOptions(options);
  const resolved = resolveOptions(options);
  const { path, busyMs, keepDoneMs, keepDeadMs } = resolved;
  return {
    kind: 'sqlite',
    async open({ clock }) {
      const driver = resolveDriver(resolved.driver);
      const settings = {
        path,
        driver: driver.name,
        driverPath: driver.path,
        busyMs,
        keepDoneMs,
        keepDeadMs,
        maxDeliveries: MAX_DELIVERIES,
        transitions: TRANSITIONS,
      };
      return new SqliteOperationStore(await Channel.open(settings, clock), new Codec(resolved.serializer), resolved);
    },
  };
}
