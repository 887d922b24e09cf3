import { laneIndex } from '../contract/lane-index.js';
import type { ResolvedContract, ResolvedLane } from '../contract/resolved.js';
import { hashValue } from '../gate/client/hashing.js';
import type { Partition } from '../model/outcome.js';
import type { StoredOwner } from './handler.js';
import type { CreateOperation } from './port/create.js';

/** Where an operation stands in the store: its line, and what orders it. Values of partitions and orders are hashed. */
export type OperationPlace = Pick<CreateOperation, 'lane' | 'tenant' | 'partition' | 'orderingKey' | 'reference'>;

/** What identifies work: the same in every process, and apart for each tenant and partition. */
export function operationScope(
  provider: string,
  name: string,
  { partition, tenant }: Omit<StoredOwner, 'lane'>,
): string {
  const owner = Object.entries(partition).sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([provider, name, owner, tenant]);
}

/** A partition as the gate names what it pauses; '' = the whole provider. */
export function hashedPartition(contract: ResolvedContract, partition: Partition): string {
  return partsOf(contract, partition).join('&');
}

function partsOf(contract: ResolvedContract, partition: Partition): readonly string[] {
  return contract.dimensions.flatMap((dimension) => {
    const value: unknown = Object.hasOwn(partition, dimension) ? partition[dimension] : undefined;
    const isGiven = (typeof value === 'string' && value !== '') || typeof value === 'number';
    return isGiven ? [`${dimension}=${hashValue(contract.name, dimension, String(value))}`] : [];
  });
}

/**
 * @param order Raw values: they may name persons.
 * @throws SluiceError CONFIG when the contract has no such lane.
 */
export function placeOf(
  contract: ResolvedContract,
  { lane, tenant, partition }: StoredOwner,
  order: { readonly orderingKey: string | null; readonly reference: string | null },
): OperationPlace {
  const parts = partsOf(contract, partition);
  // One tenant's or partition's work never waits for that of another which happens to use the same words.
  const hashed = (what: string, value: string | null): string | null =>
    value === null ? null : hashValue(contract.name, what, JSON.stringify([value, tenant, parts]));
  return {
    lane: (contract.lanes[laneIndex(contract, lane ?? undefined)] as ResolvedLane).name,
    tenant,
    partition: parts.join('&'),
    orderingKey: hashed('ordering key', order.orderingKey),
    reference: hashed('reference', order.reference),
  };
}
