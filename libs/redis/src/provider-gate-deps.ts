import type { Clock, ResolvedContract } from '../../core/src/index.js';
import type { Roster } from './fleet/roster.js';
import type { Link } from './link.js';
import type { Script } from './script.js';
import type { StepCodec } from './step-codec.js';

/** What the gate of one provider is made of. */
export interface ProviderGateDeps {
  readonly link: Link;
  readonly script: Script;
  readonly codecFor: (contract: ResolvedContract) => StepCodec;
  readonly clock: Clock;
  readonly processId: string;
  readonly policyOf: (contract: ResolvedContract) => ResolvedContract['outage'];
  /** Parts of a limit while Redis is away, at least. */
  readonly minProcesses: number;
  /** Who else uses the provider, by the last good word. */
  readonly roster: Pick<Roster, 'size' | 'chosen' | 'beat' | 'expectOthers'>;
  readonly report: (what: string, error: unknown) => void;
  /** Tells the other processes that Redis has lost something. */
  readonly recall: () => void;
}
