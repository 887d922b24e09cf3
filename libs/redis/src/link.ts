/** Runs scripts on the user's client, each within the gate's time. */
import { arm, type Clock } from '../../core/src/index.js';
import type { RedisClient } from './client.js';
import { type Functions, NO_FUNCTION } from './functions.js';
import type { Script } from './script.js';
import type { ScriptCall } from './step-codec.js';
import { isMissingScript, replyWord, SilenceError, UnconnectedError } from './trouble.js';

/** The first answer may take so long: a process that starts is not to take a connection, or a function, under way for an outage. */
const START_MS = 1_000;
/** Once the gate's time is over, what has come meanwhile is read before it is called silence. */
const UNREAD_MS = 1;

/** States of a client that has not failed. */
const UNDER_WAY: ReadonlySet<string> = new Set(['wait', 'connecting', 'connect', 'ready']);

export class Link {
  /** When the first was asked for; null = none was. */
  private startedMono: number | null = null;
  private started = false;

  constructor(
    private readonly client: RedisClient,
    private readonly functions: Functions,
    private readonly clock: Clock,
    readonly limitMs: number,
  ) {}

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
      let looked = false;
      let dueMono = clock.monoMs() + limitMs;
      this.startedMono ??= clock.monoMs();
      const late = (): void => {
        const nowMono = clock.monoMs();
        // A process that was itself held up has not listened: the answer may lie there unread.
        if (this.isStarting || nowMono - dueMono > limitMs / 2) {
          dueMono = nowMono + limitMs;
          looked = false;
          cancelTimer = arm(clock, limitMs, late);
          return;
        }
        if (!looked) {
          looked = true;
          cancelTimer = arm(clock, UNREAD_MS, late);
          return;
        }
        open = false;
        reject(this.client.status === 'ready' ? new SilenceError(limitMs) : new UnconnectedError(limitMs));
      };
      let cancelTimer = arm(clock, limitMs, late);
      this.attempts(script, call, () => open)
        .finally(() => cancelTimer())
        .then(resolve, reject);
    });
  }

  /** The first answer is under way, and nothing has failed. */
  private get isStarting(): boolean {
    if (this.clock.monoMs() - (this.startedMono ?? -Infinity) > START_MS) this.started = true;
    return !this.started && UNDER_WAY.has(this.client.status);
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
