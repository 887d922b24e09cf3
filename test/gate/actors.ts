/** Who takes part in a history: calls, the lines they wait in, the processes that ask for them. */
import type { Grant, Head, Settle, Ticket } from '../../libs/core/src/gate/port.js';
import type { Arrival } from './provider-judge.js';

/** A small repeatable source of chance (mulberry32). */
export function chanceOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** One of several, each as likely as the others. */
export function pick<T>(chance: () => number, from: readonly T[]): T {
  return from[Math.floor(chance() * from.length)] as T;
}

export interface Call {
  readonly id: number;
  readonly cameAt: number;
  readonly kind: Head['kind'];
  readonly safety: Head['safety'];
  readonly charges: readonly number[];
  readonly observe: boolean;
  readonly attemptUs: number;
  place: string | null;
}

export interface Line {
  readonly ticket: Ticket;
  calls: Call[];
  pollAt: number;
  shown: boolean;
}

export interface Sent {
  readonly grant: Grant;
  readonly ticket: Ticket;
  readonly call: Call;
  readonly grantedAt: number;
  readonly arrival: Arrival;
  /** When its process books its end; Infinity = never. */
  readonly settleAt: number;
  readonly end: Settle['end'];
}

export interface Process {
  readonly id: string;
  stepNo: number;
  alive: boolean;
  seenSeq: number;
  readonly lines: Map<string, Line>;
  sent: Sent[];
}

/** One grant, as the laws look at it. */
export interface Granted {
  readonly at: number;
  readonly kind: Head['kind'];
  readonly observe: boolean;
  readonly probe: boolean;
  readonly leaseId: Grant['leaseId'];
  /** It reached the provider. */
  readonly left: boolean;
}
