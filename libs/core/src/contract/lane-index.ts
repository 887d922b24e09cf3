import { configError } from '../errors/config-error.js';
import type { ResolvedContract } from './resolved.js';

/**
 * Index of a lane; of the default one where none is named.
 *
 * @throws SluiceError CONFIG when the contract has no lane of that name.
 */
export function laneIndex(contract: ResolvedContract, name: string | undefined): number {
  if (name === undefined) return contract.defaultLane;
  // A contract has a handful of lanes.
  for (const lane of contract.lanes) if (lane.name === name) return lane.index;
  const known = contract.lanes.map((lane) => `"${lane.name}"`).join(', ');
  throw configError(contract.name, 'lane', name, `one of its lanes: ${known}`);
}
