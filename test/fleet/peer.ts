/** A process of its own that sends the same calls through what else keeps several processes within one limit, each as it does best. */
import { Agent } from 'node:http';
import axios from 'axios';
import axiosRetry from 'axios-retry';
import Bottleneck from 'bottleneck';
import { Redis } from 'ioredis';
import PQueue from 'p-queue';
import { RateLimiterQueue, RateLimiterRedis } from 'rate-limiter-flexible';
import { serve } from './remote.js';

export type Peer =
  'Bottleneck, clustered' | 'RateLimiterRedis and its queue' | 'p-queue in each process' | 'axios-retry alone';

export interface PeerRun {
  readonly peer: Peer;
  readonly url: string;
  readonly redisUrl: string;
  readonly processes: number;
  readonly calls: number;
  readonly perSecond: number;
  readonly burst: number;
  readonly fromMs: number;
}

type Task = () => Promise<unknown>;

/** Lets tasks go when it may. */
interface Limiter {
  readonly run: (task: Task) => Promise<unknown>;
  readonly close: () => unknown;
}

const MS_PER_SECOND = 1_000;
const http = axios.create({ httpAgent: new Agent({ keepAlive: true }) });

const limiters: Record<Peer, (run: PeerRun, redis: Redis) => Promise<Limiter> | Limiter> = {
  // Its reservoir refills every five seconds at most often where it is shared: calls one by one are faster.
  'Bottleneck, clustered': async ({ perSecond }, redis) => {
    const connection = new Bottleneck.IORedisConnection({ client: redis.duplicate() });
    const limiter = new Bottleneck({ id: 'items', connection, minTime: MS_PER_SECOND / perSecond });
    await limiter.ready();
    return { run: (task) => limiter.schedule(task), close: () => limiter.disconnect(false) };
  },
  // Its windows are whole seconds.
  'RateLimiterRedis and its queue': ({ perSecond }, redis) => {
    const limiter = new RateLimiterRedis({ storeClient: redis, points: perSecond, duration: 1 });
    const queue = new RateLimiterQueue(limiter, { maxQueueSize: 10_000 });
    return { run: async (task) => (await queue.removeTokens(1, 'items'), await task()), close: () => undefined };
  },
  // It knows of no other process: each has its part of the rate.
  'p-queue in each process': ({ perSecond, processes }) => {
    const queue = new PQueue({ interval: (MS_PER_SECOND * processes) / perSecond, intervalCap: 1 });
    return { run: (task) => queue.add(task), close: () => undefined };
  },
  'axios-retry alone': () => {
    axiosRetry(http, {
      retries: 20,
      retryCondition: (error) => error.response?.status === 429,
      retryDelay: (count) => axiosRetry.exponentialDelay(Math.min(count, 6)),
    });
    return { run: (task) => task(), close: () => undefined };
  },
};

const verbs = {
  async run(wanted: PeerRun): Promise<number> {
    const redis = new Redis(wanted.redisUrl);
    const limiter = await limiters[wanted.peer](wanted, redis);
    await new Promise((resolve) => setTimeout(resolve, wanted.fromMs - performance.timeOrigin - performance.now()));
    const one = (_: unknown, i: number) => limiter.run(() => http.get(`${wanted.url}/calls/${i}`));
    const ends = await Promise.allSettled(Array.from({ length: wanted.calls }, one));
    await limiter.close();
    redis.disconnect();
    return ends.filter(({ status }) => status === 'fulfilled').length;
  },
};

export type PeerVerbs = typeof verbs;

serve(verbs);
