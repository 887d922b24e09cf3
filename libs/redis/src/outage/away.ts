/** The time without the shared store: a deputy judges, and what the store has to hear of at the return is kept. */
import type { LeaseId, Settle, StepReply, Ticket } from '../../../core/src/index.js';
import { Backlog } from '../backlog.js';
import { ended } from '../entries.js';
import { type Debt, Spent } from '../spent.js';
import type { Load } from '../steps.js';
import type { Deputy } from './deputies.js';

/** A lease of the deputy's that is out. */
interface Out {
  readonly ticket: Ticket;
  readonly charges: readonly number[];
  /** Its name at the deputy's. */
  readonly own: LeaseId;
  readonly expiresAtUs: number;
}

export class Away {
  private readonly out = new Map<LeaseId, Out>();
  private readonly waiting = new Set<string>();
  private spent: Spent;
  readonly backlog = new Backlog();

  /**
   * @param mark begins the name of every lease and place of this time
   * @param noneSpent makes the account of what is granted, to be charged at the return
   */
  constructor(
    private readonly mark: string,
    private readonly deputy: Deputy,
    private readonly noneSpent: () => Spent,
  ) {
    this.spent = noneSpent();
  }

  /** Tickets that the deputy has told to wait. */
  get told(): readonly string[] {
    return [...this.waiting];
  }

  /** @param kept its settles and commands will reach the store by another road */
  answer(load: Load, nowUs: number, kept: boolean): StepReply {
    if (!kept) {
      const shared = load.settles.filter(({ leaseId }) => !this.out.has(leaseId));
      this.backlog.keep(shared.map((settle) => ({ ...settle, retry: null })));
      this.backlog.order(load.commands, nowUs);
    }
    const reply = this.deputy.step(this.translated(load), nowUs);
    load.settles.forEach((settle) => this.ended(settle, nowUs));
    for (const { ticket } of load.asks) this.waiting.delete(ticket.key);
    for (const { ticketKey } of reply.waits) this.waiting.add(ticketKey);
    const shiftUs = nowUs - reply.nowUs;
    return {
      ...reply,
      grants: reply.grants.map((grant) => {
        const leaseId = `${this.mark}${grant.leaseId}`;
        this.granted(load, grant.ticketKey, grant.headId, leaseId, grant.leaseId, grant.expiresAtUs + shiftUs, nowUs);
        return { ...grant, leaseId, seq: 0 };
      }),
      settles: load.settles.map(({ leaseId }, index) => {
        const place = reply.settles[index]?.place ?? null;
        return { leaseId, stale: false, place: place === null ? null : `${this.mark}${place}` };
      }),
    };
  }

  /** Closes the account of this time: what still counts, and what is still out, goes into the backlog. Returns the amounts. */
  reckon(nowUs: number): readonly Debt[] {
    const debts = this.spent.debts(nowUs);
    this.spent = this.noneSpent();
    this.backlog.owe(debts);
    this.backlog.lend(
      [...this.out]
        .filter(([, { expiresAtUs }]) => expiresAtUs > nowUs)
        .map(([leaseId, { ticket, expiresAtUs }]) => ({ leaseId, ticket, leftUs: Math.round(expiresAtUs - nowUs) })),
    );
    return debts;
  }

  private translated({ settles, asks, commands }: Load): Load {
    const placeOf = (place: string | null): string | null =>
      place?.startsWith(this.mark) ? place.slice(this.mark.length) : place;
    return {
      settles: settles.map((settle) => ({
        ...settle,
        leaseId: this.out.get(settle.leaseId)?.own ?? settle.leaseId,
      })),
      asks: asks.map((ask) => ({
        ...ask,
        heads: ask.heads.map((head) => ({ ...head, place: placeOf(head.place) })),
      })),
      commands: commands.map((command) =>
        command.type === 'release-place' ? { ...command, place: placeOf(command.place) as string } : command,
      ),
    };
  }

  private granted(
    { asks }: Load,
    ticketKey: string,
    headId: number,
    leaseId: string,
    own: LeaseId,
    expiresAtUs: number,
    nowUs: number,
  ): void {
    const ask = asks.find(({ ticket }) => ticket.key === ticketKey);
    const head = ask?.heads.find(({ id }) => id === headId);
    if (ask === undefined || head === undefined) return;
    this.out.set(leaseId, { ticket: ask.ticket, charges: head.charges, own, expiresAtUs });
    this.spent.add({ ticket: ask.ticket, charges: head.charges }, nowUs);
  }

  private ended({ leaseId, end, trueCharges }: Settle, nowUs: number): void {
    const lease = this.out.get(leaseId);
    if (lease === undefined) return;
    this.out.delete(leaseId);
    const { ticket, charges } = lease;
    const { names } = this.backlog;
    const name = names.get(leaseId);
    if (name !== undefined) {
      names.delete(leaseId);
      this.backlog.keep([ended(name, ticket)]);
    }
    if (end === 'not-sent') this.spent.add(lease, nowUs, -1);
    else if (trueCharges !== null) {
      const extra = trueCharges.map((cost, position) => cost - (charges[position] ?? 0));
      this.spent.add({ ticket, charges: extra }, nowUs);
    }
  }
}
