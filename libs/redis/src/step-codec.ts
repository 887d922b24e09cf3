/**
 * What the step script is to the rest of this library: how a step is written for Redis, and how what comes back is read.
 * `wire.ts` makes the one that speaks to the Lua script.
 *
 * What the callers of a codec rely on:
 * - The script keeps the last step's number and reply of each process. The same number again does nothing and gives that
 *   reply again; a lower one does nothing and gives an empty reply: it came late, and its process has gone on without it.
 * - All keys of a codec bear the hash tag of its place, and so do the channels that the script publishes to.
 * - The script publishes to the channel of a process (`channelOf`) which of its tickets should ask again: SPUBLISH where
 *   `sharded`, else PUBLISH.
 * - No tenant leaves the process as it is: what goes to Redis, and what a view shows, is its hash.
 */
import type { GateView, StepInput, StepReply } from '../../core/src/index.js';

/** The arguments of one EVALSHA, after the script's digest. */
export interface ScriptCall {
  readonly keys: readonly string[];
  readonly args: readonly (string | Buffer)[];
}

/** A reply, with what a process has to remember for the time when there is none. */
export interface FleetReply extends StepReply {
  /** Processes that took a step of late, this one included. */
  readonly processes: number;
  /** When the books began, by their own time: another moment than before means that all that was in them is lost. */
  readonly bornUs: number;
  /** The step of this process that the books knew of before this one; null = none. An older one than was answered means that the steps since are lost. */
  readonly previousStep: number | null;
}

/** Writes and reads for one contract, at one place. */
export interface StepCodec {
  step(input: StepInput): ScriptCall;
  /** @throws when it is no reply of the script. */
  reply(raw: unknown): FleetReply;
  /** What an operator sees; changes nothing. */
  inspect(processId: string): ScriptCall;
  /** @throws when it is no reply of the script. */
  view(raw: unknown): GateView;
  /** The keys of tickets that a hint names. @throws when it is no hint. */
  hint(message: Buffer): readonly string[];
}
