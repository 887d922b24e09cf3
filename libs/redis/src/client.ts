/** What is needed of the user's client, by types alone: the instance, and its copy of ioredis, are the user's. */
import type { Cluster, Redis } from 'ioredis';
import { configError } from '../../core/src/index.js';

/** An ioredis client: of one node (or its sentinels), or of a cluster. */
export type RedisClient = Redis | Cluster;

const WANTED = 'an ioredis client: new Redis(...) or new Redis.Cluster(...)';
const WHERE = 'redisGate({ client })';

/** @throws SluiceError CONFIG when it is no client that a gate can use. */
export function checkClient(client: unknown): asserts client is RedisClient {
  const { evalsha, duplicate, options } = (client ?? {}) as Partial<Record<string, unknown>>;
  if (typeof evalsha !== 'function' || typeof duplicate !== 'function' || typeof options !== 'object') {
    throw configError(null, WHERE, typeof client, WANTED);
  }
  const { mode } = client as { mode?: string };
  if (mode === 'subscriber' || mode === 'monitor') {
    throw configError(null, WHERE, `in ${mode} mode`, 'a client that may send commands');
  }
}

export function isCluster(client: RedisClient): client is Cluster {
  return client.isCluster;
}

/** A connection of its own for subscriptions: it comes back by itself, and its errors are nobody's but its own. */
export function subscriberOf(client: RedisClient): RedisClient {
  const lasting = { keyPrefix: '', lazyConnect: false, enableOfflineQueue: true, maxRetriesPerRequest: null };
  const subscriber = isCluster(client)
    ? client.duplicate([], {
        keyPrefix: '',
        lazyConnect: false,
        shardedSubscribers: true,
        redisOptions: { ...client.options.redisOptions, keyPrefix: '' },
      })
    : client.duplicate({ ...lasting, autoResubscribe: true, readOnly: false });
  // Without a listener ioredis prints them; what they mean is seen by the steps.
  subscriber.on('error', () => undefined);
  return subscriber;
}
