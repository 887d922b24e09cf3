/** What was granted to this process, by limit and partition, and how much of it still counts: what books that have lost it are told. */
import type { ResolvedContract, Ticket } from '../../core/src/index.js';

type Limit = ResolvedContract['limits'][number];

/** Parts of a window that are told apart: what is reported lies at most an eighth of it above what counts. */
const SLOTS = 8;

/** Accounts that are kept; beyond them those that count nothing any more are dropped. */
const MANY = 10_000;

interface Account {
  limit: Limit;
  /** One of those that are charged to it, and where. */
  readonly ticket: Ticket;
  readonly position: number;
  /** Token buckets: what has not drained yet, at `atUs`. */
  level: number;
  atUs: number;
  /** Windows: amounts by the slot they were granted in. Quotas: all of it in one. */
  readonly slots: Map<number, number>;
}

/** Amounts by position in `ticket.limits`. */
export interface Debt {
  readonly ticket: Ticket;
  readonly charges: readonly number[];
}

export class Spent {
  private readonly accounts = new Map<string, Account>();
  /** By position in `ticket.limits`; null = permits, which are leases. */
  private byTicket = new WeakMap<Ticket, readonly (Account | null)[]>();

  /** @param contract the numbers that are granted by: what is left of a bucket drains at its rate */
  constructor(private contract: ResolvedContract) {}

  update(contract: ResolvedContract): void {
    this.contract = contract;
    this.byTicket = new WeakMap();
    for (const [key, account] of this.accounts) {
      const limit = contract.limits.find(({ name }) => name === account.limit.name);
      if (limit === undefined || limit.kind !== account.limit.kind) this.accounts.delete(key);
      else account.limit = limit;
    }
  }

  /** @param sign -1 takes back what was granted and never sent */
  add({ ticket, charges }: Debt, nowUs: number, sign: 1 | -1 = 1): void {
    const accounts = this.accountsOf(ticket, nowUs);
    for (let position = 0; position < accounts.length; position += 1) {
      const account = accounts[position];
      if (account) put(account, (charges[position] ?? 0) * sign, nowUs);
    }
  }

  /** What counts at this moment: one entry for each ticket that stands for some of it. */
  debts(nowUs: number): readonly Debt[] {
    const byTicket = new Map<Ticket, number[]>();
    for (const account of this.accounts.values()) {
      const amount = amountAt(account, nowUs);
      if (amount <= 0) continue;
      const { ticket, position } = account;
      let charges = byTicket.get(ticket);
      if (charges === undefined) byTicket.set(ticket, (charges = ticket.limits.map(() => 0)));
      charges[position] = amount;
    }
    return [...byTicket].map(([ticket, charges]) => ({ ticket, charges }));
  }

  private accountsOf(ticket: Ticket, nowUs: number): readonly (Account | null)[] {
    let accounts = this.byTicket.get(ticket);
    if (accounts === undefined) {
      if (this.accounts.size > MANY) this.prune(nowUs);
      accounts = ticket.limits.map((index, position) => this.accountOf(ticket, index, position));
      this.byTicket.set(ticket, accounts);
    }
    return accounts;
  }

  private accountOf(ticket: Ticket, index: number, position: number): Account | null {
    const limit = this.contract.limits[index];
    if (limit === undefined || limit.kind === 'concurrency') return null;
    const key = JSON.stringify([limit.name, ...limit.countedBy.map((dimension) => ticket.partition[dimension] ?? '')]);
    let account = this.accounts.get(key);
    if (account === undefined) {
      account = { limit, ticket, position, level: 0, atUs: 0, slots: new Map() };
      this.accounts.set(key, account);
    }
    return account;
  }

  private prune(nowUs: number): void {
    this.byTicket = new WeakMap();
    for (const [key, account] of this.accounts) if (amountAt(account, nowUs) <= 0) this.accounts.delete(key);
  }
}

function put(account: Account, amount: number, nowUs: number): void {
  const { limit } = account;
  if (limit.kind === 'token-bucket') {
    account.level = Math.max(0, levelAt(account, nowUs) + amount);
    account.atUs = nowUs;
    return;
  }
  const slot = slotAt(limit, nowUs);
  account.slots.set(slot, (account.slots.get(slot) ?? 0) + amount);
  forget(account, slot);
}

function levelAt({ limit, level, atUs }: Account, nowUs: number): number {
  if (limit.kind !== 'token-bucket') return 0;
  return Math.max(0, level - ((nowUs - atUs) * limit.limit) / (limit.perMs * 1000));
}

function amountAt(account: Account, nowUs: number): number {
  const { limit, slots } = account;
  if (limit.kind === 'token-bucket') return levelAt(account, nowUs);
  forget(account, slotAt(limit, nowUs));
  let sum = 0;
  for (const amount of slots.values()) sum += amount;
  return sum;
}

/** Of a quota all is told in one: of the period that it was granted in, at least. */
function slotAt(limit: Limit, nowUs: number): number {
  return limit.kind === 'sliding-window' || limit.kind === 'fixed-window'
    ? Math.floor((nowUs * SLOTS) / (limit.perMs * 1000))
    : 0;
}

/** A slot counts until all of it has left the window. */
function forget({ slots }: Account, current: number): void {
  for (const slot of slots.keys()) if (slot < current - SLOTS) slots.delete(slot);
}
