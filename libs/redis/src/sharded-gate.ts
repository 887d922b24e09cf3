/** A provider in pieces, each with books of its own: a step is split by the values of one dimension, and its replies are put together. */
import type {
  Cancel,
  GateCommand,
  GateView,
  Partition,
  ProviderGate,
  ResolvedContract,
  SettleReply,
  StepInput,
  StepReply,
  Ticket,
} from '../../core/src/index.js';
import type { ProviderHealth } from './health.js';
import type { RedisProviderGate } from './redis-provider-gate.js';
import { shardOf } from './shard-of.js';
import { joinedViews } from './joined-views.js';

type WakeListener = (ticketKeys: readonly string[]) => void;

interface Part {
  readonly settles: StepInput['settles'][number][];
  readonly at: number[];
  readonly asks: StepInput['asks'][number][];
  readonly commands: GateCommand[];
}

export class ShardedGate implements ProviderGate {
  private readonly open = new Map<number, RedisProviderGate>();
  private readonly listeners = new Set<WakeListener>();

  constructor(
    private contract: ResolvedContract,
    private readonly shardBy: string,
    private readonly shards: number,
    private readonly make: (contract: ResolvedContract, shard: number) => RedisProviderGate,
  ) {}

  async step(input: StepInput): Promise<StepReply> {
    const parts = [...this.partsOf(input)];
    const replies = await Promise.all(parts.map(([shard, part]) => this.gateOf(shard).step({ ...input, ...part })));
    return joined(
      input,
      parts.map(([shard, part], index) => ({ shard, part, reply: replies[index] as StepReply })),
    );
  }

  onWake(listener: WakeListener): Cancel {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  update(contract: ResolvedContract): void {
    this.contract = contract;
    for (const gate of this.open.values()) gate.update(contract);
  }

  async inspect(): Promise<GateView> {
    const all = Array.from({ length: this.shards }, (_, shard) => this.gateOf(shard).inspect());
    return joinedViews(await Promise.all(all));
  }

  get health(): readonly ProviderHealth[] {
    return [...this.open.values()].flatMap(({ health }) => health);
  }

  close(): void {
    for (const gate of this.open.values()) gate.close();
    this.listeners.clear();
  }

  private gateOf(shard: number): RedisProviderGate {
    let gate = this.open.get(shard);
    if (gate === undefined) {
      gate = this.make(this.contract, shard);
      gate.onWake((keys) => {
        for (const listener of this.listeners) listener(keys);
      });
      this.open.set(shard, gate);
    }
    return gate;
  }

  private partsOf({ settles, asks, commands }: StepInput): Map<number, Part> {
    const parts = new Map<number, Part>();
    const partOf = (shard: number): Part => {
      let part = parts.get(shard);
      if (part === undefined) parts.set(shard, (part = { settles: [], at: [], asks: [], commands: [] }));
      return part;
    };
    settles.forEach((settle, index) => {
      const part = partOf(this.shardOf(settle.ticket));
      part.settles.push(settle);
      part.at.push(index);
    });
    for (const ask of asks) {
      const shard = this.shardOf(ask.ticket);
      partOf(shard).asks.push({
        ...ask,
        heads: ask.heads.map((head) => ({ ...head, place: head.place === null ? null : placeIn(head.place).place })),
      });
    }
    for (const command of commands) {
      if (command.type === 'release-place') {
        const { shard, place } = placeIn(command.place);
        partOf(shard).commands.push({ ...command, place });
      } else for (const shard of this.shardsOf(command.partition)) partOf(shard).commands.push(command);
    }
    return parts;
  }

  private shardOf({ partition }: Ticket): number {
    return shardOf(partition[this.shardBy] ?? '', this.shards);
  }

  /** Who names no value means all of them. */
  private shardsOf(partition: Partition | null): readonly number[] {
    const value = partition?.[this.shardBy];
    if (value !== undefined) return [shardOf(value, this.shards)];
    return Array.from({ length: this.shards }, (_, shard) => shard);
  }
}

function joined(
  { settles }: StepInput,
  parts: readonly { readonly shard: number; readonly part: Part; readonly reply: StepReply }[],
): StepReply {
  const nowUs = parts[0]?.reply.nowUs ?? 0;
  const ends: SettleReply[] = settles.map(({ leaseId }) => ({ leaseId, stale: true, place: null }));
  for (const { shard, part, reply } of parts) {
    part.at.forEach((index, at) => {
      const { stale, place } = reply.settles[at] as SettleReply;
      const { leaseId } = ends[index] as SettleReply;
      ends[index] = { leaseId, stale, place: place === null ? null : `${shard}/${place}` };
    });
  }
  const replies = parts.map(({ reply }) => onClock(reply, nowUs));
  return {
    nowUs,
    seq: Math.max(0, ...replies.map(({ seq }) => seq)),
    grants: replies.flatMap(({ grants }) => grants),
    waits: replies.flatMap(({ waits }) => waits),
    denials: replies.flatMap(({ denials }) => denials),
    settles: ends,
    changes: replies.flatMap(({ changes }) => changes),
    wake: replies.flatMap(({ wake }) => wake),
  };
}

/** The nodes of a cluster have clocks of their own: moments are told by one of them. */
function onClock(reply: StepReply, nowUs: number): StepReply {
  const byUs = nowUs - reply.nowUs;
  if (byUs === 0) return reply;
  return {
    ...reply,
    grants: reply.grants.map((grant) => ({ ...grant, expiresAtUs: grant.expiresAtUs + byUs })),
    waits: reply.waits.map((wait) => ({
      ...wait,
      pollAtUs: wait.pollAtUs + byUs,
      estimateUs: wait.estimateUs + byUs,
      certainUs: wait.certainUs + byUs,
    })),
    denials: reply.denials.map((denial) => ({
      ...denial,
      retryAtUs: denial.retryAtUs === null ? null : denial.retryAtUs + byUs,
    })),
    changes: reply.changes.map((change) =>
      'untilUs' in change ? { ...change, untilUs: change.untilUs + byUs } : change,
    ),
  };
}

function placeIn(place: string): { readonly shard: number; readonly place: string } {
  const at = place.indexOf('/');
  return { shard: Number(place.slice(0, Math.max(0, at))), place: place.slice(at + 1) };
}
