import { configError, type Duration, parseDuration, type ResolvedContract } from '../../core/src/index.js';
import { checkClient, type RedisClient } from './client.js';

/** Turns what is stored into something else and back: encryption. Both must be pure and synchronous. */
export interface Serializer {
  encode(plain: Uint8Array): Uint8Array;
  /** @throws for what it cannot read; the credentials are asked for again then. */
  decode(stored: Uint8Array): Uint8Array;
}

export interface RedisGateOptions {
  /**
   * Yours: `new Redis(...)` or `new Redis.Cluster(...)` of ioredis 5.8 or later. The gate sends its commands through it,
   * makes one more connection for hints (`duplicate()`), and never closes it. Close it after the application.
   */
  readonly client: RedisClient;
  /** Begins every key and channel. Applications with the same prefix and the same provider name share its limits. Default: `sluice`. */
  readonly prefix?: string;
  /**
   * What happens to calls while Redis does not answer, of providers whose contract does not say `outage`. Default:
   * `local-share`.
   *
   * - `local-share`: each process goes on with its part of every limit
   * - `closed`: calls are refused with GATE_UNAVAILABLE
   * - `open`: calls are sent; for providers whose own refusals are harmless
   */
  readonly outage?: ResolvedContract['outage'];
  /** Longest wait for an answer of Redis, from a millisecond to a minute; after it `outage` applies, until Redis answers again. Default: `100ms`. */
  readonly gateTimeout?: Duration;
  /**
   * Processes that each part of `local-share` is made for, at least; more are known from Redis while it answers. Give the
   * usual number of replicas: a process that starts while Redis is away knows of no other. Default: 1.
   */
  readonly minProcesses?: number;
  /**
   * Splits each provider by the values of this dimension into `shards` pieces, which a cluster may lay on several nodes. Every
   * limit must be counted by it; retry budget, breaker, guarantees and ceilings are each piece's own then. Default: in one piece.
   */
  readonly shardBy?: string;
  /** Pieces of a provider, with `shardBy`. It may not change while processes run. Default: 16. */
  readonly shards?: number;
  /**
   * Encrypts renewed credentials, so that one process can give them to the others through Redis. Default: none; Redis then
   * holds only that they were renewed, and the others ask their own `auth.credentials`.
   */
  readonly serializer?: Serializer;
}

export interface ResolvedOptions {
  readonly client: RedisClient;
  readonly prefix: string;
  readonly outage: ResolvedContract['outage'];
  readonly gateTimeoutMs: number;
  readonly minProcesses: number;
  readonly shardBy: string | null;
  readonly shards: number;
  readonly serializer: Serializer | null;
}

const OPTIONS: Record<keyof Required<RedisGateOptions>, true> = {
  client: true,
  prefix: true,
  outage: true,
  gateTimeout: true,
  minProcesses: true,
  shardBy: true,
  shards: true,
  serializer: true,
};
const OUTAGES: readonly string[] = ['local-share', 'closed', 'open'];
const MOST_SHARDS = 1_024;
/** Calls wait for it while Redis is silent. */
const LONGEST_GATE_TIMEOUT_MS = 60_000;

/** @throws SluiceError CONFIG on what cannot be meant. */
export function resolveOptions(options: RedisGateOptions): ResolvedOptions {
  const foreign = Object.keys(options ?? {}).find((name) => !Object.hasOwn(OPTIONS, name));
  if (foreign !== undefined) {
    throw configError(null, `redisGate({ ${foreign} })`, 'an unknown option', Object.keys(OPTIONS).join(', '));
  }
  checkClient(options?.client);
  const { client, prefix = 'sluice', outage = 'local-share', gateTimeout = '100ms' } = options;
  const { minProcesses = 1, shardBy = null, shards = 16, serializer = null } = options;
  if (typeof prefix !== 'string' || prefix === '' || /[{}]/.test(prefix)) {
    throw wrong('prefix', prefix, 'a text without braces, which mark the part of a key that a cluster goes by');
  }
  if (!OUTAGES.includes(outage)) throw wrong('outage', outage, `one of ${OUTAGES.join(', ')}`);
  const gateTimeoutMs = parseDuration(gateTimeout, 'redisGate({ gateTimeout })');
  if (gateTimeoutMs < 1 || gateTimeoutMs > LONGEST_GATE_TIMEOUT_MS) {
    throw wrong('gateTimeout', gateTimeout, 'from a millisecond to a minute');
  }
  atLeastOne('minProcesses', minProcesses, Number.MAX_SAFE_INTEGER);
  atLeastOne('shards', shards, MOST_SHARDS);
  if (shardBy !== null && (typeof shardBy !== 'string' || shardBy === '')) {
    throw wrong('shardBy', shardBy, 'the name of a dimension');
  }
  if (shardBy === null && options.shards !== undefined) {
    throw wrong('shards', shards, 'none without shardBy, which says what the pieces are made by');
  }
  const missing = (['encode', 'decode'] as const).filter((name) => typeof serializer?.[name] !== 'function');
  if (serializer !== null && missing.length > 0) {
    throw wrong('serializer', `without ${missing.join(' and ')}`, 'an object with the functions encode and decode');
  }
  return { client, prefix, outage, gateTimeoutMs, minProcesses, shardBy, shards, serializer };
}

/** @throws SluiceError CONFIG where a limit is not counted by the dimension that the provider is split by: its books would be split too. */
export function checkShardBy({ name, dimensions, limits }: ResolvedContract, shardBy: string): void {
  const option = 'redisGate({ shardBy })';
  if (!dimensions.includes(shardBy)) {
    throw configError(name, option, shardBy, `a dimension of the contract: ${dimensions.join(', ') || 'it has none'}`);
  }
  const whole = limits.find(({ countedBy }) => !countedBy.includes(shardBy));
  if (whole !== undefined) {
    const expected = `a dimension that every limit is counted by; limit "${whole.name}" is not, so it would be granted once for each shard`;
    throw configError(name, option, shardBy, expected);
  }
}

function atLeastOne(option: string, value: number, most: number): void {
  if (!Number.isSafeInteger(value) || value < 1 || value > most) {
    const bound = most === Number.MAX_SAFE_INTEGER ? '' : ` and at most ${most}`;
    throw wrong(option, value, `a whole number of at least 1${bound}`);
  }
}

function wrong(option: string, found: unknown, expected: string): Error {
  return configError(null, `redisGate({ ${option} })`, found, expected);
}
