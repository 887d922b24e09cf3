import { SluiceError } from '../errors/sluice-error.js';
import type { Cancel, Clock } from '../time/clock.js';
import { arm } from '../time/timers.js';
import { OwnAbort, whenAborted } from '../time/when-aborted.js';
import { sha256 } from '../canonical/canonical.js';
import { copyError } from '../errors/copy-error.js';
import type { Partition } from '../model/outcome.js';
import { type Landing, type Member, SharedFlight } from './flight.js';
import type { DemandLayer, Flight, ShareRequest } from './options.js';
import { dropShelf, samePartition, type Shelves } from './reuse.js';

export interface DemandDeps {
  /** Name of the provider. */
  readonly provider: string;
  readonly options: { readonly singleFlight: boolean; readonly requestReuse: boolean };
  readonly clock: Clock;
}

/** Answers kept for one inbound request and partition; what it reads beyond them it reads anew. */
const MAX_KEPT = 1000;

/** An answer kept for the rest of an inbound request. Nobody but the copier touches it. */
class Kept {
  constructor(readonly value: unknown) {}
}

/** What one member asked for. */
interface Wish<T> {
  readonly request: ShareRequest<T>;
  readonly start: (flight: Flight) => Promise<T>;
  readonly copy: (value: T) => T;
  readonly reuse: Map<string, unknown> | null;
  /** Under which its answer is kept; '' = it is not. */
  readonly shelfKey: string;
}

export function createDemand(deps: DemandDeps): DemandLayer {
  return new Demand(deps);
}

class Demand implements DemandLayer {
  private readonly underWay = new Map<string, SharedFlight<unknown>>();

  constructor(private readonly deps: DemandDeps) {}

  get flights(): number {
    return this.underWay.size;
  }

  share<T>(request: ShareRequest<T>, start: (flight: Flight) => Promise<T>, copy: (value: T) => T): Promise<T> {
    const { singleFlight, requestReuse } = this.deps.options;
    const reuse = requestReuse ? request.reuse : null;
    const shelfKey = reuse === null ? '' : sha256(request.key);
    const wish: Wish<T> = { request, start, copy, reuse, shelfKey };
    if (!singleFlight || request.streams || request.signal?.aborted || reuse?.has(shelfKey)) return byItself(wish);
    const flight = this.underWay.get(request.key) as SharedFlight<T> | undefined;
    if (flight === undefined || (request.signal !== null && !flight.canBeLeft)) return this.takeOff(wish);
    const own = this.board(flight, wish) as Promise<T | typeof UNCOPYABLE>;
    return own.then((value) => (value === UNCOPYABLE ? start(alone(request)) : value));
  }

  wrote(partition: Partition, kept: Shelves | null): void {
    if (kept !== null) dropShelf(kept, this.deps.provider, partition);
    for (const [key, flight] of this.underWay) {
      if (flight.partition !== undefined && samePartition(flight.partition, partition)) this.underWay.delete(key);
    }
  }

  private takeOff<T>(wish: Wish<T>): Promise<T> {
    const { signal } = wish.request;
    const flight = new SharedFlight<T>(wish.request, this.underWay, signal === null ? null : new OwnAbort());
    // Whoever is first aboard always has the value, be it as it came.
    const own = this.board(flight, wish) as Promise<T>;
    flight.begin(wish.start);
    return own;
  }

  /** Waits for a flight, with a way off at the member's own deadline and abort. */
  private board<T>(flight: SharedFlight<T>, wish: Wish<T>): Promise<T | typeof UNCOPYABLE> {
    return new Promise((resolve, reject) => {
      const member = new Passenger(this.deps, flight, wish, resolve, reject);
      flight.join(member);
    });
  }
}

/** One member of a flight, from boarding until it has its own, or has had enough. */
class Passenger<T> implements Member<T> {
  readonly lane: number;
  readonly deadlineMono: number;
  private cancelTimer: Cancel | null = null;
  private readonly unlisten: Cancel | null;

  constructor(
    private readonly deps: DemandDeps,
    private readonly flight: SharedFlight<T>,
    private readonly wish: Wish<T>,
    private readonly resolve: (value: T | typeof UNCOPYABLE) => void,
    private readonly reject: (reason: unknown) => void,
  ) {
    const { lane, deadlineMono, signal } = wish.request;
    this.lane = lane;
    this.deadlineMono = deadlineMono;
    this.unlisten = signal === null ? null : whenAborted(signal, () => this.giveUp(signal.reason));
  }

  landed(landing: Landing<T>, first: boolean): void {
    this.off();
    const { request } = this.wish;
    if (!landing.ok) return this.reject(landing.shared ? errorOf(landing.error, request) : landing.error);
    try {
      // Copied before any member goes on: what one does to its copy comes too late for the others.
      this.resolve(ownOf(landing.value, this.wish, landing.shared));
    } catch {
      this.resolve(first ? landing.value : UNCOPYABLE);
    }
  }

  outlived(): void {
    const { clock, provider } = this.deps;
    this.cancelTimer ??= arm(clock, this.deadlineMono - clock.monoMs(), () => this.leave(tooLate(provider)));
  }

  private giveUp(reason: unknown): void {
    const { givenUp } = this.wish.request;
    if (givenUp !== undefined) this.resolve(givenUp(reason));
    this.leave(reason);
  }

  private leave(reason: unknown): void {
    this.off();
    this.reject(reason);
    this.flight.leave(this, reason);
  }

  private off(): void {
    this.cancelTimer?.();
    this.unlisten?.();
  }
}

/** Gives what there is without a flight: an answer that was kept, or a read of its own. */
async function byItself<T>(wish: Wish<T>): Promise<T> {
  const { request, start, copy, reuse, shelfKey } = wish;
  if (request.signal?.aborted) {
    if (request.givenUp !== undefined) return request.givenUp(request.signal.reason);
    throw request.signal.reason;
  }
  if (request.streams) return start(alone(request));
  const kept = reuse?.get(shelfKey);
  if (kept instanceof Kept) return copy(kept.value as T);
  return ownOf(await start(alone(request)), wish, false);
}

/** Instead of a copy, where a value has none: its member reads for itself. */
const UNCOPYABLE = Symbol('uncopyable');

/** The value as one member may have it: the original where nobody else has it and nothing keeps it, else a copy. */
function ownOf<T>(value: T, wish: Wish<T>, shared: boolean): T {
  const { request, copy, reuse, shelfKey } = wish;
  const keeps = reuse !== null && reuse.size < MAX_KEPT && request.reusable?.(value) !== false;
  if (!keeps && !shared) return value;
  let own: T;
  try {
    own = copy(value);
  } catch (error) {
    if (shared) throw error;
    return value;
  }
  if (keeps) reuse.set(shelfKey, new Kept(value));
  return own;
}

function errorOf<T>(error: unknown, request: ShareRequest<T>): unknown {
  try {
    return (request.copyError ?? copyError)(error);
  } catch {
    return error;
  }
}

function alone<T>(request: ShareRequest<T>): Flight {
  const { signal, deadlineMono, lane } = request;
  return {
    signal: signal ?? undefined,
    deadlineMono: () => deadlineMono,
    lane: () => lane,
  };
}

function tooLate(provider: string): SluiceError {
  return new SluiceError({
    code: 'DEADLINE_EXCEEDED',
    provider,
    message:
      `Provider "${provider}": the deadline passed while an equal read of another caller was under way. ` +
      'Give the call more time, or set demand.singleFlight to false.',
  });
}
