/** Several processes that share a gate in virtual time: calls come when they are told to, everything else follows from the gate's replies. */
import type { ResolvedContract } from '../../libs/core/src/contract/resolved.js';
import { Engine } from '../../libs/core/src/gate/memory/engine.js';
import type { GateCommand, Grant, Head, Settle, Ticket } from '../../libs/core/src/gate/port.js';
import type { Arrival } from './provider-judge.js';

const HINT_WAY_US = 1_000;

export interface Wanted {
  readonly lane: number;
  readonly tenant: string;
  readonly user: string;
  readonly latencyUs: number;
  /** From the grant to the provider. */
  readonly wayUs: number;
  /** It is refused, with so long a wait. */
  readonly refusedForUs?: number;
}

export interface Served extends Wanted {
  readonly cameAt: number;
  readonly grantedAt: number;
}

interface Line {
  readonly ticket: Ticket;
  readonly calls: { readonly id: number; readonly cameAt: number; readonly want: Wanted }[];
  pollAt: number;
}

interface Process {
  readonly id: string;
  stepNo: number;
  readonly lines: Map<string, Line>;
  settles: Settle[];
}

export class Fleet {
  readonly engine: Engine;
  readonly served: Served[] = [];
  readonly arrivals: Arrival[] = [];
  now: number;
  private readonly processes: readonly Process[];
  /** What happens when, in order; of one moment in the order of its planning. */
  private readonly plans = new Map<number, (() => void)[]>();
  private readonly moments: number[] = [];
  private ids = 0;

  constructor(
    private readonly contract: ResolvedContract,
    processes: number,
    startUs: number,
  ) {
    this.engine = new Engine(contract);
    this.now = startUs;
    this.processes = Array.from({ length: processes }, (_, i) => ({
      id: `p${i}`,
      stepNo: 0,
      lines: new Map(),
      settles: [],
    }));
  }

  at(moment: number, what: () => void): void {
    const there = this.plans.get(moment);
    if (there !== undefined) return void there.push(what);
    this.plans.set(moment, [what]);
    let low = 0;
    let high = this.moments.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.moments[middle] as number) > moment) low = middle + 1;
      else high = middle;
    }
    this.moments.splice(low, 0, moment);
  }

  run(untilUs: number): this {
    for (;;) {
      const moment = this.moments.pop();
      if (moment === undefined || moment > untilUs) return this;
      this.now = moment;
      const due = this.plans.get(moment) as (() => void)[];
      for (let i = 0; i < due.length; i += 1) due[i]?.();
      this.plans.delete(moment);
    }
  }

  call(index: number, want: Wanted): void {
    const process = this.processes[index] as Process;
    const key = `${want.lane}|${want.tenant}|${want.user}`;
    let line = process.lines.get(key);
    if (line === undefined) {
      const limits = this.contract.limits.map((_, i) => i);
      const ticket = { key, lane: want.lane, tenant: want.tenant, partition: { user: want.user }, limits };
      line = { ticket, calls: [], pollAt: 0 };
      process.lines.set(key, line);
    }
    this.ids += 1;
    line.calls.push({ id: this.ids, cameAt: this.now, want });
    // One that joins a line which waits already sends nothing.
    if (line.calls.length === 1) this.due(process, line, this.now);
  }

  command(command: GateCommand): void {
    this.step(this.processes[0] as Process, [command]);
  }

  private due(process: Process, line: Line, moment: number): void {
    line.pollAt = moment;
    this.at(moment, () => {
      if (line.calls.length > 0 && line.pollAt <= this.now) this.step(process, []);
    });
  }

  private step(process: Process, commands: readonly GateCommand[]): void {
    const lines = [...process.lines.values()]
      .filter((line) => line.calls.length > 0 && line.pollAt <= this.now)
      .sort((a, b) => a.ticket.lane - b.ticket.lane || a.pollAt - b.pollAt)
      .slice(0, 64);
    process.stepNo += 1;
    const settles = process.settles.splice(0);
    const asks = lines.map(({ ticket, calls }) => ({
      ticket,
      waiting: calls.length,
      heads: calls.slice(0, 8).map((call) => this.head(call.id, call.cameAt)),
      newestWaitedUs: this.now - (calls[calls.length - 1]?.cameAt ?? this.now),
    }));
    const { id: processId, stepNo } = process;
    const reply = this.engine.step(this.now, { processId, stepNo, seenSeq: 0, settles, asks, commands });
    for (const grant of reply.grants) this.granted(process, grant);
    const waits = new Map(reply.waits.map((wait) => [wait.ticketKey, wait.pollAtUs]));
    for (const line of lines) {
      if (line.calls.length > 0) this.due(process, line, Math.max(waits.get(line.ticket.key) ?? 0, this.now + 1));
    }
    const hints = [...reply.wake.map((ticketKey) => ({ processId, ticketKey })), ...this.engine.state.hints.splice(0)];
    for (const hint of hints) {
      const other = this.processes.find(({ id }) => id === hint.processId);
      const line = other?.lines.get(hint.ticketKey);
      if (other !== undefined && line !== undefined) this.due(other, line, this.now + HINT_WAY_US);
    }
  }

  private head(id: number, cameAt: number): Head {
    const charges = this.contract.limits.map(() => 1);
    const waitedUs = this.now - cameAt;
    const attempt = { attemptUs: 10_000_000, place: null, observe: false } as const;
    return { id, waitedUs, charges, kind: 'first', safety: 'safe', ...attempt };
  }

  private granted(process: Process, grant: Grant): void {
    const line = process.lines.get(grant.ticketKey) as Line;
    const { ticket } = line;
    const call = line.calls.splice(
      line.calls.findIndex(({ id }) => id === grant.headId),
      1,
    )[0];
    if (call === undefined) throw new Error('A grant for a call that does not wait.');
    const { want, cameAt } = call;
    this.served.push({ ...want, cameAt, grantedAt: this.now });
    const at = this.now + want.wayUs;
    const endsAt = at + want.latencyUs;
    this.arrivals.push({
      at,
      until: endsAt,
      partition: ticket.partition,
      limits: ticket.limits,
      costs: ticket.limits.map(() => 1),
    });
    this.at(endsAt, () => {
      const refusal = want.refusedForUs === undefined ? null : { limit: 0, waitUs: want.refusedForUs };
      const { leaseId } = grant;
      const told = { trueCharges: null, seen: [], retry: null, refusal };
      process.settles.push({ leaseId, ticket, end: 'answered', health: 'alive', ...told });
      this.step(process, []);
    });
  }
}
