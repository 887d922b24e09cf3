import type { Cancel, Clock } from '../time/clock.js';
import { MAX_TIMER_MS } from '../time/clock.js';
import { arm } from '../time/timers.js';
import { type AttemptContext, type AttemptResult, type FirstBody, STALE_GRANT } from './call.js';
import { CutSignal } from './cut-signal.js';

/** Who ended an attempt before its sender did. */
export type Cut =
  | 'attempt'
  | 'deadline'
  /** The caller's own deadline or timeout, before the provider had had its time. */
  | 'early'
  | 'cancelled';

/** How long an attempt may take, and what it is told then. Asked anew when it seems over: others may join in its call and have longer. */
export interface WireLimit {
  leftMs(): number;
  over(): { readonly cut: Exclude<Cut, 'cancelled'>; readonly error: unknown };
}

export interface WireEnd {
  readonly result: AttemptResult;
  /** Null = the sender came to its own end. */
  readonly cut: Cut | null;
}

export interface WireOptions {
  readonly clock: Clock;
  readonly number: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly bodyFields: Readonly<Record<string, string>>;
  readonly firstBody?: FirstBody | null;
  readonly connectMs: number;
  readonly bodyIdleMs: number;
  readonly observed: boolean;
  /** Moment (monotonic ms) after which the grant must not be used any more; Infinity = none. */
  readonly staleMono: number;
  /** Whether it must not leave any more, though its grant is good. */
  readonly isGone?: (() => boolean) | undefined;
  /** From now to the last byte; null = no limit of ours. */
  readonly limit: WireLimit | null;
}

/** What lives as long as the attempt. */
interface AttemptScope {
  over(): void;
}

/**
 * One attempt on the wire: one timer, one end. The first end wins; a sender that never settles, settles twice, or late,
 * changes nothing. The timer belongs to the clock and so to no caller's async context.
 */
export class Wire implements AttemptContext {
  readonly cutSignal = new CutSignal();
  private cutBy: Cut | null = null;
  private cutReason: unknown = undefined;
  private cancelTimer: Cancel | null = null;
  private onCutDo: ((reason: unknown) => void) | null = null;
  private finish: ((end: WireEnd) => void) | null = null;
  private scope: AttemptScope | null = null;
  private startedMono = 0;

  constructor(private readonly options: WireOptions) {}

  get number(): number {
    return this.options.number;
  }

  get headers(): Readonly<Record<string, string>> {
    return this.options.headers;
  }

  get bodyFields(): Readonly<Record<string, string>> {
    return this.options.bodyFields;
  }

  get firstBody(): FirstBody | null {
    return this.options.firstBody ?? null;
  }

  get connectMs(): number {
    return this.options.observed ? MAX_TIMER_MS : this.options.connectMs;
  }

  get bodyIdleMs(): number {
    return this.options.observed ? MAX_TIMER_MS : this.options.bodyIdleMs;
  }

  get observed(): boolean {
    return this.options.observed;
  }

  get signal(): AbortSignal {
    return this.cutSignal.signal;
  }

  /** How long it has been under way, in ms. */
  get runsMs(): number {
    return this.options.clock.monoMs() - this.startedMono;
  }

  stale(): boolean {
    return this.options.clock.monoMs() > this.options.staleMono || this.options.isGone?.() === true;
  }

  onCut(fn: (reason: unknown) => void): void {
    this.onCutDo = fn;
    if (this.cutBy !== null) fn(this.cutReason);
  }

  headersReceived(): void {
    this.stopTimer();
  }

  /** Never rejects. `scope` hears once that it is over, by whichever road. */
  run(send: () => Promise<AttemptResult>, scope: AttemptScope): Promise<WireEnd> {
    return new Promise<WireEnd>((resolve) => {
      this.finish = resolve;
      this.scope = scope;
      const { limit } = this.options;
      this.startedMono = this.options.clock.monoMs();
      if (limit !== null) this.watch(limit, limit.leftMs());
      let sending: Promise<AttemptResult>;
      try {
        sending = send();
      } catch (error) {
        this.end(broken(error));
        return;
      }
      sending.then(
        (result) => this.end(result),
        (error: unknown) => this.end(broken(error)),
      );
    });
  }

  private watch(limit: WireLimit, ms: number): void {
    this.cancelTimer = arm(this.options.clock, ms, () => {
      const leftMs = limit.leftMs();
      if (leftMs > 0) return this.watch(limit, leftMs);
      const { cut, error } = limit.over();
      this.cut(cut, error);
    });
  }

  /**
   * Ends the attempt from outside. The sender has until the next turn to say that nothing was sent; one that says nothing
   * is taken to have sent.
   */
  cut(cut: Cut, reason: unknown): void {
    if (this.finish === null || this.cutBy !== null) return;
    this.cutBy = cut;
    this.cutReason = reason;
    this.stopTimer();
    this.cancelTimer = this.options.clock.schedule(0, () => this.end(broken(reason)));
    this.cutSignal.abort(reason);
    this.onCutDo?.(reason);
  }

  /** Nobody is left to read an answer that came: what is still under way of it is ended, as by a cut. */
  abandon(reason: unknown): void {
    this.onCutDo?.(reason);
  }

  private end(result: AttemptResult): void {
    if (this.finish === null) return;
    const finish = this.finish;
    this.finish = null;
    this.stopTimer();
    this.scope?.over();
    const { cutBy } = this;
    if (cutBy === null || result.type === 'answered') return finish({ result, cut: null });
    finish({ result: { type: 'failed', sent: result.sent, error: this.cutReason, code: null }, cut: cutBy });
  }

  private stopTimer(): void {
    this.cancelTimer?.();
    this.cancelTimer = null;
  }
}

/** Nothing was sent, for the grant was stale. */
export function isStale({ result, cut }: WireEnd): boolean {
  return cut === null && result.type === 'failed' && !result.sent && result.code === STALE_GRANT;
}

function broken(error: unknown): AttemptResult {
  return { type: 'failed', sent: true, error, code: null };
}
