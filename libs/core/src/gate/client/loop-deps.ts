/** What the driver works with, and whom it tells. */
import type { ResolvedContract } from '../../contract/resolved.js';
import type { Clock } from '../../time/clock.js';
import type { Random } from '../../time/random.js';
import type { AdmissionRequest } from '../admission.js';
import type { Head, ProviderGate, StepReply } from '../port.js';
import type { Line, Waiter } from './line.js';
import type { Lines } from './lines.js';
import type { Outbox } from './outbox.js';
import type { ReplyReader } from './replies.js';

export interface LoopDeps {
  readonly gate: ProviderGate;
  readonly clock: Clock;
  readonly random: Random;
  readonly processId: string;
  readonly lines: Lines;
  readonly outbox: Outbox;
  readonly reader: ReplyReader;
  readonly contract: () => ResolvedContract;
  /** Permits that are out. */
  readonly underWay: () => number;
  readonly waiterOf: (request: AdmissionRequest, head: Head, nowMono: number) => Waiter;
  /** The step failed: its calls are to be refused. */
  readonly stepFailed: (lines: readonly Line[], error: unknown) => void;
  readonly changed: (reply: StepReply) => void;
  readonly faulted: (error: unknown) => void;
  /** Nothing is under way. */
  readonly idle: () => void;
}
