/**
 * What Redis has granted to this process: where Redis loses it, by a restart, a FLUSHALL or a fail-over to a replica that
 * lags, each process charges its own part anew. That is exact where a count of all that is missing would have to guess which
 * limits and partitions it belonged to.
 */
import type { Ask, LeaseId, ResolvedContract, Settle, StepReply, Ticket } from '../../core/src/index.js';
import type { Held } from './outage/local-share.js';
import { type Debt, Spent } from './spent.js';
import type { Load } from './steps.js';

/** What a fail-over may lose lies within this time; a replica that lags more has lost everything. */
const RECENT_US = 60_000_000;
const MOST_RECENT = 4_096;

interface Lease extends Debt {
  readonly stepNo: number;
  readonly expiresAtUs: number;
}

interface Grants {
  readonly stepNo: number;
  readonly atUs: number;
  readonly debts: readonly Debt[];
}

export class OwnUse {
  private readonly spent: Spent;
  private readonly leases = new Map<LeaseId, Lease>();
  private recent: Grants[] = [];

  constructor(contract: ResolvedContract) {
    this.spent = new Spent(contract);
  }

  update(contract: ResolvedContract): void {
    this.spent.update(contract);
  }

  granted(stepNo: number, { asks }: Load, { grants, nowUs }: StepReply): void {
    if (grants.length === 0) return;
    const sums = new Map<Ticket, number[]>();
    let ask: Ask | undefined;
    let next = 0;
    for (const { leaseId, ticketKey, headId, expiresAtUs } of grants) {
      if (ask?.ticket.key !== ticketKey) {
        ask = asks.find(({ ticket }) => ticket.key === ticketKey);
        next = 0;
      }
      if (ask === undefined) continue;
      const { ticket, heads } = ask;
      // They are granted in the order in which they were shown, but for probes.
      const at = heads[next]?.id === headId ? next : heads.findIndex(({ id }) => id === headId);
      const head = heads[at];
      if (head === undefined) continue;
      next = at + 1;
      const lease = { ticket, charges: head.charges, stepNo, expiresAtUs };
      this.leases.set(leaseId, lease);
      this.spent.add(lease, nowUs);
      addTo(sums, lease);
    }
    this.recent.push({ stepNo, atUs: nowUs, debts: debtsOf(sums) });
    if (this.recent.length > MOST_RECENT) this.recent = this.recent.slice(MOST_RECENT / 2);
  }

  /** Something that was granted otherwise was charged to Redis. */
  charged(debts: readonly Debt[], nowUs: number): void {
    for (const debt of debts) this.spent.add(debt, nowUs);
  }

  ended(settles: readonly Settle[], nowUs: number): void {
    for (const { leaseId, end, trueCharges } of settles) {
      const lease = this.leases.get(leaseId);
      if (lease === undefined) continue;
      this.leases.delete(leaseId);
      const { ticket, charges } = lease;
      if (end === 'not-sent') this.spent.add(lease, nowUs, -1);
      else if (trueCharges !== null) {
        const extra = trueCharges.map((cost, position) => cost - (charges[position] ?? 0));
        this.spent.add({ ticket, charges: extra }, nowUs);
      }
    }
  }

  /** @param sinceStep Redis knows of the steps up to this one; null = of none */
  debts(sinceStep: number | null, nowUs: number): readonly Debt[] {
    if (sinceStep === null) return this.spent.debts(nowUs);
    const sums = new Map<Ticket, number[]>();
    for (const { stepNo, atUs, debts } of this.recent) {
      if (stepNo <= sinceStep || atUs < nowUs - RECENT_US) continue;
      for (const debt of debts) addTo(sums, debt);
    }
    return debtsOf(sums);
  }

  /** Leases that are out where permits are counted. */
  held(contract: ResolvedContract, sinceStep: number | null, nowUs: number): readonly Held[] {
    const counted = new Set(contract.limits.flatMap(({ kind }, index) => (kind === 'concurrency' ? [index] : [])));
    const held: Held[] = [];
    for (const [leaseId, { ticket, stepNo, expiresAtUs }] of this.leases) {
      if (expiresAtUs <= nowUs) this.leases.delete(leaseId);
      else if ((sinceStep === null || stepNo > sinceStep) && ticket.limits.some((limit) => counted.has(limit))) {
        held.push({ leaseId, ticket, leftUs: Math.round(expiresAtUs - nowUs) });
      }
    }
    return held;
  }
}

function addTo(sums: Map<Ticket, number[]>, { ticket, charges }: Debt): void {
  const sum = sums.get(ticket);
  if (sum === undefined) sums.set(ticket, [...charges]);
  else for (let at = 0; at < charges.length; at += 1) sum[at] = (sum[at] ?? 0) + (charges[at] ?? 0);
}

function debtsOf(sums: ReadonlyMap<Ticket, readonly number[]>): readonly Debt[] {
  return [...sums].map(([ticket, charges]) => ({ ticket, charges }));
}
