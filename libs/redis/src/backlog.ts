/** What Redis has yet to hear of this process: ends of attempts, orders, amounts and leases that its books do not hold. */
import type { GateCommand, LeaseId, Settle } from '../../core/src/index.js';
import { askFor, ended } from './entries.js';
import type { Held } from './outage/local-share.js';
import type { Debt } from './spent.js';
import type { Steps } from './steps.js';

/** Settles of one step. */
const MAX_SETTLES = 64;
/** Asks of one step: all who share the gate wait while it is taken. */
const MAX_ASKS = 16;

/** One entry that the books take over. */
interface Entry extends Debt {
  /** The lease it is for; null = it is an amount, and its lease ends at once. */
  readonly lease: LeaseId | null;
  readonly attemptUs: number;
}

export class Backlog {
  private settles: Settle[] = [];
  private commands: { readonly command: GateCommand; readonly atUs: number }[] = [];
  private entries: Entry[] = [];
  /** What Redis calls the leases that it has taken over. */
  readonly names = new Map<LeaseId, LeaseId>();

  keep(settles: readonly Settle[]): void {
    this.settles.push(...settles);
  }

  order(commands: readonly GateCommand[], nowUs: number): void {
    this.commands.push(...commands.map((command) => ({ command, atUs: nowUs })));
  }

  owe(debts: readonly Debt[]): void {
    this.entries.push(...debts.map((debt) => ({ ...debt, lease: null, attemptUs: 0 })));
  }

  lend(leases: readonly Held[]): void {
    const fresh = leases.filter(({ leaseId }) => !this.names.has(leaseId));
    this.entries.push(
      ...fresh.map(({ leaseId, ticket, leftUs }) => ({
        ticket,
        charges: ticket.limits.map(() => 0),
        lease: leaseId,
        attemptUs: leftUs,
      })),
    );
  }

  /** Takes over what another has not told. */
  take(other: Backlog): void {
    this.settles.push(...other.settles);
    this.commands.push(...other.commands);
    this.entries.push(...other.entries);
    for (const [lease, name] of other.names) this.names.set(lease, name);
  }

  /** @throws where Redis is away; what it has heard by then is not told again. */
  async tell(steps: Steps, nowUs: number): Promise<void> {
    await this.tellEnds(steps, nowUs);
    while (this.entries.length > 0) await this.tellEntries(steps);
    await this.tellEnds(steps, nowUs);
  }

  private async tellEnds(steps: Steps, nowUs: number): Promise<void> {
    while (this.settles.length + this.commands.length > 0) {
      const settles = this.settles.slice(0, MAX_SETTLES);
      const told = this.commands.length;
      const commands = this.commands.map(({ command, atUs }) => aged(command, nowUs - atUs));
      await steps.insist({ settles, asks: [], commands }, () => {
        this.settles = this.settles.slice(settles.length);
        this.commands = this.commands.slice(told);
      });
    }
  }

  private async tellEntries(steps: Steps): Promise<void> {
    const batch = this.entries.slice(0, MAX_ASKS);
    const asks = batch.map(({ ticket, charges, attemptUs }, index) =>
      askFor({ ...ticket, key: `${index} ${ticket.key}` }, charges, attemptUs),
    );
    await steps.insist({ settles: [], asks, commands: [] }, ({ grants }) => {
      this.entries = this.entries.slice(batch.length);
      for (const { ticketKey, leaseId } of grants) {
        const { lease, ticket } = batch[Number.parseInt(ticketKey, 10)] as Entry;
        if (lease !== null) this.names.set(lease, leaseId);
        else this.settles.push(ended(leaseId, ticket));
      }
    });
  }
}

/** A pause that was ordered some time ago has so much less to go. */
function aged(command: GateCommand, byUs: number): GateCommand {
  return command.type === 'pause' ? { ...command, forUs: Math.max(0, command.forUs - byUs) } : command;
}
