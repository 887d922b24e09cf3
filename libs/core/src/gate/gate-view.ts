/** What an operator sees. */
export interface GateView {
  readonly provider: string;
  readonly limits: readonly {
    readonly name: string;
    readonly kind: string;
    /** Provider-wide limits only; a partitioned one has as many figures as partitions. */
    readonly used: number | null;
    readonly capacity: number;
  }[];
  readonly partitions: number;
  readonly leases: number;
  readonly tickets: number;
  readonly pauses: readonly {
    readonly stage: string;
    readonly untilMs: number;
    readonly step: number;
    /** How long it has gone on, its steps and probes included. */
    readonly lastedMs: number;
  }[];
  readonly breaker: 'off' | 'closed' | 'open' | 'half-open';
  readonly budget: {
    readonly firstsLastMinute: number;
    readonly retriesLastMinute: number;
    readonly places: number;
  } | null;
  /** Of a gate that processes share; null = it is this process's own. */
  readonly fleet: {
    /** Processes that use the provider now. */
    readonly processes: number;
    /** Who waits and who is active, in all of them. */
    readonly lines: readonly {
      readonly lane: string;
      /** Hashed; null = no tenant. */
      readonly tenant: string | null;
      readonly waiting: number;
      readonly active: number;
    }[];
  } | null;
}
