/** One piece of work under way, and those who wait for it. */
import { AsyncResource } from 'node:async_hooks';
import type { Partition } from '../model/outcome.js';
import type { OwnAbort } from '../time/when-aborted.js';
import type { Flight } from './options.js';

/** No flight keeps the context of the caller who happened to come first. */
const root = new AsyncResource('SluiceFlight');

export interface Member<T> {
  readonly lane: number;
  readonly deadlineMono: number;
  /** Told once, in the same turn for all members, `first` to one of them. */
  landed(landing: Landing<T>, first: boolean): void;
  /** Told when the flight may go on past this member's deadline. */
  outlived(): void;
}

/** How a flight ended. `shared` = several members are told. */
export type Landing<T> = { readonly shared: boolean } & (
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: unknown }
);

/** What is read. */
interface Read {
  readonly key: string;
  readonly partition?: Partition;
}

export class SharedFlight<T> implements Flight {
  /** Most flights have one member only, and pay for no set. */
  private sole: Member<T> | null = null;
  private members: Set<Member<T>> | null = null;
  private over = false;
  private latestDeadline = -Infinity;
  private bestLane = Infinity;

  /** Null once it is over. */
  private read: Read | null;

  /** It is one of those under way until it has landed, or all have left. */
  constructor(
    read: Read,
    private readonly underWay: Map<string, unknown>,
    /** Null where the first member can leave by its deadline only: few flights need a signal, and it costs them all. */
    private readonly controller: OwnAbort | null,
  ) {
    this.read = read;
    underWay.set(read.key, this);
  }

  get partition(): Partition | undefined {
    return this.read?.partition;
  }

  get signal(): AbortSignal | undefined {
    return this.controller?.signal;
  }

  deadlineMono(): number {
    return this.latestDeadline;
  }

  lane(): number {
    return this.bestLane;
  }

  /** Whether the work ends when all have left. Where it does not, none may come aboard who can leave before the deadline. */
  get canBeLeft(): boolean {
    return this.controller !== null;
  }

  /** Begins the work. The first member must be aboard. */
  begin(start: (flight: Flight) => Promise<T>): void {
    started(start, this).then(
      (value) => this.land({ ok: true, value, shared: this.isShared }),
      (error: unknown) => this.land({ ok: false, error, shared: this.isShared }),
    );
  }

  join(member: Member<T>): void {
    if (this.members === null && this.sole === null) {
      this.sole = member;
    } else {
      this.members ??= new Set(this.sole === null ? [] : [this.sole]);
      this.members.add(member);
      this.sole = null;
    }
    this.reckon();
  }

  leave(member: Member<T>, reason: unknown): void {
    if (this.members === null ? this.sole !== member : !this.members.delete(member)) return;
    this.sole = null;
    this.reckon();
    if (this.members !== null && this.members.size > 0) return;
    this.end();
    this.controller?.abort(reason);
  }

  private get isShared(): boolean {
    return this.members !== null && this.members.size > 1;
  }

  private reckon(): void {
    if (this.members === null) {
      this.latestDeadline = this.sole === null ? -Infinity : this.sole.deadlineMono;
      this.bestLane = this.sole === null ? Infinity : this.sole.lane;
      return;
    }
    this.latestDeadline = -Infinity;
    this.bestLane = Infinity;
    for (const { deadlineMono, lane } of this.members) {
      this.latestDeadline = Math.max(this.latestDeadline, deadlineMono);
      this.bestLane = Math.min(this.bestLane, lane);
    }
    for (const member of this.members) if (member.deadlineMono < this.latestDeadline) member.outlived();
  }

  private land(landing: Landing<T>): void {
    if (this.over) return;
    this.end();
    if (this.members === null) {
      const { sole } = this;
      this.sole = null;
      return sole?.landed(landing, true);
    }
    const members = [...this.members];
    this.members.clear();
    members.forEach((member, index) => member.landed(landing, index === 0));
  }

  /** Tables that a map has outgrown keep what was in them until the next full collection: of a flight that is over, next to nothing. */
  private end(): void {
    this.over = true;
    const { read } = this;
    this.read = null;
    if (read !== null && this.underWay.get(read.key) === this) this.underWay.delete(read.key);
  }
}

function started<T>(start: (flight: Flight) => Promise<T>, flight: Flight): Promise<T> {
  try {
    return root.runInAsyncScope(start, undefined, flight);
  } catch (error) {
    return Promise.reject(error);
  }
}
