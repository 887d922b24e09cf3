/** One request as the provider saw it. Times are milliseconds of the clock the simulator runs on. */
export interface Arrival {
  /** 1, 2, 3 ... */
  readonly number: number;
  /** When it arrived, by the monotonic clock. */
  readonly atMs: number;
  /** When it arrived, by the right wall clock (without the provider's skew). */
  readonly wallMs: number;
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  /** Whether the limits let it in. */
  verdict: 'accepted' | 'limited';
  /** Name of the limit that refused; `chance` where a share of requests is refused at random. */
  limitedBy: string | null;
  /** The template of its route; `*` where none matched. */
  route: string;
  /** What was answered; null while it is under way, and where no answer was sent. */
  status: number | null;
  /** Whether the route's handler ran for it. */
  executed: boolean;
  /** When its handling ended: its answer began to leave, or the provider stopped. Null while it is under way. */
  endedAtMs: number | null;
  /** How its handling ended. */
  end: 'answered' | 'reset' | 'client-left' | null;
}

/** A write that took effect, in the order of execution. */
export interface Effect {
  /** Number of its arrival. */
  readonly arrival: number;
  readonly atMs: number;
  readonly method: string;
  readonly path: string;
  readonly route: string;
  readonly body: unknown;
  /** What the handler gave. */
  readonly result: unknown;
}
