import {
  type Clock,
  type Fleet,
  type Gate,
  type GateEnv,
  joinPatches,
  type ProviderGate,
  type ResolvedContract,
} from '../../core/src/index.js';
import { isCluster } from './client.js';
import { evictionPolicy } from './eviction.js';
import { Roster } from './fleet/roster.js';
import { SharedTokens } from './fleet/shared-tokens.js';
import { Functions } from './functions.js';
import { STEP_PARTS } from './generated/step-script.js';
import type { GateHealth, ProviderHealth } from './health.js';
import { channelOf, placeOf } from './keys.js';
import { Link } from './link.js';
import { checkShardBy, type RedisGateOptions, type ResolvedOptions, resolveOptions } from './options.js';
import { RedisProviderGate } from './redis-provider-gate.js';
import { scriptOf } from './script.js';
import { ShardedGate } from './sharded-gate.js';
import { WakeChannel } from './wake-channel.js';
import { Wire } from './wire.js';

/** On the channel of news: Redis has lost something. */
const RECALL = 'recall';

/** A gate that all processes with the same Redis and prefix share. */
export interface RedisGate extends Gate {
  readonly kind: 'redis';
  readonly keepsUsed: true;
  /** How it stands with each provider, without asking Redis. */
  health(): GateHealth;
}

/**
 * One gate for all processes, in Redis 7.0 or later: a single node, one with replicas, or a cluster. Every `open` takes part
 * in the books of its provider's name under the prefix.
 *
 * @throws SluiceError CONFIG on options that cannot be meant; at `open`, when `shardBy` would split a limit.
 */
export function redisGate(options: RedisGateOptions): RedisGate {
  return new SharedGate(resolveOptions(options));
}

/** What one application has of one provider. */
interface Membership {
  readonly roster: Roster;
  /** The gate, and the fleet, hold it. */
  users: number;
  readonly gates: Set<RedisProviderGate>;
  readonly stopNews: () => void;
}

class SharedGate implements RedisGate {
  readonly kind = 'redis';
  readonly keepsUsed = true;
  private readonly script = scriptOf('sluice_step', STEP_PARTS);
  private readonly functions: Functions;
  private readonly wakeChannel: WakeChannel;
  private readonly sharded: boolean;
  private readonly memberships = new Map<string, Membership>();
  private readonly opened = new Set<() => readonly ProviderHealth[]>();
  private evictionAsked = false;

  constructor(private readonly options: ResolvedOptions) {
    this.functions = new Functions(options.client);
    this.wakeChannel = new WakeChannel(options.client);
    this.sharded = isCluster(options.client);
  }

  open(contract: ResolvedContract, env: GateEnv): ProviderGate {
    const { shardBy, shards } = this.options;
    if (shardBy !== null) checkShardBy(contract, shardBy);
    const leave = this.join(contract.name, env);
    if (!this.evictionAsked) void this.warnOfEviction(env);
    const pieces: Piece[] = [];
    const make = (current: ResolvedContract, shard: number | null): RedisProviderGate => {
      const piece = this.piece(current, env, shard);
      pieces.push(piece);
      return piece.gate;
    };
    const health = (): readonly ProviderHealth[] => pieces.map(({ gate }) => gate.health);
    this.opened.add(health);
    const closed = (): void => {
      this.opened.delete(health);
      for (const { stopHints } of pieces) stopHints();
      leave();
    };
    return closing(shardBy === null ? make(contract, null) : new ShardedGate(contract, shardBy, shards, make), closed);
  }

  fleet(provider: string, env: GateEnv): Fleet {
    const leave = this.join(provider, env);
    const { roster } = this.memberships.get(memberOf(provider, env)) as Membership;
    const { serializer } = this.options;
    return {
      credentials: new SharedTokens({ ...this.surroundings(provider, env), serializer }),
      onPatch: (listener) => roster.onNews(listener),
      announce: (patch) => roster.announce(patch, joinPatches),
      close: leave,
    };
  }

  health(): GateHealth {
    const providers = [...this.opened].flatMap((healthOf) => healthOf());
    return { status: providers.some(({ status }) => status === 'down') ? 'down' : 'up', providers };
  }

  private piece(contract: ResolvedContract, env: GateEnv, shard: number | null): Piece {
    const { clock, processId, report = () => undefined } = env;
    const { minProcesses, prefix, outage } = this.options;
    const { roster, gates } = this.memberships.get(memberOf(contract.name, env)) as Membership;
    const place = placeOf(prefix, contract.name, shard, this.sharded);
    const gate = new RedisProviderGate(contract, {
      link: this.link(clock),
      script: this.script,
      codecFor: (current) => new Wire(current, place, clock),
      clock,
      processId,
      minProcesses,
      roster,
      policyOf: (current) => current.options.outage ?? outage,
      report,
      recall: () => this.publish(roster.channel, RECALL),
    });
    gates.add(gate);
    const stopHints = this.wakeChannel.listen(clock, channelOf(place, processId), (message) => {
      try {
        gate.hinted(message);
      } catch (error) {
        report('hint of the redis gate', error);
      }
    });
    return { gate, stopHints };
  }

  /** Takes part in a provider; returns what ends it. */
  private join(provider: string, env: GateEnv): () => void {
    const name = memberOf(provider, env);
    let membership = this.memberships.get(name);
    if (membership === undefined) {
      const roster = new Roster({ ...this.surroundings(provider, env), provider });
      const gates = new Set<RedisProviderGate>();
      const stopNews = this.wakeChannel.listen(env.clock, roster.channel, (message) => {
        if (String(message) === RECALL) for (const gate of gates) gate.recheck();
        else void roster.beat();
      });
      this.memberships.set(name, (membership = { roster, users: 0, gates, stopNews }));
    }
    const joined = membership;
    joined.users += 1;
    return () => {
      joined.users -= 1;
      if (joined.users > 0) return;
      this.memberships.delete(name);
      joined.stopNews();
      joined.roster.close();
    };
  }

  private surroundings(provider: string, { clock, processId, report = () => undefined }: GateEnv) {
    const place = placeOf(this.options.prefix, provider, null, this.sharded);
    return { link: this.link(clock), clock, place, processId, report };
  }

  private publish(channel: string, message: string): void {
    const { client } = this.options;
    const sending = isCluster(client) ? client.spublish(channel, message) : client.publish(channel, message);
    // Whoever does not hear of it finds out at its own next step.
    sending.catch(() => undefined);
  }

  private link(clock: Clock): Link {
    return new Link(this.options.client, this.functions, clock, this.options.gateTimeoutMs);
  }

  private async warnOfEviction({ warn }: GateEnv): Promise<void> {
    this.evictionAsked = true;
    const policy = await evictionPolicy(this.options.client);
    if (policy === null) return;
    warn?.(
      `maxmemory-policy of Redis is ${policy}: when its memory is full it deletes what has been used of limits, and permits`,
      'it is used as it is; set maxmemory-policy noeviction',
    );
  }
}

interface Piece {
  readonly gate: RedisProviderGate;
  readonly stopHints: () => void;
}

function memberOf(provider: string, { processId }: GateEnv): string {
  return `${processId} ${provider}`;
}

/** The same gate; `closed` is called once it is. */
function closing(gate: ProviderGate, closed: () => void): ProviderGate {
  return {
    step: (input) => gate.step(input),
    onWake: (listener) => gate.onWake(listener),
    update: (contract) => gate.update(contract),
    inspect: () => gate.inspect(),
    close: () => {
      void gate.close();
      closed();
    },
  };
}
