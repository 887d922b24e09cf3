/** The driver: one step of the gate at a time, everything that happens meanwhile in the next; one timer for all that waits. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { AdmissionRequest } from '../admission.js';
import type { Ask, Grant, Head, StepInput, StepReply, Ticket } from '../port.js';
import { Alarm } from './alarm.js';
import { askAlone, askOf } from './asks.js';
import type { Waiter } from './line.js';
import type { LoopDeps } from './loop-deps.js';
import { Journeys } from './journey.js';
import { FLUSH_MS } from './outbox.js';
import { Pace } from './pace.js';
import { grantAlone, isPromise } from './answers.js';
import type { SentStep } from './sent-step.js';
import type { OutgoingSettle } from './settlements.js';

/** Asks, and settles, of one step. */
export const MAX_A_STEP = 64;
/** Asks of one step of a shared gate: all who share it wait while it is taken, and where thousands wait an ask takes long. */
export const MAX_ASKS_SHARED = 16;
/** What a failed step carried is offered again after this long, and up to as much again. */
const AGAIN_AFTER_MS = 500;
/** Two moments as near as this are the same: times in microseconds become fractions of milliseconds. */
const SAME_MOMENT_MS = 1e-3;

/** What a sum of two times may be off by: a timer armed for less than this would not move the clock. */
const ROUNDING_MS = 1e-5;

/** Gate, timers and callbacks must not hold the async context of the caller who happened to set them off. */
const inRootContext = AsyncLocalStorage.snapshot();

/** A step's input, with what its reply has to be told to. */
interface Packed extends StepInput {
  readonly settles: readonly OutgoingSettle[];
}

export class GateLoop {
  private stepping = false;
  private stopped = false;
  private soon = false;
  private stepNo = 0;
  private seenSeq = 0;
  /** As the last reply was; null until there is one. */
  private answersAtOnce: boolean | null = null;
  private readonly alarm: Alarm;
  private readonly pace = new Pace();
  private readonly journeys = new Journeys();
  /** The moment of the last step. */
  private latestMono = -Infinity;

  constructor(private readonly deps: LoopDeps) {
    this.alarm = new Alarm(deps.clock, () => this.timerFired());
  }

  /** Whether a gate elsewhere is asked, so that others may wait for what this process gives back. */
  get shared(): boolean {
    return this.answersAtOnce === false;
  }

  get underWay(): boolean {
    return this.stepping;
  }

  /** Sends what must be sent now, and arms the timer for the rest. */
  run(): void {
    if (this.stopped) return;
    if (!this.stepping) {
      while (this.mustStep()) if (!this.step()) break;
    }
    this.rearm();
    if (!this.stepping) this.deps.idle();
  }

  /** Whether a newcomer may be asked for by itself: nothing is under way, nothing has to go before it, and the answer comes at once. */
  get free(): boolean {
    const { lines, outbox } = this.deps;
    return this.answersAtOnce === true && !this.stepping && !this.stopped && !lines.dirty && !outbox.urgent;
  }

  /**
   * Asks for one newcomer whose ticket has no line. Returns its grant, where that is the answer; else it stands in its line
   * as the waiter returned, and the answer was read there.
   */
  askFor(ticket: Ticket, request: AdmissionRequest, head: Head, nowMono: number): Grant | Waiter {
    const input = this.inputOf([askAlone(ticket, head)], nowMono);
    let reply: StepReply | Promise<StepReply>;
    this.stepping = true;
    try {
      reply = this.deps.gate.step(input, nowMono);
    } catch (error) {
      const waiter = this.deps.waiterOf(request, head, nowMono);
      this.failed(this.sentInLine(input, ticket, waiter, nowMono), error);
      this.stepping = false;
      return waiter;
    }
    const grant = isPromise(reply) ? null : grantAlone(reply, head);
    if (grant === null) {
      const waiter = this.deps.waiterOf(request, head, nowMono);
      this.stepping = !this.take(reply, this.sentInLine(input, ticket, waiter, nowMono));
      return waiter;
    }
    this.note(reply as StepReply, input.settles);
    this.stepping = false;
    if (this.deps.outbox.urgent) this.run();
    else if (this.alarm.isSet && this.alarm.forMono > nowMono + FLUSH_MS) this.rearm();
    return grant;
  }

  private sentInLine({ settles, commands }: Packed, ticket: Ticket, waiter: Waiter, sentMono: number): SentStep {
    const line = this.deps.lines.lineOf(ticket);
    this.deps.lines.enterShown(line, waiter);
    return { sentMono, lines: [line], settles, commands };
  }

  private note(reply: StepReply, settles: readonly OutgoingSettle[]): void {
    if (reply.seq > this.seenSeq) this.seenSeq = reply.seq;
    for (let i = 0; i < settles.length; i += 1) settles[i]?.onPlace?.(reply.settles[i]?.place ?? null);
    if (reply.changes.length > 0) this.deps.changed(reply);
  }

  /** When what is given now is sent at the latest: the timer that is armed already will do, if it comes within the time of a flush. */
  flushMono(): number {
    const { forMono } = this.alarm;
    return forMono <= this.latestMono + FLUSH_MS ? forMono : this.deps.clock.monoMs() + FLUSH_MS;
  }

  /** As `run`, once what is being done now is done. */
  runSoon(): void {
    if (this.soon || this.stopped) return;
    this.soon = true;
    inRootContext(() =>
      queueMicrotask(() => {
        this.soon = false;
        try {
          this.run();
        } catch (error) {
          this.deps.faulted(error);
        }
      }),
    );
  }

  /** Arms the one timer at the first moment at which something is due. */
  rearm(): void {
    if (!this.stopped) this.alarm.set(this.nextDueMono());
  }

  stop(): void {
    this.stopped = true;
    this.alarm.stop();
  }

  private nextDueMono(): number {
    const { lines, outbox } = this.deps;
    if (this.stepping) return lines.attentionMono;
    const sendMono = lines.dirty || outbox.urgent ? this.pace.notBeforeMono : outbox.flushAtMono;
    return Math.min(lines.attentionMono, sendMono);
  }

  private mustStep(): boolean {
    const { lines, outbox } = this.deps;
    if (!lines.dirty && !outbox.urgent) return false;
    return !this.shared || this.deps.clock.monoMs() >= this.pace.notBeforeMono - ROUNDING_MS;
  }

  /** True when the reply has been read; false while it is awaited. */
  private step(): boolean {
    const { gate, clock, lines } = this.deps;
    const sentMono = clock.monoMs();
    const shown = lines.takeDirty(this.shared ? MAX_ASKS_SHARED : MAX_A_STEP);
    const asks = shown.map((line) => askOf(line, sentMono, shown.length === 1, this.deps.underWay()));
    const input = this.inputOf(asks, sentMono);
    const { settles, commands } = input;
    const sent: SentStep = { sentMono, lines: shown, settles, commands };
    this.stepping = true;
    try {
      const reply =
        this.answersAtOnce === true ? gate.step(input, sentMono) : inRootContext(() => gate.step(input, sentMono));
      this.stepping = !this.take(reply, sent);
    } catch (error) {
      this.failed(sent, error);
      this.stepping = false;
    }
    return !this.stepping;
  }

  /** What goes to the gate: these asks, and as much of the outbox as a step takes. */
  private inputOf(asks: readonly Ask[], sentMono: number): Packed {
    this.latestMono = sentMono;
    this.stepNo += 1;
    const { processId, outbox } = this.deps;
    const settles = outbox.takeSettles(MAX_A_STEP);
    const commands = outbox.takeCommands();
    return { processId, stepNo: this.stepNo, seenSeq: this.seenSeq, settles, asks, commands };
  }

  /** True when the reply has been read; false while it is awaited. */
  private take(reply: StepReply | Promise<StepReply>, sent: SentStep): boolean {
    if (isPromise(reply)) {
      this.answersAtOnce = false;
      this.pace.stepped(sent.sentMono, this.deps.lines.dirty);
      inRootContext(() => this.await(reply, sent));
      return false;
    }
    // One that had to load its state first answered by a promise until it had.
    this.answersAtOnce = true;
    try {
      this.read(reply, sent, sent.sentMono);
    } catch (error) {
      this.failed(sent, error);
    }
    return true;
  }

  private await(reply: Promise<StepReply>, sent: SentStep): void {
    reply.then(
      (answer) => this.conclude(sent, () => this.read(answer, sent, this.deps.clock.monoMs())),
      (error: unknown) => this.conclude(sent, () => this.failed(sent, error)),
    );
  }

  private conclude(sent: SentStep, take: () => void): void {
    try {
      take();
    } catch (error) {
      this.failed(sent, error);
    }
    this.stepping = false;
    this.run();
  }

  private read(reply: StepReply, sent: SentStep, nowMono: number): void {
    const { guardMs } = this.deps.contract();
    if (reply.seq > this.seenSeq) this.seenSeq = reply.seq;
    let stale = false;
    if (this.shared) {
      const { ageMs, queuedMs } = this.journeys.of(sent.sentMono, reply, nowMono);
      this.pace.answered(nowMono, reply.grants.length > 0 && reply.waits.length === 0, queuedMs);
      // What is left of the guard must cover the way to the provider.
      stale = guardMs > 0 && ageMs > guardMs / 2;
    }
    this.deps.reader.read(reply, sent, nowMono, stale);
    if (reply.changes.length > 0) this.deps.changed(reply);
  }

  private failed(sent: SentStep, error: unknown): void {
    const againMs = AGAIN_AFTER_MS * (1 + this.deps.random.next());
    this.deps.outbox.putBack(sent.settles, sent.commands, this.deps.clock.monoMs() + againMs);
    this.deps.stepFailed(sent.lines, error);
  }

  private timerFired(): void {
    try {
      this.attendToDue();
    } catch (error) {
      this.deps.faulted(error);
    }
  }

  private attendToDue(): void {
    const { lines, outbox, reader, clock } = this.deps;
    const nowMono = clock.monoMs();
    const dueMono = nowMono + ROUNDING_MS;
    // Those whom the gate has told the same moment are asked for in one step, so that it can put them in order.
    const due = lines.takeDue(nowMono + SAME_MOMENT_MS);
    for (const line of due) {
      reader.expire(line, nowMono);
      if (line.count > 0 && line.pollAtMono <= nowMono + SAME_MOMENT_MS) lines.markDirty(line);
    }
    if (outbox.flushAtMono <= dueMono) outbox.flush();
    this.run();
    // Asked for first, refused after: a call may start at its very last moment.
    for (const line of due) {
      reader.expire(line, nowMono + SAME_MOMENT_MS);
      lines.attend(line);
    }
    this.run();
  }
}
