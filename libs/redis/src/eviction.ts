import { isCluster, type RedisClient } from './client.js';

/** Under any other policy Redis deletes keys that expire when its memory is full; all of the gate's do. */
const SAFE = 'noeviction';

/** A policy of the server that would delete the gate's keys; null = none, or the server does not tell. */
export async function evictionPolicy(client: RedisClient): Promise<string | null> {
  const nodes = isCluster(client) ? client.nodes('master') : [client];
  const policies = await Promise.all(
    nodes.map(async (node) => {
      try {
        return /maxmemory_policy:(\S+)/.exec(await node.info('memory'))?.[1] ?? null;
      } catch {
        return null;
      }
    }),
  );
  return policies.find((policy) => policy !== null && policy !== SAFE) ?? null;
}
