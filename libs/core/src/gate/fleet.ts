/** What the processes that share a gate tell one another, beside its books. */
import type { SharedCredentials } from '../auth/shared-credentials.js';
import type { ProviderPatch } from '../contract/options.js';
import type { Cancel } from '../time/clock.js';

/** One provider's, seen from one process. */
export interface Fleet {
  readonly credentials: SharedCredentials;
  /** Told of the numbers that hold for all processes, and of each change to them; not of this process's own. */
  onPatch(listener: (patch: ProviderPatch) => void): Cancel;
  /**
   * Makes new numbers hold for all processes, and those that start later.
   *
   * @throws where they could not be stored: nothing is changed then.
   */
  announce(patch: ProviderPatch): Promise<void>;
  close(): void;
}
