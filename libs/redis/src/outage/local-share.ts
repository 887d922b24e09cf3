/** `outage: 'local-share'`: this process goes on with its part of every limit, in a gate of its own that begins with nothing to give. */
import {
  type Ask,
  type Cancel,
  type GateCommand,
  type GateEnv,
  type GateView,
  type LeaseId,
  memoryGate,
  type ProviderGate,
  type Settle,
  type StepReply,
  type Ticket,
} from '../../../core/src/index.js';
import { askFor, ended } from '../entries.js';
import type { Load } from '../steps.js';
import { type Deputy, emptyReply, gateAway } from './deputies.js';
import type { Share } from './share.js';

/** A lease of the shared store that was out when the store went away. */
export interface Held {
  readonly leaseId: LeaseId;
  readonly ticket: Ticket;
  readonly leftUs: number;
}

export class LocalShare implements Deputy {
  private readonly gate: ProviderGate;
  private readonly begun = new Set<string>();
  private readonly shadows = new Map<LeaseId, LeaseId>();
  private stepNo = 0;

  /** @param pauses what the provider is known to have asked for */
  constructor(
    private readonly share: Share,
    private readonly env: Pick<GateEnv, 'clock' | 'processId'>,
    held: readonly Held[],
    pauses: readonly GateCommand[],
  ) {
    this.gate = memoryGate().open(share.contract, env);
    this.run({ settles: [], asks: [], commands: pauses });
    this.takeOver(held);
  }

  step({ settles, asks, commands }: Load): StepReply {
    const served = asks.flatMap((ask) => (this.isWithheld(ask.ticket) ? observedOf(ask) : [ask]));
    const fees = this.begin(served);
    const ends = settles.map((settle) => ({ ...settle, leaseId: this.shadows.get(settle.leaseId) ?? settle.leaseId }));
    for (const { leaseId } of settles) this.shadows.delete(leaseId);
    const reply = this.run({ settles: [...fees, ...ends], asks: served, commands });
    const refused = asks.filter(({ ticket }) => this.isWithheld(ticket));
    return {
      ...reply,
      settles: settles.map(({ leaseId }, index) => ({
        leaseId,
        stale: reply.settles[fees.length + index]?.stale ?? true,
        place: reply.settles[fees.length + index]?.place ?? null,
      })),
      denials: [
        // The part is too small for the call, not the limit.
        ...reply.denials.map((denial) =>
          denial.reason === 'never-admissible' ? gateAway(denial.ticketKey, denial.headId, null) : denial,
        ),
        ...refused.flatMap(({ ticket, heads }) =>
          heads.filter(({ observe }) => !observe).map(({ id }) => gateAway(ticket.key, id, null)),
        ),
      ],
    };
  }

  onWake(listener: (ticketKeys: readonly string[]) => void): Cancel {
    return this.gate.onWake(listener);
  }

  inspect(): GateView {
    return this.gate.inspect() as GateView;
  }

  close(): void {
    void this.gate.close();
  }

  private run(load: Load): StepReply {
    if (load.settles.length + load.asks.length + load.commands.length === 0) return emptyReply(0, []);
    this.stepNo += 1;
    // Without a book of used amounts the memory gate answers at once.
    return this.gate.step({ ...load, processId: this.env.processId, stepNo: this.stepNo, seenSeq: 0 }) as StepReply;
  }

  private isWithheld(ticket: Ticket): boolean {
    return ticket.limits.some((limit) => this.share.withheld.has(limit));
  }

  /** Spends what each bucket of these tickets holds, the first time it is met. Returns the ends of the leases that did. */
  private begin(asks: readonly Ask[]): readonly Settle[] {
    const fees = asks.flatMap(({ ticket }) => {
      const charges = ticket.limits.map((index) => this.fee(ticket, index));
      return charges.some((charge) => charge > 0) ? [askFor({ ...ticket, key: `begin ${ticket.key}` }, charges)] : [];
    });
    const tickets = new Map(fees.map(({ ticket }) => [ticket.key, ticket]));
    return this.run({ settles: [], asks: fees, commands: [] }).grants.map(({ leaseId, ticketKey }) =>
      ended(leaseId, tickets.get(ticketKey) as Ticket),
    );
  }

  private fee(ticket: Ticket, index: number): number {
    const limit = this.share.contract.limits[index];
    if (limit === undefined || limit.kind === 'concurrency') return 0;
    const key = JSON.stringify([index, ...limit.countedBy.map((dimension) => ticket.partition[dimension] ?? '')]);
    if (this.begun.has(key)) return 0;
    this.begun.add(key);
    return limit.kind === 'token-bucket' ? limit.burst : limit.limit;
  }

  /** What is at the provider already takes its permits here too. */
  private takeOver(held: readonly Held[]): void {
    for (const { leaseId, ticket, leftUs } of held) {
      const charges = ticket.limits.map(() => 0);
      const [grant] = this.run({ settles: [], asks: [askFor(ticket, charges, leftUs)], commands: [] }).grants;
      if (grant !== undefined) this.shadows.set(leaseId, grant.leaseId);
    }
  }
}

/** What is sent whatever the judgement. */
function observedOf(ask: Ask): readonly Ask[] {
  const heads = ask.heads.filter(({ observe }) => observe);
  return heads.length === 0 ? [] : [{ ...ask, heads, waiting: heads.length }];
}
