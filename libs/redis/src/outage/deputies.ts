/** Who judges in place of the shared store while it is away: by the contract's `outage`, refuse all, or send all. */
import type { Cancel, Denial, GateView, Grant, LeaseId, StepReply } from '../../../core/src/index.js';
import type { Load } from '../steps.js';

export interface Deputy {
  /** Its lease ids mean nothing to anybody else. */
  step(load: Load, nowUs: number): StepReply;
  /** Told of tickets that may start now. */
  onWake(listener: (ticketKeys: readonly string[]) => void): Cancel;
  /** null = it keeps no books. */
  inspect(): GateView | null;
  close(): void;
}

/** A reply with nothing in it. */
export function emptyReply(nowUs: number, leaseIds: readonly LeaseId[]): StepReply {
  return {
    nowUs,
    seq: 0,
    grants: [],
    waits: [],
    denials: [],
    settles: leaseIds.map((leaseId) => ({ leaseId, stale: false, place: null })),
    changes: [],
    wake: [],
  };
}

abstract class WithoutBooks implements Deputy {
  step(load: Load, nowUs: number): StepReply {
    const reply = emptyReply(
      nowUs,
      load.settles.map(({ leaseId }) => leaseId),
    );
    return { ...reply, ...this.judge(load, nowUs) };
  }

  protected abstract judge(load: Load, nowUs: number): Partial<StepReply>;

  onWake(): Cancel {
    return () => undefined;
  }

  inspect(): null {
    return null;
  }

  close(): void {
    // It holds nothing.
  }
}

/** `outage: 'closed'`: what is not merely observed is refused at once. */
export class Closed extends WithoutBooks {
  private granted = 0;

  /** @param againAtUs when the store is asked next */
  constructor(private readonly againAtUs: () => number) {
    super();
  }

  protected judge({ asks }: Load, nowUs: number): Partial<StepReply> {
    const grants: Grant[] = [];
    const denials: Denial[] = [];
    for (const { ticket, heads } of asks) {
      for (const head of heads) {
        if (head.observe) grants.push(grantOf(ticket.key, head.id, (this.granted += 1), nowUs + head.attemptUs));
        else denials.push(gateAway(ticket.key, head.id, this.againAtUs()));
      }
    }
    return { grants, denials };
  }
}

/** `outage: 'open'`: everything is sent. */
export class Open extends WithoutBooks {
  private granted = 0;

  protected judge({ asks }: Load, nowUs: number): Partial<StepReply> {
    return {
      grants: asks.flatMap(({ ticket, heads }) =>
        heads.map((head) => grantOf(ticket.key, head.id, (this.granted += 1), nowUs + head.attemptUs)),
      ),
    };
  }
}

export function gateAway(ticketKey: string, headId: number, retryAtUs: number | null): Denial {
  return { ticketKey, headId, reason: 'gate-away', retryAtUs, limit: null };
}

function grantOf(ticketKey: string, headId: number, leaseId: number, expiresAtUs: number): Grant {
  return { ticketKey, headId, leaseId, seq: 0, expiresAtUs, probe: false, probesBreaker: false, shadow: null };
}
