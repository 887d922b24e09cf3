/**
 * Scripts as functions of Redis. A script is built anew each time it runs, which takes the step longer than its own work; a
 * function is built once. Where a server has none, or the user may not load any, scripts do the same.
 */
import { isCluster, type RedisClient } from './client.js';
import type { ScriptCall } from './step-codec.js';
import { replyWord } from './trouble.js';

/** A library of one function of the same name. Its name tells its text apart from every other: libraries are never replaced. */
export interface Library {
  readonly name: string;
  readonly source: string;
}

/** What a library answers that cannot be had here, but may be elsewhere. */
export const NO_FUNCTION = Symbol('no function');

export class Functions {
  private refused = false;

  constructor(private readonly client: RedisClient) {}

  /**
   * The reply, as Redis gave it; `NO_FUNCTION` = the script has to be sent instead.
   *
   * @param open whether anybody waits for it still
   * @throws what the client or Redis said.
   */
  async run(library: Library, call: ScriptCall, open: () => boolean): Promise<unknown> {
    if (this.refused) return NO_FUNCTION;
    try {
      return await this.call(library, call);
    } catch (error) {
      if (!this.isMissing(error)) throw error;
      if (this.refused) return NO_FUNCTION;
      if (!open()) throw error;
    }
    if (!(await this.load(library))) return NO_FUNCTION;
    try {
      return await this.call(library, call);
    } catch (error) {
      // The node that has the keys is one that was not known yet.
      if (this.isMissing(error)) return NO_FUNCTION;
      throw error;
    }
  }

  private call({ name }: Library, { keys, args }: ScriptCall): Promise<unknown> {
    return this.client.callBuffer('FCALL', name, keys.length, ...keys, ...args);
  }

  private isMissing(error: unknown): boolean {
    const word = replyWord(error);
    if (word === 'NOPERM' || (word === 'ERR' && /unknown command/i.test(String(error)))) this.refused = true;
    return this.refused || (word === 'ERR' && /function not found/i.test(String(error)));
  }

  /** Functions belong to no slot: each node of a cluster has its own. */
  private async load({ source }: Library): Promise<boolean> {
    const { client } = this;
    const nodes = isCluster(client) ? client.nodes('master') : [client];
    const loads = await Promise.allSettled(nodes.map((node) => node.call('FUNCTION', 'LOAD', source)));
    const failures = loads.flatMap((load) =>
      load.status === 'rejected' && !isThere(load.reason) ? [load.reason] : [],
    );
    // All else passes, and is told by the script, too: a replica, a server that loads, one whose memory is full.
    if (failures.some((error) => ['ERR', 'NOPERM'].includes(replyWord(error) ?? ''))) this.refused = true;
    return failures.length < nodes.length;
  }
}

/** Another process was faster. */
function isThere(error: unknown): boolean {
  return replyWord(error) === 'ERR' && /already exists/i.test(String(error));
}
