/** A Redis of a workload's own, and what it was asked. */
import type { ChildProcess } from 'node:child_process';
import { setPriority } from 'node:os';
import { Redis } from 'ioredis';
import { freePort, startRedis } from '../../scripts/redis-server.mjs';
import { AHEAD } from './remote.js';

/** What Redis itself has counted since `startCounting`. */
export interface Commands {
  /** Scripts run for the processes: everything that a gate asks of Redis. */
  readonly scripts: number;
  /** Hints, sent from inside of scripts. */
  readonly published: number;
  readonly microsPerScript: number;
  /** Microseconds of the slowest. */
  readonly slowest: number;
}

const SCRIPTS: readonly string[] = ['eval', 'evalsha', 'fcall'];
const PUBLISHES: readonly string[] = ['publish', 'spublish'];
/** What the slow log takes note of. */
const SLOW_FROM_US = 1_000;

export class Store {
  private constructor(
    readonly url: string,
    private readonly server: ChildProcess,
    private readonly redis: Redis,
  ) {}

  static async start(): Promise<Store> {
    const port = await freePort();
    const server = await startRedis(port, [
      '--slowlog-log-slower-than',
      String(SLOW_FROM_US),
      '--slowlog-max-len',
      '10000',
    ]);
    try {
      setPriority(server.pid as number, AHEAD);
    } catch {
      // Not allowed to: Redis has to share the machine then.
    }
    const url = `redis://127.0.0.1:${port}`;
    return new Store(url, server, new Redis(url));
  }

  async startCounting(): Promise<void> {
    await this.redis.config('RESETSTAT');
    await this.redis.call('SLOWLOG', 'RESET');
  }

  async commands(): Promise<Commands> {
    const stats = parseStats(await this.redis.info('commandstats'));
    const slow = (await this.redis.call('SLOWLOG', 'GET', '10000')) as [number, number, number, unknown[]][];
    const of = (names: readonly string[], field: 'calls' | 'usec') =>
      names.reduce((sum, name) => sum + (stats.get(name)?.[field] ?? 0), 0);
    const scripts = of(SCRIPTS, 'calls');
    return {
      scripts,
      published: of(PUBLISHES, 'calls'),
      microsPerScript: of(SCRIPTS, 'usec') / Math.max(1, scripts),
      slowest: Math.max(SLOW_FROM_US, ...slow.map(([, , micros]) => micros)),
    };
  }

  stop(): void {
    this.redis.disconnect();
    this.server.kill('SIGKILL');
  }
}

/** `cmdstat_evalsha:calls=12,usec=345,...` by name. */
function parseStats(info: string): Map<string, { calls: number; usec: number }> {
  const stats = new Map<string, { calls: number; usec: number }>();
  for (const [, name = '', calls, usec] of info.matchAll(/^cmdstat_([^:]+):calls=(\d+),usec=(\d+)/gm)) {
    stats.set(name, { calls: Number(calls), usec: Number(usec) });
  }
  return stats;
}
