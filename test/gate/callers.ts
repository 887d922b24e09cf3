/** Who calls in a history: which calls come, in which line they wait, and what their process asks for. */
import type { ResolvedContract } from '../../libs/core/src/contract/resolved.js';
import type { Ask, Head, Ticket } from '../../libs/core/src/gate/port.js';
import { type Call, type Line, pick, type Process } from './actors.js';

export class Callers {
  private ids = 0;

  constructor(
    private readonly contract: ResolvedContract,
    private readonly chance: () => number,
    /** Some of the calls are observed. */
    private readonly observe: boolean,
  ) {}

  arrive(process: Process, now: number): void {
    const calls = this.chance() < 0.15 ? Math.floor(this.chance() * 12) : this.chance() < 0.5 ? 1 : 0;
    if (calls === 0) return;
    const line = this.line(process);
    for (let i = 0; i < calls && line.calls.length < 30; i += 1) line.calls.push(this.call(line.ticket, now));
  }

  private line(process: Process): Line {
    const lane = this.chance() < 0.5 ? 0 : 1;
    const tenant = this.chance() < 0.4 ? '' : pick(this.chance, ['t1', 't2', 't3']);
    const user = pick(this.chance, ['u1', 'u2', 'u3']);
    const team = pick(this.chance, ['m1', 'm2']);
    const route = this.chance() < 0.6 ? null : pick(this.chance, ['list', 'search']);
    const key = `${lane}|${tenant}|${user}|${team}|${route}`;
    const known = process.lines.get(key);
    if (known !== undefined) return known;
    const limits = this.contract.limits.flatMap((limit, i) =>
      limit.routes === null || (route !== null && limit.routes.includes(route)) ? [i] : [],
    );
    const ticket = { key, lane, tenant, partition: { user, team }, limits };
    const line = { ticket, calls: [], pollAt: 0, shown: false };
    process.lines.set(key, line);
    return line;
  }

  call(ticket: Ticket, now: number): Call {
    this.ids += 1;
    const cost = this.chance() < 0.7 ? 1 : 1 + Math.floor(this.chance() * 4);
    return {
      id: this.ids,
      cameAt: now,
      kind: this.chance() < 0.8 ? 'first' : this.chance() < 0.7 ? 'retry' : 'repeat',
      safety: this.chance() < 0.5 ? 'safe' : 'unkeyed',
      charges: ticket.limits.map((i) => (this.contract.limits[i]?.unit === 'tokens' ? cost * 2 : 1)),
      observe: this.observe && this.chance() < 0.1,
      attemptUs: this.chance() < 0.7 ? 2_000_000 : 300_000,
      place: null,
    };
  }

  asks(process: Process, now: number): Ask[] {
    const asks: Ask[] = [];
    for (const line of process.lines.values()) {
      if (line.calls.length > 0 && this.chance() < 0.01) line.calls.shift();
      if (line.calls.length === 0) {
        if (line.shown) asks.push({ ticket: line.ticket, waiting: 0, heads: [], newestWaitedUs: 0 });
        line.shown = false;
      } else if (line.pollAt <= now || this.chance() < 0.02) asks.push(this.ask(line, now));
    }
    return asks;
  }

  ask(line: Line, now: number): Ask {
    // As the client's loop does: more where the gate has not told it to wait.
    const most = line.shown ? 8 : 64;
    line.shown = true;
    const heads = line.calls.slice(0, most).map((call): Head => {
      const { id, charges, kind, safety, attemptUs, place, observe } = call;
      return { id, waitedUs: now - call.cameAt, charges, kind, safety, attemptUs, place, observe };
    });
    const newest = line.calls[line.calls.length - 1] as Call;
    return { ticket: line.ticket, waiting: line.calls.length, heads, newestWaitedUs: now - newest.cameAt };
  }
}
