/** Answers kept for one inbound request, on a shelf for each provider and partition: what a write may have changed goes together. */
import type { Partition } from '../model/outcome.js';

/** All that is kept for one inbound request; it ends with it. */
export type Shelves = Map<string, unknown>;

/** Shelves of one inbound request; what it reads for more partitions it reads anew. */
const MAX_SHELVES = 100;

/** The shelf of these reads; null = there is none, and no room for one. */
export function shelfOf(shelves: Shelves, provider: string, partition: Partition): Map<string, unknown> | null {
  const name = nameOf(provider, partition);
  const known = shelves.get(name);
  if (known instanceof Map) return known;
  if (shelves.size >= MAX_SHELVES) return null;
  const shelf = new Map<string, unknown>();
  shelves.set(name, shelf);
  return shelf;
}

/**
 * Takes the shelf away: later reads see nothing of it. A read that is under way puts its answer on the shelf that is gone,
 * so what it saw before the write is never given to one after it.
 */
export function dropShelf(shelves: Shelves, provider: string, partition: Partition): void {
  if (shelves.size > 0) shelves.delete(nameOf(provider, partition));
}

/** Whether two partitions of one provider are the same. */
export function samePartition(one: Partition, other: Partition): boolean {
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => one[name] === other[name]);
}

function nameOf(provider: string, partition: Partition): string {
  return JSON.stringify([provider, partition]);
}
