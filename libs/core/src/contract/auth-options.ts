/** Who calls: the credentials of a partition. */
import type { Partition } from '../model/outcome.js';

/** Headers to send. They are held in memory only. */
export interface Credentials {
  readonly headers: Readonly<Record<string, string>>;
  /** After this moment they are not sent any more. Default: never. */
  readonly expiresAt?: Date;
}

export interface AuthOptions {
  /** The credentials of a partition. Called before the ask for a permit; its result is cached until a 401 or `expiresAt`. */
  readonly credentials: (partition: Partition, signal: AbortSignal) => Credentials | Promise<Credentials>;
  /** Gets new ones after a 401. Runs once for all calls of a partition that wait. Default: `credentials` again. */
  readonly refresh?: (partition: Partition, signal: AbortSignal) => Credentials | Promise<Credentials>;
}
