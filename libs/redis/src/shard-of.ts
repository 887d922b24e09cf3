import { createHash } from 'node:crypto';

/** The shard that a value of the sharding dimension lies in: the same in every process. */
export function shardOf(value: string, shards: number): number {
  return createHash('sha256').update(value).digest().readUInt32BE(0) % shards;
}
