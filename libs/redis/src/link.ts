/** Runs scripts on the user's client, each within the gate's time. */
import { arm, type Clock } from '../../core/src/index.js';
import type { RedisClient } from './client.js';
import { type Functions, NO_FUNCTION } from './functions.js';
import type { Script } from './script.js';
import type { ScriptCall } from './step-codec.js';
import { isMissingScript, replyWord, SilenceError } from './trouble.js';

/** A client that has never been ready may take so long: a process that starts is not to take a connection under way for an outage. */
const START_MS = 1_000;

export class Link {
  private readonly startedMono: number;
  private started = false;

  constructor(
    private readonly client: RedisClient,
    private readonly functions: Functions,
    private readonly clock: Clock,
    readonly limitMs: number,
  ) {
    this.startedMono = clock.monoMs();
  }

  /**
   * The reply, as Redis gave it. A script that Redis does not know is sent whole, once; one whose connection broke is sent
   * again, once, so it must be one that may run twice.
   *
   * @throws SilenceError after the gate's time; else what the client or Redis said.
   */
  run(script: Script, call: ScriptCall): Promise<unknown> {
    const { clock, limitMs } = this;
    return new Promise((resolve, reject) => {
      let open = true;
      let dueMono = clock.monoMs() + limitMs;
      const late = (): void => {
        const nowMono = clock.monoMs();
        // A process that was itself held up has not listened: the answer may lie there unread.
        if (this.isStarting || nowMono - dueMono > limitMs / 2) {
          dueMono = nowMono + limitMs;
          cancelTimer = arm(clock, limitMs, late);
          return;
        }
        open = false;
        reject(new SilenceError(limitMs));
      };
      let cancelTimer = arm(clock, limitMs, late);
      this.attempts(script, call, () => open)
        .finally(() => cancelTimer())
        .then(resolve, reject);
    });
  }

  /** The first connection is under way, and has not failed. */
  private get isStarting(): boolean {
    const { status } = this.client;
    if (status === 'ready' || this.clock.monoMs() - this.startedMono > START_MS) this.started = true;
    return !this.started && (status === 'connecting' || status === 'connect' || status === 'wait');
  }

  private async attempts(script: Script, call: ScriptCall, open: () => boolean): Promise<unknown> {
    try {
      return await this.evaluate(script, call, open);
    } catch (error) {
      // What Redis answered it would answer again.
      if (replyWord(error) !== null || !open()) throw error;
      return this.evaluate(script, call, open);
    }
  }

  private async evaluate(script: Script, call: ScriptCall, open: () => boolean): Promise<unknown> {
    const { client } = this;
    const { keys, args } = call;
    if (script.library !== null) {
      const reply = await this.functions.run(script.library, call, open);
      if (reply !== NO_FUNCTION) {
        this.started = true;
        return reply;
      }
    }
    try {
      const reply = await client.callBuffer('EVALSHA', script.digest, keys.length, ...keys, ...args);
      this.started = true;
      return reply;
    } catch (error) {
      if (!isMissingScript(error) || !open()) throw error;
      return client.callBuffer('EVAL', script.source, keys.length, ...keys, ...args);
    }
  }
}
