/** A history of the memory engine, written down step by step, and the same steps in a real Redis. */
import { Redis } from 'ioredis';
import type { ResolvedContract } from '../../libs/core/src/contract/resolved.js';
import { hashValue } from '../../libs/core/src/gate/client/hashing.js';
import { Engine } from '../../libs/core/src/gate/memory/engine.js';
import type { StepInput, StepReply, Ticket } from '../../libs/core/src/gate/port.js';
import type { Clock } from '../../libs/core/src/time/clock.js';
import { placeOf } from '../../libs/redis/src/keys.js';
import { unpack } from '../../libs/redis/src/msgpack.js';
import { STEP_PARTS } from '../../libs/redis/src/generated/step-script.js';
import { scriptOf } from '../../libs/redis/src/script.js';
import { Wire } from '../../libs/redis/src/wire.js';
import { History, type HistoryOptions } from './history.js';

/** What one step gave: the reply, and the hints for other processes in no order that matters. */
interface Outcome {
  readonly reply: StepReply;
  readonly hints: readonly string[];
}

interface Told {
  readonly now: number;
  readonly contract: ResolvedContract;
  readonly input: StepInput;
  readonly outcome: Outcome;
}

/** The memory engine, which writes down what it was asked and what it said. */
class Recorder extends Engine {
  readonly told: Told[] = [];
  private readonly tenants: Tenants;

  constructor(private numbers: ResolvedContract) {
    const tenants = new Tenants(numbers.name);
    super(tenants.unhash(numbers));
    this.tenants = tenants;
  }

  /** Other numbers, for the same structure: another one is in use in Redis from when each ticket next asks. */
  override update(contract: ResolvedContract): void {
    this.numbers = { ...contract, tenants: this.numbers.tenants };
    super.update(this.tenants.unhash(this.numbers));
  }

  override step(now: number, input: StepInput): StepReply {
    const before = this.state.hints.length;
    const reply = super.step(now, this.strangers(input));
    const hints = this.state.hints.slice(before).map(({ processId, ticketKey }) => `${processId} ${ticketKey}`);
    this.told.push({ now, contract: this.numbers, input, outcome: { reply, hints: hints.sort() } });
    return reply;
  }

  /** With tickets of their own: a process in Redis cannot know those of the steps before. */
  private strangers(input: StepInput): StepInput {
    const own = <T extends { readonly ticket: Ticket }>(one: T): T => ({
      ...one,
      ticket: { ...one.ticket, tenant: this.tenants.hash(one.ticket.tenant) },
    });
    return { ...input, asks: input.asks.map(own), settles: input.settles.map(own) };
  }
}

/** No tenant leaves its process by its name: the memory engine is told of hashes, too. */
class Tenants {
  private readonly names = new Map<string, string>();

  constructor(private readonly provider: string) {}

  hash(tenant: string): string {
    if (tenant === '') return '';
    const hash = hashValue(this.provider, 'tenant', tenant);
    this.names.set(hash, tenant);
    return hash;
  }

  /** The contract's own function of tenants knows them by their names. */
  unhash(contract: ResolvedContract): ResolvedContract {
    const { weight } = contract.tenants;
    if (weight === null) return contract;
    return { ...contract, tenants: { ...contract.tenants, weight: (hash) => weight(this.names.get(hash) ?? hash) } };
  }
}

/** What was asked of the memory engine, step by step, and what it said. */
export interface Recorded {
  readonly contract: ResolvedContract;
  readonly told: readonly Told[];
}

export class RecordedHistory extends History {
  override readonly engine: Recorder;

  get recorded(): Recorded {
    return { contract: this.contract, told: this.engine.told };
  }

  constructor(contract: ResolvedContract, seed: number, options: HistoryOptions) {
    super(contract, seed, options);
    this.engine = new Recorder(contract);
  }
}

/** Steps that are on their way to Redis at once. */
const AT_ONCE = 100;

export class RedisTwin {
  private readonly redis = new Redis(process.env['REDIS_URL'] ?? 'redis://127.0.0.1:6379', { lazyConnect: true });
  private run: readonly string[] = [];
  private runs = 0;
  /** That were compared. */
  steps = 0;
  private now = 0;

  /** @param parts of the script; a mutant has its own */
  constructor(
    private readonly as: 'script' | 'function',
    private readonly parts = STEP_PARTS,
  ) {}

  private get clock(): Clock {
    return { wallMs: () => this.now / 1000, monoMs: () => this.now / 1000, schedule: () => () => undefined };
  }

  async open(): Promise<void> {
    const { source, library } = scriptOf('twin', this.parts);
    if (this.as === 'script' || library === null) {
      this.run = ['EVALSHA', String(await this.redis.script('LOAD', source))];
    } else {
      await this.redis.call('FUNCTION', 'DELETE', library.name).catch(() => undefined);
      await this.redis.call('FUNCTION', 'LOAD', library.source);
      this.run = ['FCALL', library.name];
    }
  }

  async close(): Promise<void> {
    await this.redis.quit();
  }

  /** The first step in which Redis says something else; null = none. */
  async compare({ contract, told }: Recorded): Promise<string | null> {
    this.runs += 1;
    const place = placeOf(`twin-${process.pid}-${this.runs}`, contract.name, null, false);
    let codec = new Wire(contract, place, this.clock);
    let current = contract;
    try {
      for (let from = 0; from < told.length; from += AT_ONCE) {
        const batch = told.slice(from, from + AT_ONCE);
        const answers = await Promise.allSettled(
          batch.map(({ now, input, contract: numbers }) => {
            this.now = now;
            if (numbers !== current) codec = new Wire(numbers, place, this.clock);
            current = numbers;
            const { keys, args } = codec.step(input);
            const [verb = '', name = ''] = this.run;
            return this.redis.callBuffer(verb, name, keys.length, ...keys, ...args, String(now));
          }),
        );
        for (const [i, answer] of answers.entries()) {
          const { input, outcome } = batch[i] as Told;
          if (answer.status === 'rejected') return `step ${from + i}: ${String(answer.reason)}`;
          const [raw, told] = answer.value as [Buffer, Buffer];
          const hints = (unpack(told) as [string, string][]).map((hint) => hint.join(' ')).sort();
          const { processes: _, bornUs: _born, previousStep: _previous, ...reply } = codec.reply(raw);
          const seen = JSON.stringify({ reply, hints }, null, 1);
          const meant = JSON.stringify(outcome, null, 1);
          this.steps += 1;
          if (seen !== meant) return difference(from + i, input, meant, seen);
        }
      }
      return null;
    } finally {
      await this.redis.del(...codec.inspect('').keys);
    }
  }
}

function difference(at: number, input: StepInput, meant: string, seen: string): string {
  const one = meant.split('\n');
  const other = seen.split('\n');
  const line = one.findIndex((text, i) => text !== other[i]);
  const around = (lines: readonly string[]): string => lines.slice(Math.max(0, line - 6), line + 6).join('\n');
  return `step ${at}: ${JSON.stringify(input)}\nin memory:\n${around(one)}\nin Redis:\n${around(other)}`;
}
