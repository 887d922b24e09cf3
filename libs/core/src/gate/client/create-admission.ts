import type { ResolvedContract } from '../../contract/resolved.js';
import { configError } from '../../errors/config-error.js';
import type { EventSink } from '../../events/events.js';
import type { Partition } from '../../model/outcome.js';
import type { Cancel, Clock } from '../../time/clock.js';
import type { Random } from '../../time/random.js';
import type { Admission, AdmissionRequest, AdmissionView, Permit } from '../admission.js';
import type { Gate, Head, ProviderGate, Ticket } from '../port.js';
import type { UsedBook } from '../used-book.js';
import { Arrivals, startByMono } from './arrivals.js';
import { Desk } from './desk.js';
import { Idleness } from './idleness.js';
import { type Line, Waiter } from './line.js';
import { Lines } from './lines.js';
import { GateLoop } from './loop.js';
import { Outbox } from './outbox.js';
import { Refusals } from './refusals.js';
import { ReplyReader } from './replies.js';
import { renewLines, waitersOf } from './renewal.js';
import { Reports } from './reports.js';
import { SignalWatch } from './signals.js';
import { waitingView } from './waiting-view.js';

/** Permits that are still out, and the last settles, are waited for this long at the close. */
const CLOSE_MS = 1_000;

export interface AdmissionDeps {
  readonly contract: ResolvedContract;
  readonly gate: Gate;
  readonly clock: Clock;
  readonly random: Random;
  readonly events: EventSink;
  /** Unique in the fleet. */
  readonly processId: string;
  /** Where used amounts are kept; absent or null = nowhere. */
  readonly used?: UsedBook | null;
}

/** Opens the gate of a provider and puts the waiting lines of this process in front of it. */
export function createAdmission(deps: AdmissionDeps): Admission {
  return new GateAdmission(deps);
}

class GateAdmission implements Admission {
  private contract: ResolvedContract;
  private readonly clock: Clock;
  private readonly gate: ProviderGate;
  private readonly lines = new Lines();
  private readonly outbox = new Outbox();
  private readonly signals = new SignalWatch();
  private readonly reports: Reports;
  private readonly refusals: Refusals;
  private readonly desk: Desk;
  private readonly reader: ReplyReader;
  private readonly arrivals: Arrivals;
  private readonly loop: GateLoop;
  private readonly stopHints: Cancel;
  private readonly idleness: Idleness;
  private draining = false;
  private closed = false;

  constructor(private readonly deps: AdmissionDeps) {
    const { clock, contract } = deps;
    const contractNow = (): ResolvedContract => this.contract;
    this.contract = contract;
    this.clock = clock;
    this.idleness = new Idleness(clock, () => this.desk.active === 0 && this.outbox.size === 0 && !this.loop.underWay);
    this.reports = new Reports(deps.events, clock, contractNow);
    this.refusals = new Refusals(clock, contractNow);
    this.desk = new Desk({
      lines: this.lines,
      outbox: this.outbox,
      reports: this.reports,
      contract: contractNow,
      pressing: () => ({ shared: this.loop.shared, draining: this.draining }),
      flushMono: () => this.loop.flushMono(),
      posted: () => this.posted(),
    });
    this.reader = new ReplyReader(this.lines, this.refusals, this.desk);
    this.arrivals = new Arrivals(contract, this.lines, this.refusals, this.reader);
    this.gate = deps.gate.open(contract, {
      clock,
      processId: deps.processId,
      used: deps.used ?? null,
      report: (what, error) => this.reports.fault(what, error),
      warn: (about, taken) => this.reports.guess(about, taken),
    });
    this.loop = new GateLoop({
      gate: this.gate,
      clock,
      random: deps.random,
      processId: deps.processId,
      lines: this.lines,
      outbox: this.outbox,
      reader: this.reader,
      contract: contractNow,
      underWay: () => this.desk.active,
      waiterOf: (request, head, nowMono) => this.arrivals.waiterOf(request, head, nowMono),
      stepFailed: (lines, error) => this.stepFailed(lines, error),
      changed: (reply) => this.reports.changes(reply),
      faulted: (error) => this.reports.fault('gate loop', error),
      idle: () => this.idleness.tell(),
    });
    this.stopHints = this.gate.onWake((keys) => this.hinted(keys));
  }

  admit(request: AdmissionRequest): Permit | Promise<Permit> {
    const { signal } = request;
    if (signal?.aborted) return Promise.reject(signal.reason);
    const nowMono = this.clock.monoMs();
    if (this.draining) {
      return request.observe ? this.desk.freePermit(null, nowMono) : Promise.reject(this.refusals.shutdown());
    }
    let ticket: Ticket;
    let head: Head;
    try {
      ticket = this.arrivals.ticketFor(request);
      head = this.arrivals.headOf(request, nowMono);
    } catch (error) {
      if (!request.observe) return Promise.reject(error);
      this.reports.guess('partition', 'observed call sent without being counted');
      return this.desk.freePermit(null, nowMono);
    }
    let waiter: Waiter;
    if (request.observe) {
      waiter = this.arrivals.waiterOf(request, head, nowMono);
      return this.observe(this.lines.lineOf(ticket), waiter, nowMono);
    }
    if (this.loop.free && startByMono(request) >= nowMono && this.lines.get(ticket.key) === undefined) {
      const answer = this.loop.askFor(ticket, request, head, nowMono);
      if (!(answer instanceof Waiter)) {
        return this.unlessAborted(this.desk.permitAtOnce(head.charges, ticket, answer, nowMono), signal);
      }
      waiter = answer;
    } else {
      waiter = this.arrivals.waiterOf(request, head, nowMono);
      const line = this.lines.lineOf(ticket);
      const refusal = this.arrivals.refusalAtOnce(line, waiter, nowMono);
      if (refusal !== null) {
        this.lines.tidy(line);
        return Promise.reject(refusal);
      }
      this.lines.enter(line, waiter);
    }
    this.loop.run();
    if (waiter.permit !== null) return this.unlessAborted(waiter.permit, signal);
    if (waiter.refused) return Promise.reject(waiter.reason);
    return this.wait(waiter);
  }

  releasePlace(place: string): void {
    this.outbox.addCommand({ type: 'release-place', place }, false, this.clock.monoMs());
    this.loop.run();
  }

  pause(partition: Partition | null, forMs: number): void {
    if (!(forMs >= 0 && forMs < Infinity)) {
      throw configError(this.contract.name, 'forMs of pause', forMs, 'a number of milliseconds of at least 0');
    }
    const forUs = Math.round(forMs * 1000);
    this.outbox.addCommand(
      { type: 'pause', partition: this.arrivals.hashed(partition), forUs },
      true,
      this.clock.monoMs(),
    );
    this.loop.run();
  }

  resume(partition: Partition | null): void {
    this.outbox.addCommand({ type: 'resume', partition: this.arrivals.hashed(partition) }, true, this.clock.monoMs());
    this.loop.run();
  }

  update(contract: ResolvedContract): void {
    const before = this.contract;
    this.contract = contract;
    this.gate.update(contract);
    this.arrivals.renew(contract);
    renewLines(this.lines, this.arrivals.tickets, before, contract, (waiter, error) => this.end(waiter, error));
    this.loop.run();
  }

  async inspect(): Promise<AdmissionView> {
    this.outbox.flush();
    this.loop.run();
    const gate = await this.gate.inspect();
    return { gate, ...waitingView(this.lines, this.contract, this.clock.monoMs()), active: this.desk.active };
  }

  drain(graceMs: number): Promise<void> {
    this.draining = true;
    for (const waiter of waitersOf(this.lines)) {
      if (waiter.observed === null) this.end(waiter, this.refusals.shutdown());
    }
    this.outbox.flush();
    this.loop.run();
    return this.idleness.within(graceMs);
  }

  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    await this.drain(CLOSE_MS);
    this.stopHints();
    this.loop.stop();
    this.outbox.drop();
    await this.gate.close();
  }

  private observe(line: Line, waiter: Waiter, nowMono: number): Permit {
    this.lines.enter(line, waiter);
    this.lines.markDirty(line);
    this.loop.run();
    if (waiter.permit !== null) return waiter.permit;
    waiter.observed = this.desk.freePermit(waiter, nowMono);
    if (waiter.line === null) this.desk.observedGranted(waiter, null);
    return waiter.observed ?? this.desk.freePermit(null, nowMono);
  }

  private wait(waiter: Waiter): Promise<Permit> {
    const full = waiter.line === null ? null : this.arrivals.queueFull(waiter.line);
    if (full !== null) {
      this.end(waiter, full);
      this.loop.run();
      return Promise.reject(full);
    }
    const promise = waiter.promise();
    this.lines.seat(waiter);
    const { signal } = waiter.request;
    if (signal !== undefined) {
      const cancel = (): void => {
        this.end(waiter, signal.reason);
        this.loop.run();
      };
      waiter.unwatch = this.signals.watch(signal, cancel);
      if (signal.aborted) cancel();
    }
    this.loop.rearm();
    return promise;
  }

  /** Ends the wait of one call, by any road but a grant. */
  private end(waiter: Waiter, reason: unknown): void {
    if (waiter.line === null) return;
    this.lines.leave(waiter);
    waiter.refuse(reason);
  }

  private unlessAborted(permit: Permit, signal: AbortSignal | undefined): Permit | Promise<Permit> {
    if (!signal?.aborted) return permit;
    permit.settle({ end: 'not-sent', health: 'none', refusal: null, trueUnits: null, seen: [] });
    return Promise.reject(signal.reason);
  }

  private posted(): void {
    if (this.outbox.urgent || this.draining) this.loop.run();
    else this.loop.rearm();
  }

  /** A hint may come from within a step of this very gate: it is followed after that step. */
  private hinted(keys: readonly string[]): void {
    const nowMono = this.clock.monoMs();
    for (const key of keys) this.reader.wake(key, nowMono);
    this.loop.runSoon();
  }

  private stepFailed(lines: readonly Line[], error: unknown): void {
    this.reports.fault(`${this.deps.gate.kind} gate`, error);
    const refusal = this.refusals.gateUnavailable(this.deps.gate.kind, error);
    for (const line of lines) {
      line.known = false;
      line.sent = null;
      for (let waiter = line.first; waiter !== null; waiter = line.first) {
        this.lines.leave(waiter);
        if (waiter.observe) this.release(waiter);
        else waiter.refuse(refusal);
      }
      this.lines.tidy(line);
    }
  }

  /** An observed call is sent even where the gate fails. */
  private release(waiter: Waiter): void {
    if (waiter.observed !== null) this.desk.observedGranted(waiter, null);
    else waiter.grant(this.desk.freePermit(null, this.clock.monoMs()));
  }
}
