/** How a step is written for the Lua script, and how its reply is read. */
import type {
  Ask,
  Clock,
  GateCommand,
  GateView,
  Head,
  Partition,
  ResolvedContract,
  Settle,
  StepInput,
  Ticket,
} from '../../core/src/index.js';
import { keyIn, type Place } from './keys.js';
import { unpack } from './msgpack.js';
import type { FleetReply, ScriptCall, StepCodec } from './step-codec.js';
import { Tickets } from './wire-tickets.js';
import { type WrittenContract, writeContract } from './wire-contract.js';
import { readReply, readView } from './wire-reply.js';

/** The script's keys, in its order: see lua/store.lua. */
const KEYS = 'h st sx px ln to tn wt wk wx bp ls lx lg pl'.split(' ');

export class Wire implements StepCodec {
  private readonly keys: readonly string[];
  private readonly channel: string;
  private readonly sharded: string;
  private readonly tickets: Tickets;
  private written: WrittenContract = { text: '', goodUntilUs: -Infinity };

  constructor(
    private readonly contract: ResolvedContract,
    place: Place,
    /** Tells which calendar periods the contract names; the gate's time is Redis' own. */
    private readonly clock: Clock,
  ) {
    this.keys = KEYS.map((name) => keyIn(place, name));
    this.channel = keyIn(place, 'wake');
    this.sharded = place.sharded ? 'S' : '';
    this.tickets = new Tickets(contract);
  }

  private call(input: readonly unknown[], tickets: string): ScriptCall {
    const nowUs = this.clock.wallMs() * 1000;
    if (nowUs >= this.written.goodUntilUs) this.written = writeContract(this.contract, nowUs);
    return { keys: this.keys, args: [this.written.text, JSON.stringify(input), this.channel, this.sharded, tickets] };
  }

  step(input: StepInput): ScriptCall {
    const tickets = new Map<Ticket, number>();
    const indexOf = (ticket: Ticket): number => {
      const known = tickets.get(ticket);
      if (known !== undefined) return known;
      tickets.set(ticket, tickets.size);
      return tickets.size - 1;
    };
    const settles = writeSettles(input.settles, indexOf);
    const asks = input.asks.map((ask) => writeAsk(ask, indexOf));
    const commands = input.commands.map((command) => this.writeCommand(command));
    const written: string[] = [];
    for (const ticket of tickets.keys()) written.push(this.tickets.write(ticket));
    return this.call([input.processId, input.stepNo, input.seenSeq, settles, asks, commands], `[${written.join(',')}]`);
  }

  private writeCommand(command: GateCommand): readonly unknown[] {
    if (command.type === 'release-place') return [command.type, command.place];
    const named = this.named(command.partition);
    return command.type === 'pause' ? [command.type, ...named, command.forUs] : [command.type, ...named];
  }

  private named(partition: Partition | null): readonly [readonly string[] | false, Partition] {
    if (partition === null) return [false, {}];
    return [this.contract.dimensions.filter((dimension) => partition[dimension] !== undefined), partition];
  }

  reply(raw: unknown): FleetReply {
    const reply = readReply(valueOf(raw));
    const failed = this.tickets.takeFailures();
    return failed.length === 0 ? reply : { ...reply, changes: [...reply.changes, ...failed] };
  }

  inspect(processId: string): ScriptCall {
    return this.call([processId], '[]');
  }

  view(raw: unknown): GateView {
    return readView(this.contract, valueOf(raw));
  }

  hint(message: Buffer): readonly string[] {
    return unpack(message) as string[];
  }
}

function valueOf(raw: unknown): unknown {
  if (!Buffer.isBuffer(raw)) throw new TypeError('The script answers with packed bytes.');
  return unpack(raw);
}

type IndexOf = (ticket: Ticket) => number;

function writeHead(head: Head): readonly unknown[] {
  const { id, waitedUs, charges, kind, safety, attemptUs, place, observe } = head;
  return [id, waitedUs, charges, kind, safety, attemptUs, place ?? false, observe];
}

function writeAsk(ask: Ask, indexOf: IndexOf): readonly unknown[] {
  return [indexOf(ask.ticket), ask.waiting, ask.newestWaitedUs, writeHeads(ask.heads)];
}

/** Of those that are alike only the first is written in full: see lua/input.lua. */
function writeHeads(heads: readonly Head[]): readonly unknown[] {
  return heads.flatMap<unknown>((head, i) => {
    const before = heads[i - 1];
    return before !== undefined && alike(head, before) ? [head.id, head.waitedUs] : [writeHead(head)];
  });
}

function alike(one: Head, other: Head): boolean {
  return (
    one.charges === other.charges &&
    one.kind === other.kind &&
    one.safety === other.safety &&
    one.attemptUs === other.attemptUs &&
    one.place === other.place &&
    one.observe === other.observe
  );
}

/** Nothing is to be said but that it was answered. */
function isPlain({ leaseId, end, health, refusal, trueCharges, seen, retry }: Settle): boolean {
  if (typeof leaseId !== 'number' || end !== 'answered' || health !== 'alive') return false;
  return refusal === null && trueCharges === null && seen.length === 0 && retry === null;
}

/** As heads are. */
function writeSettles(settles: readonly Settle[], indexOf: IndexOf): readonly unknown[] {
  const written: unknown[] = [];
  let before: Settle | undefined;
  let following = 0;
  const flush = (): void => {
    if (following > 0) written.push(-following);
    following = 0;
  };
  for (const settle of settles) {
    const plain = before?.ticket === settle.ticket && isPlain(settle);
    if (plain && typeof before?.leaseId === 'number' && settle.leaseId === before.leaseId + 1) following += 1;
    else {
      flush();
      written.push(plain ? settle.leaseId : writeSettle(settle, indexOf));
    }
    before = settle;
  }
  flush();
  return written;
}

function writeSettle(settle: Settle, indexOf: IndexOf): unknown {
  const { ticket, leaseId, end, health, refusal, trueCharges, seen, retry } = settle;
  return [
    indexOf(ticket),
    leaseId,
    end,
    health,
    refusal !== null && [refusal.limit ?? false, refusal.waitUs ?? false],
    trueCharges ?? false,
    seen.map(({ limit, remaining, resetInUs }) => [limit, remaining ?? false, resetInUs ?? false]),
    retry !== null && [retry.afterUs, retry.keepUs],
  ];
}
