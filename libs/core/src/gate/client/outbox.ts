import type { GateCommand } from '../port.js';
import { Fifo } from './fifo.js';
import type { OutgoingSettle } from './settlements.js';

const NONE: readonly never[] = [];

/** Where neither permits nor a waiting better lane need it, a settle waits this long for a step to ride in. */
export const FLUSH_MS = 20;

/** A settle is offered this often to a gate that fails; after that its lease runs out by itself. */
const MAX_TRIES = 3;

/** Settles and commands that wait for the next step. */
export class Outbox {
  private settles = new Fifo<OutgoingSettle>();
  private commands: GateCommand[] = [];
  private hurry = false;
  /** When what waits is sent at the latest; Infinity = nothing waits. */
  flushAtMono = Infinity;

  get size(): number {
    return this.settles.size + this.commands.length;
  }

  /** Something must not wait for the next step to come by. */
  get urgent(): boolean {
    return this.hurry;
  }

  /** `flushMono`: when the first of those that wait is sent at the latest. */
  addSettle(settle: OutgoingSettle, urgent: boolean, flushMono: () => number): void {
    this.settles.push(settle);
    if (urgent) this.hurry = true;
    if (this.flushAtMono === Infinity) this.flushAtMono = flushMono();
  }

  addCommand(command: GateCommand, urgent: boolean, nowMono: number): void {
    this.commands.push(command);
    if (urgent) this.hurry = true;
    if (this.flushAtMono === Infinity) this.flushAtMono = nowMono + FLUSH_MS;
  }

  flush(): void {
    if (this.size > 0) this.hurry = true;
  }

  takeSettles(max: number): readonly OutgoingSettle[] {
    return this.settles.size === 0 ? NONE : this.settles.take(max);
  }

  /** Ends a taking: what is left over goes into the next step, at once. */
  takeCommands(): readonly GateCommand[] {
    const taken = this.commands.length === 0 ? NONE : this.commands;
    if (taken.length > 0) this.commands = [];
    this.hurry = this.settles.size > 0;
    if (!this.hurry) this.flushAtMono = Infinity;
    return taken;
  }

  /** A step failed: what it carried is offered again later, what was offered often enough is dropped. */
  putBack(settles: readonly OutgoingSettle[], commands: readonly GateCommand[], againAtMono: number): void {
    const waiting = this.settles;
    this.settles = new Fifo();
    for (const entry of settles) {
      entry.tries += 1;
      // A place in the retry budget is for a retry that is planned now; that one is not to be had.
      entry.onPlace?.(null);
      if (entry.tries < MAX_TRIES) {
        this.settles.push({ ...entry, retry: null, onPlace: null });
      }
    }
    for (const entry of waiting.take(Infinity)) this.settles.push(entry);
    this.commands = [...commands, ...this.commands];
    this.hurry = false;
    this.flushAtMono = this.size > 0 ? againAtMono : Infinity;
  }

  /** Nothing will be sent any more. */
  drop(): void {
    for (const entry of this.settles.take(Infinity)) entry.onPlace?.(null);
    this.commands = [];
    this.hurry = false;
    this.flushAtMono = Infinity;
  }
}
