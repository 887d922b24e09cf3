import type { SluiceError } from '../../errors/sluice-error.js';
import type { AdmissionRequest, Permit } from '../admission.js';
import type { Ticket, WaitCause } from '../port.js';
import { Heap, type HeapItem } from './heap.js';
import type { AdmittedPermit } from './permit.js';

/** The gate's unit of time. */
const BEFORE_EQUALS_MS = 1e-3;

/** A gate that is elsewhere says within its own time that it is away; one that says nothing at all is waited for no longer than this. */
const ANSWER_MS = 10_000;

/** One call in line. In the heap of its line it is ordered by `at`: the last moment at which it may start. */
export class Waiter implements HeapItem {
  at: number;
  slot = -1;
  /** Its neighbours in line, in order of rank. */
  previous: Waiter | null = null;
  next: Waiter | null = null;
  /** Null once it has left, by whichever road. */
  line: Line | null = null;
  /** It takes a place of the queue; before its first ask was answered by "wait" it does not. */
  seated = false;
  /** Ends the watch on its signal. */
  unwatch: (() => void) | null = null;
  /** Charged and sent whatever the gate says: the permit it has already, where the gate could not answer at once. */
  observed: AdmittedPermit | null = null;

  readonly rankMono: number;

  /** Its end, where it came before anybody waited for it. */
  permit: Permit | null = null;
  reason: unknown = undefined;
  refused = false;
  private resolve: ((permit: Permit) => void) | null = null;
  private reject: ((reason: unknown) => void) | null = null;

  constructor(
    readonly id: number,
    readonly request: AdmissionRequest,
    public charges: readonly number[],
    readonly arrivedMono: number,
    /** Deadline less the time the attempt needs. */
    readonly startByMono: number,
    /** End of its longest wait in line. */
    readonly waitUntilMono: number,
    public observe: boolean,
  ) {
    this.at = this.lastMono(false);
    this.rankMono = rankOf(request, arrivedMono);
  }

  /** The last moment at which it may start. `told`: the gate has answered that it must wait; to wait for that answer is no wait in line. */
  lastMono(told: boolean): number {
    const { startByMono, waitUntilMono } = this;
    return Math.min(startByMono, told ? waitUntilMono : Math.max(waitUntilMono, this.arrivedMono + ANSWER_MS));
  }

  grant(permit: Permit): void {
    if (this.resolve === null) this.permit = permit;
    else this.resolve(permit);
  }

  refuse(reason: SluiceError | unknown): void {
    this.refused = true;
    if (this.reject === null) this.reason = reason;
    else this.reject(reason);
  }

  /** What its caller gets: made only for a call that has to wait. */
  promise(): Promise<Permit> {
    return new Promise<Permit>((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
  }
}

/** When its call came, by which it stands in line: one that goes again has been served before, so before those who came with it. */
export function rankOf({ kind, arrivedMono }: AdmissionRequest, nowMono: number): number {
  const cameMono = Math.min(arrivedMono ?? nowMono, nowMono);
  return kind === 'first' && arrivedMono === undefined ? cameMono : cameMono - BEFORE_EQUALS_MS;
}

/** What the gate said of a ticket that must wait, on this process's monotonic clock. */
export interface LineWait {
  readonly cause: WaitCause;
  readonly limit: number | null;
  readonly estimateMono: number;
  readonly certainMono: number;
}

/** Changes of cause a line remembers; older ones are told as part of the one that followed. */
const MAX_SPELLS = 32;

interface Spell {
  cause: WaitCause;
  limitName: string | null;
  fromMono: number;
}

/** All waiting calls of one ticket, in order of their calls' arrival. In the heap of lines it is ordered by `at`: when it needs attention. */
export class Line implements HeapItem {
  at = Infinity;
  slot = -1;
  first: Waiter | null = null;
  last: Waiter | null = null;
  count = 0;
  /** Sum of the charges of those seated, by position in `ticket.limits`. */
  readonly owed: number[];
  /** First attempts among those seated. */
  firsts = 0;
  readonly bounds = new Heap<Waiter>();
  wait: LineWait | null = null;
  pollAtMono = Infinity;
  /** The gate may hold an entry for it, which must be taken out when the line is empty. */
  known = false;
  /** The gate has answered that those who stand in it must wait. */
  told = false;
  /** Its last grant came too late to be used. */
  late = false;
  /** How often in a row nobody was refused by its last word, because grants beside it are given back. */
  spared = 0;
  /** To be shown to the gate in the next step. */
  dirty = false;
  /** The heads it was shown with in the step under way. */
  sent: readonly Waiter[] | null = null;
  /** The reply being read has granted, denied or given back something of it. */
  moved = false;
  /** When it was last told to wait, and how often in a row at that moment. */
  heldAtMono = -Infinity;
  inVain = 0;
  /** To be asked for again as soon as the reply is read. */
  hinted = false;
  private spells: Spell[] = [];

  constructor(readonly ticket: Ticket) {
    this.owed = ticket.limits.map(() => 0);
  }

  /** Puts a call where its arrival belongs: at the end, unless it goes again. Those stand near the front, so they are looked for there. */
  insert(waiter: Waiter): void {
    if (this.count === 0) this.told = this.late = false;
    let next = this.last === null || this.last.rankMono <= waiter.rankMono ? null : this.first;
    while (next !== null && next.rankMono <= waiter.rankMono) ({ next } = next);
    const previous = next === null ? this.last : next.previous;
    waiter.line = this;
    waiter.previous = previous;
    waiter.next = next;
    if (previous === null) this.first = waiter;
    else previous.next = waiter;
    if (next === null) this.last = waiter;
    else next.previous = waiter;
    this.count += 1;
  }

  unlink(waiter: Waiter): void {
    if (waiter.previous === null) this.first = waiter.next;
    else waiter.previous.next = waiter.next;
    if (waiter.next === null) this.last = waiter.previous;
    else waiter.next.previous = waiter.previous;
    waiter.previous = null;
    waiter.next = null;
    waiter.line = null;
    this.count -= 1;
  }

  /** From now on the longest wait in line binds all who stand in it. */
  tell(): void {
    if (this.told) return;
    this.told = true;
    for (let waiter = this.first; waiter !== null; waiter = waiter.next) {
      waiter.at = waiter.lastMono(true);
      if (waiter.seated) this.bounds.place(waiter);
    }
  }

  seat(waiter: Waiter): void {
    waiter.seated = true;
    waiter.at = waiter.lastMono(this.told);
    this.bounds.push(waiter);
    this.tally(waiter, 1);
  }

  unseat(waiter: Waiter): void {
    waiter.seated = false;
    this.bounds.remove(waiter);
    this.tally(waiter, -1);
  }

  /** When it must be looked at next: to ask again, or to refuse one whose time is over. */
  get attentionMono(): number {
    const pollAtMono = this.dirty ? Infinity : this.pollAtMono;
    return Math.min(pollAtMono, this.bounds.peek()?.at ?? Infinity);
  }

  holdUp(wait: LineWait, limitName: string | null, nowMono: number): void {
    this.wait = wait;
    const last = this.spells[this.spells.length - 1];
    if (last !== undefined && last.cause === wait.cause && last.limitName === limitName) return;
    this.spells.push({ cause: wait.cause, limitName, fromMono: last === undefined ? -Infinity : nowMono });
    if (this.spells.length > MAX_SPELLS) {
      this.spells.shift();
      (this.spells[0] as Spell).fromMono = -Infinity;
    }
  }

  /** What held the ticket up from one moment to another, longest first. */
  heldUpFor(fromMono: number, toMono: number): { cause: WaitCause; limitName: string | null; ms: number }[] {
    const parts: { cause: WaitCause; limitName: string | null; ms: number }[] = [];
    this.spells.forEach((spell, index) => {
      const ends = Math.min(toMono, this.spells[index + 1]?.fromMono ?? Infinity);
      const ms = ends - Math.max(fromMono, spell.fromMono);
      if (!(ms > 0)) return;
      const same = parts.find((part) => part.cause === spell.cause && part.limitName === spell.limitName);
      if (same === undefined) parts.push({ cause: spell.cause, limitName: spell.limitName, ms });
      else same.ms += ms;
    });
    return parts.sort((left, right) => right.ms - left.ms);
  }

  private tally(waiter: Waiter, sign: 1 | -1): void {
    for (let position = 0; position < this.owed.length; position += 1) {
      this.owed[position] = (this.owed[position] as number) + sign * (waiter.charges[position] ?? 0);
    }
    if (waiter.request.kind === 'first') this.firsts += sign;
    if (this.bounds.size === 0) this.owed.fill(0);
  }
}
