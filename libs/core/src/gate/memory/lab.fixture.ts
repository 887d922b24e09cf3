import { defineProvider } from '../../contract/define-provider.js';
import type { ProviderOptions } from '../../contract/options.js';
import type { ResolvedContract } from '../../contract/resolved.js';
import type { AttemptKind, Partition, Safety } from '../../model/outcome.js';
import type { Ask, GateCommand, Grant, Head, Settle, StepReply, Ticket } from '../port.js';
import { Engine } from './engine.js';

/** 2026-01-05T12:00:00Z. */
export const START_US = 1_767_614_400_000_000;
export const SECOND = 1_000_000;
export const MINUTE = 60 * SECOND;

export interface Want {
  readonly lane?: number;
  readonly tenant?: string;
  readonly partition?: Partition;
  readonly limits?: readonly number[];
  readonly key?: string;
  readonly kind?: AttemptKind;
  readonly safety?: Safety;
  readonly attemptUs?: number;
  readonly place?: string | null;
  readonly observe?: boolean;
  readonly charges?: readonly number[];
  readonly waitedUs?: number;
  /** Calls behind the ticket; default 1. */
  readonly calls?: number;
  /** Calls of which the gate is shown this many; default: all, at most 8. */
  readonly shown?: number;
}

export const settled = (grant: Grant, ticket: Ticket, more: Partial<Settle> = {}): Settle => ({
  leaseId: grant.leaseId,
  ticket,
  end: 'answered',
  health: 'alive',
  refusal: null,
  trueCharges: null,
  seen: [],
  retry: null,
  ...more,
});

/** The engine on a clock that is set by hand, with short ways to ask and to settle. Times are microseconds from the start. */
export class Lab {
  readonly contract: ResolvedContract;
  readonly engine: Engine;
  at = 0;
  private ids = 0;
  private readonly stepNos = new Map<string, number>();
  private readonly tickets = new Map<string, Ticket>();

  constructor(options: Omit<ProviderOptions, 'name'>) {
    this.contract = defineProvider({ name: 'p', ...options }).resolved;
    this.engine = new Engine(this.contract);
  }

  ticket(want: Want = {}): Ticket {
    const { lane = 0, tenant = '', partition = {}, limits = this.contract.limits.map((_, i) => i) } = want;
    const key = want.key ?? `${lane}|${tenant}|${JSON.stringify(partition)}|${limits.join()}`;
    let ticket = this.tickets.get(key);
    if (ticket === undefined) {
      ticket = { key, lane, tenant, partition, limits };
      this.tickets.set(key, ticket);
    }
    return ticket;
  }

  head(want: Want = {}): Head {
    this.ids += 1;
    return {
      id: this.ids,
      waitedUs: want.waitedUs ?? 0,
      charges: want.charges ?? this.ticket(want).limits.map(() => 1),
      kind: want.kind ?? 'first',
      safety: want.safety ?? 'safe',
      attemptUs: want.attemptUs ?? 10 * SECOND,
      place: want.place ?? null,
      observe: want.observe ?? false,
    };
  }

  ask(want: Want = {}): Ask {
    const waiting = want.calls ?? 1;
    const heads = Array.from({ length: want.shown ?? Math.min(waiting, 8) }, () => this.head(want));
    return { ticket: this.ticket(want), waiting, heads, newestWaitedUs: want.waitedUs ?? 0 };
  }

  step(
    input: { asks?: readonly Ask[]; settles?: readonly Settle[]; commands?: readonly GateCommand[] },
    processId = 'a',
  ): StepReply {
    const stepNo = (this.stepNos.get(processId) ?? 0) + 1;
    this.stepNos.set(processId, stepNo);
    return this.engine.step(START_US + this.at, {
      processId,
      stepNo,
      seenSeq: 0,
      settles: input.settles ?? [],
      asks: input.asks ?? [],
      commands: input.commands ?? [],
    });
  }

  /** Asks for one call. */
  want(want: Want = {}, processId = 'a'): StepReply {
    return this.step({ asks: [this.ask(want)] }, processId);
  }

  /** Asks for one call that must be granted. */
  granted(want: Want = {}, processId = 'a'): Grant {
    const grant = this.want(want, processId).grants[0];
    if (grant === undefined) throw new Error('It was not granted.');
    return grant;
  }

  settle(grant: Grant, more: Partial<Settle> = {}, want: Want = {}, processId = 'a'): StepReply {
    return this.step({ settles: [settled(grant, this.ticket(want), more)] }, processId);
  }

  /** Time from now to a moment of the gate's clock. */
  until(momentUs: number): number {
    return momentUs - START_US - this.at;
  }
}
