import type { Ticket } from '../port.js';
import { Fifo } from './fifo.js';
import { Heap } from './heap.js';
import { Line, type Waiter } from './line.js';
import { Places } from './places.js';

/** All lines of one provider in this process. Who enters, leaves or is due changes here; nothing is asked or answered. */
export class Lines {
  readonly places = new Places();
  private readonly byKey = new Map<string, Line>();
  private readonly byAttention = new Heap<Line>();
  private readonly dirtyByLane: Fifo<Line>[] = [];
  private dirtyCount = 0;

  get size(): number {
    return this.byKey.size;
  }

  /** Whether some line is to be shown to the gate. */
  get dirty(): boolean {
    return this.dirtyCount > 0;
  }

  /** When the first line needs attention. */
  get attentionMono(): number {
    return this.byAttention.peek()?.at ?? Infinity;
  }

  get(key: string): Line | undefined {
    return this.byKey.size > 0 ? this.byKey.get(key) : undefined;
  }

  all(): Iterable<Line> {
    return this.byKey.values();
  }

  lineOf(ticket: Ticket): Line {
    let line = this.byKey.get(ticket.key);
    if (line === undefined) {
      line = new Line(ticket);
      this.byKey.set(ticket.key, line);
    }
    return line;
  }

  /** A call that joins a ticket which the gate has told to wait sends nothing. */
  enter(line: Line, waiter: Waiter): void {
    line.insert(waiter);
    const overtakes = line.first === waiter && line.count > 1;
    if (overtakes || (!line.known && line.sent === null)) this.markDirty(line);
  }

  /** A call that the gate is being shown already, by itself. */
  enterShown(line: Line, waiter: Waiter): void {
    line.sent = [waiter];
    line.moved = false;
    this.enter(line, waiter);
  }

  seat(waiter: Waiter): void {
    const { line } = waiter;
    if (line === null) return;
    line.seat(waiter);
    this.places.take(line.ticket.lane, line.ticket.tenant);
    if (waiter.at < line.at) this.attend(line);
  }

  /** Takes a call out of its line, and every trace of it; what follows for the gate is marked. */
  leave(waiter: Waiter): void {
    const { line } = waiter;
    if (line === null) return;
    const wasFirst = line.first === waiter;
    line.unlink(waiter);
    waiter.unwatch?.();
    waiter.unwatch = null;
    if (waiter.seated) {
      line.unseat(waiter);
      this.places.leave(line.ticket.lane, line.ticket.tenant);
    }
    if (line.count === 0) {
      if (line.known) this.markDirty(line);
      this.tidy(line);
    } else if (wasFirst && line.known && line.first !== null && !sameCosts(line.first, waiter)) {
      this.markDirty(line);
    }
  }

  /** Moves a waiting call to another line; its place in the queue and the watch on its signal stay. */
  move(waiter: Waiter, to: Line, charges: readonly number[]): void {
    const { line, seated } = waiter;
    if (line === null) return;
    if (seated) line.unseat(waiter);
    line.unlink(waiter);
    waiter.charges = charges;
    to.insert(waiter);
    if (seated) to.seat(waiter);
    this.markDirty(line);
    this.markDirty(to);
    this.attend(to);
  }

  markDirty(line: Line): void {
    if (line.dirty) return;
    line.dirty = true;
    this.dirtyCount += 1;
    (this.dirtyByLane[line.ticket.lane] ??= new Fifo()).push(line);
  }

  /** The lines that need attention by now, taken out of the order of attention: `attend` puts them back. */
  takeDue(nowMono: number): Line[] {
    const due: Line[] = [];
    for (;;) {
      const line = this.byAttention.peek();
      if (line === undefined || line.at > nowMono) return due;
      this.byAttention.remove(line);
      line.at = Infinity;
      due.push(line);
    }
  }

  /** Orders a line anew by when it needs attention. */
  attend(line: Line): void {
    line.at = line.count > 0 ? line.attentionMono : Infinity;
    if (line.at === Infinity) this.byAttention.remove(line);
    else this.byAttention.place(line);
  }

  /** Up to `max` lines to show to the gate: best lane first, then in order of falling due. */
  takeDirty(max: number): Line[] {
    const taken: Line[] = [];
    for (const queue of this.dirtyByLane) {
      while (queue !== undefined && queue.size > 0 && taken.length < max) {
        const line = queue.shift() as Line;
        line.dirty = false;
        line.pollAtMono = Infinity;
        this.dirtyCount -= 1;
        if (line.count > 0 || line.known) taken.push(line);
        else this.tidy(line);
      }
    }
    return taken;
  }

  /** Forgets a line that is empty here and at the gate. */
  tidy(line: Line): void {
    if (line.count > 0 || line.known || line.dirty || line.sent !== null) return;
    this.byAttention.remove(line);
    this.byKey.delete(line.ticket.key);
  }
}

function sameCosts(left: Waiter, right: Waiter): boolean {
  if (left.request.kind !== right.request.kind) return false;
  return left.charges === right.charges || left.charges.every((charge, position) => charge === right.charges[position]);
}
