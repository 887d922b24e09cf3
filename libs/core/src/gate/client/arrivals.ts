/** Calls that come to the line: their ticket, their bounds, and what can be refused without asking the gate. */
import type { ResolvedContract } from '../../contract/resolved.js';
import { configError } from '../../errors/config-error.js';
import type { Partition } from '../../model/outcome.js';
import type { AdmissionRequest } from '../admission.js';
import type { Head, Ticket } from '../port.js';
import { newcomer } from './asks.js';
import { type Line, Waiter } from './line.js';
import type { Lines } from './lines.js';
import type { Refusals } from './refusals.js';
import type { ReplyReader } from './replies.js';
import { TicketBook } from './tickets.js';

/** The last moment at which a call may start: its deadline less the time the attempt needs. */
export function startByMono({ deadlineMono, needMs }: AdmissionRequest): number {
  const moment = deadlineMono - needMs;
  return Number.isNaN(moment) ? Infinity : moment;
}

export class Arrivals {
  tickets: TicketBook;
  private readonly shadows = new WeakMap<Ticket, Ticket>();
  private lastId = 0;

  constructor(
    private contract: ResolvedContract,
    private readonly lines: Lines,
    private readonly refusals: Refusals,
    private readonly reader: ReplyReader,
  ) {
    this.tickets = new TicketBook(contract);
  }

  renew(contract: ResolvedContract): void {
    this.contract = contract;
    this.tickets = new TicketBook(contract);
  }

  /** @throws SluiceError CONFIG when a value that a limit is counted by was not given. */
  ticketFor(request: AdmissionRequest): Ticket {
    const { lane } = request;
    if (this.contract.lanes[lane] === undefined) {
      throw configError(this.contract.name, 'lane', lane, `an index below ${this.contract.lanes.length}`);
    }
    const ticket = this.tickets.ticketOf(request);
    return request.observe ? this.shadowOf(ticket) : ticket;
  }

  /** A call as the gate is shown it, before it stands in any line: most never do. */
  headOf(request: AdmissionRequest, nowMono: number): Head {
    this.lastId += 1;
    return newcomer(this.lastId, request, this.tickets.chargesOf(request.route, request.units), nowMono);
  }

  waiterOf(request: AdmissionRequest, { id, charges }: Head, nowMono: number): Waiter {
    const { lane, maxWaitMs } = request;
    const bounded = maxWaitMs >= 0 && maxWaitMs < Infinity;
    const longestMs = bounded ? maxWaitMs : (this.contract.lanes[lane]?.maxWaitMs ?? this.contract.queue.maxWaitMs);
    return new Waiter(id, request, charges, nowMono, startByMono(request), nowMono + longestMs, request.observe);
  }

  /** What can be said without asking the gate: too late, a full queue, or no way to start in time behind those who wait. */
  refusalAtOnce(line: Line, waiter: Waiter, nowMono: number): unknown {
    if (waiter.startByMono < nowMono) return this.refusals.tooLate(waiter, waiter.request.deadlineMono, nowMono);
    if (line.first === null) return null;
    return this.queueFull(line) ?? this.reader.judgeNewcomer(line, waiter, nowMono);
  }

  /** The refusal where no place is left to wait in; null = there is one. */
  queueFull(line: Line): unknown {
    const full = this.lines.places.full(this.contract, line.ticket.lane, line.ticket.tenant);
    if (full === null) return null;
    const soonest = line.wait?.estimateMono ?? this.lines.attentionMono;
    return this.refusals.queueFull(full, soonest < Infinity ? soonest : null);
  }

  /** @throws SluiceError CONFIG when the contract has no such dimension. */
  hashed(partition: Partition | null): Partition | null {
    if (partition === null) return null;
    const { dimensions, name } = this.contract;
    const stranger = Object.keys(partition).find((dimension) => !dimensions.includes(dimension));
    if (stranger !== undefined) {
      const known =
        dimensions.length === 0 ? 'none: the contract has no dimensions' : `one of: ${dimensions.join(', ')}`;
      throw configError(name, 'the dimension in `partition`', stranger, known);
    }
    return this.tickets.hashed(partition);
  }

  /** Observed calls have tickets of their own: nobody stands in line behind them. */
  private shadowOf(ticket: Ticket): Ticket {
    let shadow = this.shadows.get(ticket);
    if (shadow === undefined) {
      shadow = { ...ticket, key: `${ticket.key}|observed` };
      this.shadows.set(ticket, shadow);
    }
    return shadow;
  }
}
