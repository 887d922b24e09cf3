import type { GateCommand } from '../port.js';
import type { Line } from './line.js';
import type { OutgoingSettle } from './settlements.js';

/** What went to the gate in one step: needed to read its reply, or to clear up after its failure. */
export interface SentStep {
  readonly sentMono: number;
  readonly lines: readonly Line[];
  readonly settles: readonly OutgoingSettle[];
  readonly commands: readonly GateCommand[];
}
