/**
 * The port of the gate: the shared, atomic judge of "may this attempt start now?".
 *
 * Its only verb is `step(settles, asks)`. A process has at most one step of a provider under way; what ends or arrives
 * meanwhile rides in the next. The memory engine is the meaning of this port; a shared engine bears the same names and
 * gives the same decisions for the same history. Times are microseconds on the gate's own clock; durations are
 * microseconds too. A process never sends a moment of its own clock, only how long something has waited or will take.
 */
import type { ResolvedContract } from '../contract/resolved.js';
import type { AttemptKind, Partition, Safety } from '../model/outcome.js';
import type { Cancel, Clock } from '../time/clock.js';
import type { Fleet } from './fleet.js';
import type { UsedBook } from './used-book.js';
import type { GateView } from './gate-view.js';

/** One place in line: all waiting calls of one lane, tenant, partition and route class in one process. */
export interface Ticket {
  /** Unique within the process and provider; holds hashed partition values only. */
  readonly key: string;
  /** Index of the lane; 0 = most urgent. */
  readonly lane: number;
  /** '' = no tenant: one member of the fair order. */
  readonly tenant: string;
  /** Hashed values of the dimensions that the ticket's limits are counted by. */
  readonly partition: Partition;
  /** Indices (into `contract.limits`) of the limits that apply to its route, in contract order. */
  readonly limits: readonly number[];
}

/** A waiting call, as the gate must know it to start it. */
export interface Head {
  /** Chosen by the process; comes back in the grant or denial. */
  readonly id: number;
  /** How long ago its call came: its rank in order of arrival. */
  readonly waitedUs: number;
  /** What it costs, by position in `ticket.limits`; a concurrency limit takes 1. */
  readonly charges: readonly number[];
  readonly kind: AttemptKind;
  readonly safety: Safety;
  /** Longest time its attempt may take; its permit expires that long, plus guard and `worksAfterTimeout`, after the grant. */
  readonly attemptUs: number;
  /** Provisional place of the retry budget that it fills, if it has one. */
  readonly place: string | null;
  /** `observe`: it is charged and sent whatever the judgement, which comes back as a shadow. */
  readonly observe: boolean;
}

/** What one ticket wants. `waiting` 0 takes the ticket out of every line. */
export interface Ask {
  readonly ticket: Ticket;
  /** Calls that wait behind this ticket, the heads included. */
  readonly waiting: number;
  /** The first of them, best first; a few, of which a gate where others wait grants no more than its quantum. */
  readonly heads: readonly Head[];
  /** How long the newest of them has waited. */
  readonly newestWaitedUs: number;
}

/** Names a lease between a gate and its client loops: given back as it was got. */
export type LeaseId = string | number;

/** How an attempt ended, for the books. */
export type SettleEnd =
  /** An answer came, whatever it says. */
  | 'answered'
  /** Not a byte was sent: charges and permit go back. */
  | 'not-sent'
  /** It was sent and no answer came: charges stay; a permit is kept while the provider may still work on it. */
  | 'no-answer';

export interface Settle {
  readonly leaseId: LeaseId;
  /** The ticket it was granted under: says which stages it was charged to. */
  readonly ticket: Ticket;
  readonly end: SettleEnd;
  /** What it tells the breaker: nothing, where it was the caller who gave up or we who refused. */
  readonly health: 'alive' | 'failure' | 'none';
  /** The provider refused it for a limit. */
  readonly refusal: {
    /** Index of the limit that refused, where the reading tells; null = the narrowest partition of the ticket. */
    readonly limit: number | null;
    /** Its hint; null = none. Already capped to `pause.maxHint`. */
    readonly waitUs: number | null;
  } | null;
  /** True costs, by position in `ticket.limits`; null = as charged. */
  readonly trueCharges: readonly number[] | null;
  /** The provider's own figures. */
  readonly seen: readonly QuotaSeen[];
  /** Asks for a provisional place in the retry budget: its holder sleeps for `afterUs`, then stands in line for at most `keepUs`. */
  readonly retry: { readonly afterUs: number; readonly keepUs: number } | null;
}

/** What the provider says is left of a limit. */
export interface QuotaSeen {
  /** Index into `contract.limits`. */
  readonly limit: number;
  readonly remaining: number | null;
  /** Time from the answer to the reset, where it tells. */
  readonly resetInUs: number | null;
}

/** Orders of the operator. `partition` null = the whole provider. */
export type GateCommand =
  | { readonly type: 'pause'; readonly partition: Partition | null; readonly forUs: number }
  | { readonly type: 'resume'; readonly partition: Partition | null }
  /** A sleeper gave up: its provisional place of the retry budget is free again. */
  | { readonly type: 'release-place'; readonly place: string };

export interface StepInput {
  readonly processId: string;
  /** Counts up by one a step; the same number again is the same step again (its reply was lost). */
  readonly stepNo: number;
  /** Highest sequence number this process has seen: lets a gate that lost its state notice. */
  readonly seenSeq: number;
  readonly settles: readonly Settle[];
  readonly asks: readonly Ask[];
  readonly commands: readonly GateCommand[];
}

/** What holds a call up. */
export type WaitCause =
  | 'pause'
  | 'breaker'
  | 'probe'
  | 'rate'
  | 'window'
  | 'quota'
  | 'concurrency'
  | 'ceiling'
  | 'tenant-share'
  | 'reserve'
  | 'budget'
  /** Capacity is there, but owed to those in front. */
  | 'line'
  /** Capacity is there, but the store has yet to hear that it may be used. */
  | 'store';

/** What would have become of an observed call: what it would have waited for, of which limit, and for how long; null = nobody knows. */
export interface Shadow {
  readonly cause: WaitCause;
  readonly limit: number | null;
  readonly waitUs: number | null;
}

export interface Grant {
  readonly ticketKey: string;
  readonly headId: number;
  readonly leaseId: LeaseId;
  readonly seq: number;
  readonly expiresAtUs: number;
  /** This attempt is the leased probe of a pause or of the breaker. */
  readonly probe: boolean;
  /** It is the breaker's. */
  readonly probesBreaker: boolean;
  /** Only for observed calls: what would have become of it. */
  readonly shadow: Shadow | null;
}

/** A ticket that stays in line. */
export interface Wait {
  readonly ticketKey: string;
  /** When its process must ask again. */
  readonly pollAtUs: number;
  readonly cause: WaitCause;
  /** Index of the limit that holds it up, where it is one. */
  readonly limit: number | null;
  /** When its head will start if everybody in front goes in order. */
  readonly estimateUs: number;
  /** Before this its head certainly cannot start: what is owed to others left out. */
  readonly certainUs: number;
}

/** A head that is not to wait. */
export interface Denial {
  readonly ticketKey: string;
  readonly headId: number;
  /** `gate-away`: the gate's shared store does not answer, and the contract says to refuse then. */
  readonly reason: 'never-admissible' | 'budget' | 'circuit-open' | 'gate-away';
  /** When a new try can succeed; null = unknown or never. */
  readonly retryAtUs: number | null;
  /** Index of the limit, for `never-admissible`. */
  readonly limit: number | null;
}

export interface SettleReply {
  readonly leaseId: LeaseId;
  /** The lease had ended before; nothing was freed. */
  readonly stale: boolean;
  /** The provisional place asked for; null = not asked for, or the budget is spent. */
  readonly place: string | null;
}

export interface StepReply {
  /** The gate's clock at this step. */
  readonly nowUs: number;
  readonly seq: number;
  readonly grants: readonly Grant[];
  readonly waits: readonly Wait[];
  readonly denials: readonly Denial[];
  /** In the order of the settles. */
  readonly settles: readonly SettleReply[];
  /** What changed in this step, for events: pauses begun and ended, breaker moves. */
  readonly changes: readonly GateChange[];
  /** Keys of this process's own tickets that should ask again now. */
  readonly wake: readonly string[];
}

export type GateChange =
  | {
      readonly type: 'pause-started';
      readonly stage: string;
      readonly untilUs: number;
      readonly step: number;
      readonly hinted: boolean;
    }
  | { readonly type: 'pause-ended'; readonly stage: string; readonly lastedUs: number }
  | { readonly type: 'breaker-opened'; readonly untilUs: number }
  | { readonly type: 'breaker-closed' }
  | {
      readonly type: 'quota-seen';
      readonly limit: number;
      readonly remaining: number | null;
      readonly applied: boolean;
    }
  /** A function of the contract threw, or gave nothing that makes sense; the default was taken. */
  | { readonly type: 'hook-failed'; readonly hook: string; readonly error: string }
  /** The provider's resets say that the windows of a limit do not begin where the contract says. */
  | { readonly type: 'edges-contradicted'; readonly limit: number }
  /** The gate's shared store does not answer: from now on this process goes by `outage` of the contract. */
  | { readonly type: 'store-away'; readonly error: string }
  | { readonly type: 'store-back'; readonly awayUs: number };

/** The gate of one provider. */
export interface ProviderGate {
  /**
   * One atomic step. A gate in this process answers at once; a shared one by a promise.
   *
   * @param nowMono the moment of the asking, for a gate that goes by the clock of this process: it need not look again
   */
  step(input: StepInput, nowMono?: number): StepReply | Promise<StepReply>;
  /** Hints that a ticket of this process may start: a lost one costs latency only. */
  onWake(listener: (ticketKeys: readonly string[]) => void): Cancel;
  /** New numbers; used amounts stay. */
  update(contract: ResolvedContract): void;
  inspect(): GateView | Promise<GateView>;
  close(): void | Promise<void>;
}

export interface GateEnv {
  readonly clock: Clock;
  readonly processId: string;
  /** Where a gate without a store of its own keeps what has been used; absent or null = it starts full. */
  readonly used?: UsedBook | null;
  /** Told of trouble that breaks no call. */
  readonly report?: (what: string, error: unknown) => void;
  /** Told of what an operator should put right, and of what is done until then. */
  readonly warn?: (about: string, taken: string) => void;
}

/** What `memoryGate()` and `redisGate()` return. */
export interface Gate {
  /** Name in messages: `memory`, `redis`. */
  readonly kind: string;
  /** What has been used is kept beyond the life of the processes: quotas need no other store. */
  readonly keepsUsed?: boolean;
  open(contract: ResolvedContract, env: GateEnv): ProviderGate;
  /** What the processes that share the gate tell one another; absent = it is of one process. */
  fleet?(provider: string, env: GateEnv): Fleet;
}
