/** One provider within one application: its contract, its gate's client, and the way to start calls. */
import type { ProviderPatch } from '../contract/options.js';
import type { ResolvedContract } from '../contract/resolved.js';
import type { DemandLayer } from '../demand/options.js';
import type { EventSink } from '../events/events.js';
import type { Admission } from '../gate/admission.js';
import type { Gate } from '../gate/port.js';
import type { UsedBook } from '../gate/used-book.js';
import type { HeaderBag } from '../model/outcome.js';
import type { Clock } from '../time/clock.js';
import type { Random } from '../time/random.js';
import type { AttemptContext, Call, CallIdentity, CallOptions, CallSpec } from './call.js';

export interface RuntimeDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly gate: Gate;
  readonly events: EventSink;
  /** Unique in the fleet; random. */
  readonly processId: string;
  /** Where the gate keeps used amounts, if it has no store of its own; absent or null = nowhere. */
  readonly used?: UsedBook | null;
}

/** How a result or error of an SDK reads as an answer. */
export interface ExplainedAnswer {
  /** Of an answer that came, from 100 to 999: of any other nothing is believed. */
  readonly status: number;
  /** `Headers` of fetch, too. */
  readonly headers?: HeaderBag | Iterable<readonly [name: string, value: string]>;
  readonly body?: unknown;
}

export interface RunOptions<T> extends CallOptions {
  readonly signal?: AbortSignal;
  /** HTTP method it stands for. Default: a write of no particular method. */
  readonly method?: string;
  /** Path it stands for, so that routes match. */
  readonly path?: string;
  /** Reads a result or an error as an answer; undefined = it tells nothing. An error that nothing explains is `unknown`, unless the work is safe. */
  readonly answer?: (result: T | undefined, error: unknown) => ExplainedAnswer | undefined;
}

export interface ProviderRuntime {
  readonly contract: ResolvedContract;
  readonly admission: Admission;
  /** Fewer requests for the same answers. */
  readonly demand: DemandLayer;
  /** For whom a call would be made, under the current async context. */
  identify(spec: CallSpec): CallIdentity;
  /** Begins a call under the current async context. */
  startCall(spec: CallSpec): Call;
  /** Guards any function: the function itself is the attempt. */
  run<T>(fn: (context: AttemptContext) => Promise<T> | T, options?: RunOptions<T>): Promise<T>;
  /** @throws SluiceError CONFIG when the patched contract would be invalid; nothing is changed then. */
  update(patch: ProviderPatch): void;
  /**
   * The same for all processes that share the gate, those that start later included.
   *
   * @throws SluiceError CONFIG as `update` does, and where the gate is of one process or the patch holds a function; why it could not be stored.
   */
  updateFleet(patch: ProviderPatch): Promise<void>;
  /** Refuses what waits and what comes; lets attempts end within `graceMs`. */
  drain(graceMs: number): Promise<void>;
  close(): Promise<void>;
}
