import { errorName } from '../events/event-hub.js';
import type { EventSink } from '../events/events.js';
import type { Clock } from '../time/clock.js';
import type { OperationMove, OperationWatch } from './watch.js';

/** Of one kind of failure so often at most is told, in ms. */
const TOLD_EVERY_MS = 60_000;
/** Kinds are few; names of operations are among them. */
const MAX_KINDS = 1_000;
/** In events about the store as a whole, in the place of a provider. */
const ALL = '*';

/** Makes events of what happens to operations, and tells those in this process who wait for it. */
export class OperationNews implements OperationWatch {
  private readonly toldMono = new Map<string, number>();

  constructor(
    private readonly events: EventSink,
    private readonly clock: Clock,
    /** Must not throw. */
    private readonly onMove: (move: OperationMove) => void,
  ) {}

  moved(move: OperationMove): void {
    const { id, provider, name, from, to, cause } = move;
    this.events.emit(() => ({ type: 'operation', provider, at: this.clock.wallMs(), id, name, from, to, cause }));
    this.onMove(move);
  }

  failed(provider: string | null, during: string, error: unknown): void {
    const told = provider ?? ALL;
    const kind = JSON.stringify([told, during]);
    const nowMono = this.clock.monoMs();
    if (nowMono - (this.toldMono.get(kind) ?? -Infinity) < TOLD_EVERY_MS) return;
    if (this.toldMono.size >= MAX_KINDS) this.toldMono.clear();
    this.toldMono.set(kind, nowMono);
    this.events.emit(
      () => ({
        type: 'hook-failed',
        provider: told,
        at: this.clock.wallMs(),
        hook: `operations: ${during}`,
        error: errorName(error),
      }),
      'trouble',
    );
  }
}
