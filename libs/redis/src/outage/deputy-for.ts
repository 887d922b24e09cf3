import type { GateCommand, GateEnv, ResolvedContract } from '../../../core/src/index.js';
import { Closed, type Deputy, Open } from './deputies.js';
import { type Held, LocalShare } from './local-share.js';
import { shareOf } from './share.js';

export interface DeputySetting {
  readonly contract: ResolvedContract;
  readonly processes: number;
  readonly chosen: boolean;
  readonly env: Pick<GateEnv, 'clock' | 'processId'>;
  readonly held: readonly Held[];
  readonly pauses: readonly GateCommand[];
  readonly againAtUs: () => number;
}

/** Who judges now, and by which numbers. */
export function deputyFor(
  outage: ResolvedContract['outage'],
  { contract, processes, chosen, env, held, pauses, againAtUs }: DeputySetting,
): { readonly deputy: Deputy; readonly share: ResolvedContract } {
  if (outage === 'closed') return { deputy: new Closed(againAtUs), share: contract };
  if (outage === 'open') return { deputy: new Open(), share: contract };
  const share = shareOf(contract, processes, chosen);
  return { deputy: new LocalShare(share, env, held, pauses), share: share.contract };
}
