import type { ResolvedContract } from '../../contract/resolved.js';
import type { Denial, GateChange, Grant, Head, Wait } from '../port.js';
import type { Book } from './books/book.js';
import { BareRetries } from './bare-retries.js';
import { Breaker } from './breaker.js';
import { RetryBudget } from './budget.js';
import { Guarantees } from './guarantee.js';
import { IndexedHeap } from './indexed-heap.js';
import { Judge } from './judge.js';
import { chargeOf } from './layout.js';
import { givenWeight } from './given-weight.js';
import { Leases } from './leases.js';
import type { Entry } from './line.js';
import { Members } from './members.js';
import type { Lease, Plan, Stage, Waiter } from './model.js';
import { end } from './pause.js';
import { Stages } from './stages.js';

/** Late tickets that a step parks at most. */
const PARK_VISITS = 64;

/** Tickets that are told of one event at once. */
const CALLED_AT_ONCE = 64;

/** A hint for another process than the one whose step gave it. */
export interface Hint {
  readonly processId: string;
  readonly ticketKey: string;
}

const NONE: readonly never[] = [];

/** All that the gate of one provider knows, and the replies that the step under way gathers. */
export class GateState {
  contract: ResolvedContract;
  now = 0;
  seq = 0;
  /** Counts steps. */
  steps = 0;
  readonly stages: Stages;
  readonly judge: Judge;
  breaker: Breaker | null = null;
  budget: RetryBudget | null = null;
  readonly bare = new BareRetries();
  guarantees: Guarantees;
  readonly leases = new Leases();
  readonly leaseExpiry = new IndexedHeap<Lease>();
  readonly waiterExpiry = new IndexedHeap<Waiter>();
  readonly members = new Members();
  /** Tenants take part: the lines are in fair order. */
  fair = false;
  /** Partitions in which this step freed something. */
  readonly freed: Stage[] = [];
  readonly hints: Hint[] = [];

  grants: Grant[] = [];
  waits: Wait[] = [];
  denials: Denial[] = [];
  private changes: GateChange[] = [];
  wake: string[] = [];
  private processId = '';

  constructor(contract: ResolvedContract) {
    this.contract = contract;
    this.stages = new Stages(contract);
    this.guarantees = new Guarantees(contract);
    this.stages.dropped = (stage, now) => this.endPause(stage, now);
    this.judge = new Judge(null, this.guarantees, this.leaseExpiry);
    this.adopt(contract);
  }

  private adopt(contract: ResolvedContract): void {
    this.contract = contract;
    if (contract.breaker === null) this.breaker = null;
    else if (this.breaker === null) this.breaker = new Breaker(contract.breaker);
    else this.breaker.settings = contract.breaker;
    const budget = contract.retry.budget;
    if (budget === null) this.budget = null;
    else if (this.budget === null) this.budget = new RetryBudget(budget.ratio, budget.floor);
    else {
      this.budget.ratio = budget.ratio;
      this.budget.floor = budget.floor;
    }
    this.guarantees = new Guarantees(contract, this.guarantees);
    this.judge.breaker = this.breaker;
    this.judge.guarantees = this.guarantees;
  }

  /** Calls wait for a provider that is down: a retry that finds no room in the budget waits for it too. */
  get retriesWait(): boolean {
    return this.breaker !== null && !this.breaker.refuses;
  }

  get guardUs(): number {
    return this.contract.guardMs * 1000;
  }

  /** New numbers; used amounts stay. What waits is judged anew: it has to ask again, and where nothing but numbers changed it keeps its place until then. */
  update(contract: ResolvedContract): void {
    if (this.stages.renumber(contract)) {
      this.adopt(contract);
      for (let i = 0; i < this.waiterExpiry.size; i += 1) {
        const { processId, key } = this.waiterExpiry.at(i);
        this.hints.push({ processId, ticketKey: key });
      }
      return;
    }
    for (let waiter = this.waiterExpiry.peek(); waiter !== undefined; waiter = this.waiterExpiry.peek()) {
      this.drop(waiter);
      this.hints.push({ processId: waiter.processId, ticketKey: waiter.key });
    }
    this.adopt(contract);
    this.stages.configure(contract);
  }

  /** What has changed since it was last told. */
  takeChanges(): readonly GateChange[] {
    const { changes } = this;
    this.changes = NONE as never;
    return changes;
  }

  /** A lease has run out and holds what it held: it ends with this step or one of the next. */
  hasDead(now: number): boolean {
    const first = this.leaseExpiry.peek();
    return first !== undefined && first.due <= now;
  }

  begin(processId: string): void {
    this.steps += 1;
    this.processId = processId;
    this.judge.owed.visits = PARK_VISITS;
    if (this.freed.length > 0) this.freed.length = 0;
    this.grants = NONE as never;
    this.waits = NONE as never;
    this.denials = NONE as never;
    this.wake = NONE as never;
  }

  /** Takes a ticket out of every line. */
  drop(waiter: Waiter): void {
    this.bare.forget(waiter);
    const { stages } = waiter.plan;
    for (let i = 0; i < stages.length; i += 1) {
      const stage = stages[i] as Stage;
      const entry = waiter.entries[i] as Waiter['entries'][number];
      if (entry.state !== 'out') stage.line.leave(entry, false);
    }
    this.waiterExpiry.remove(waiter);
    this.members.forget(waiter);
    this.free(waiter.plan.stages);
  }

  /** Something of these stages became free: who waits there may be told. */
  free(stages: readonly Stage[]): void {
    for (const stage of stages) {
      if (stage.line.size === 0 || stage.whole || stage.freedIn === this.steps) continue;
      stage.freedIn = this.steps;
      this.freed.push(stage);
    }
  }

  /** A store must hear of it at once, where there is one: whoever starts after a crash must know. */
  private press(stage: Stage): void {
    this.stages.touch(stage);
    this.stages.pressing = true;
  }

  breakerMoved(): void {
    this.press(this.stages.whole);
  }

  pauseStarted(stage: Stage): void {
    const { until, step, hinted } = stage.pause;
    this.press(stage);
    this.change({ type: 'pause-started', stage: stage.key, untilUs: until, step, hinted });
    this.free([stage]);
  }

  endPause(stage: Stage, now: number): void {
    if (!stage.pause.active) return;
    const lastedUs = now - stage.pause.beganAt;
    end(stage.pause, this.seq);
    this.press(stage);
    this.pauseEnded(stage, lastedUs);
  }

  /** The operator's word: whatever the provider said of its waits and resets is over. */
  reopen(stage: Stage, now: number): void {
    let shut = false;
    for (const book of stage.books) {
      shut ||= book.shutUntil > now;
      book.shutUntil = 0;
    }
    if (shut) this.press(stage);
    if (stage.pause.active) this.endPause(stage, now);
    else if (shut) this.callAll(stage);
  }

  pauseEnded(stage: Stage, lastedUs: number): void {
    this.change({ type: 'pause-ended', stage: stage.key, lastedUs });
    this.callAll(stage);
  }

  change(change: GateChange): void {
    if (this.changes.length === 0) this.changes = [change];
    else this.changes.push(change);
  }

  grant(grant: Grant): void {
    if (this.grants.length === 0) this.grants = [grant];
    else this.grants.push(grant);
  }

  wait(wait: Wait): void {
    if (this.waits.length === 0) this.waits = [wait];
    else this.waits.push(wait);
  }

  deny(denial: Denial): void {
    if (this.denials.length === 0) this.denials = [denial];
    else this.denials.push(denial);
  }

  /** Tells who waits in a stage to ask again: the first 64. */
  callAll(stage: Stage): void {
    let called = 0;
    for (const lane of stage.line.lanes) {
      for (const entry of lane.entries) {
        if (called >= CALLED_AT_ONCE) return;
        called += 1;
        this.call(entry.waiter);
      }
    }
  }

  /** Tells a ticket's process to ask again. */
  call(waiter: Waiter): void {
    if (waiter.processId !== this.processId) {
      this.hints.push({ processId: waiter.processId, ticketKey: waiter.key });
    } else if (this.wake.length === 0) this.wake = [waiter.key];
    else if (!this.wake.includes(waiter.key)) this.wake.push(waiter.key);
  }

  /** The first tenant has come: from now on all lines are in fair order. */
  makeFair(): void {
    this.fair = true;
    for (const stage of [...this.stages.all(), this.stages.whole]) {
      stage.line.makeFair((waiter) => {
        const head = waiter.current();
        return head === undefined ? 0 : this.shareOf(waiter.plan, waiter.plan.stages.indexOf(stage), head);
      });
    }
  }

  /** Share of the stage that one call takes: the largest over its accounts. */
  shareOf(plan: Plan, index: number, head: Head): number {
    const { books } = plan.stages[index] as Stage;
    const positions = plan.positions[index] as readonly number[];
    let share = 0;
    for (let j = 0; j < books.length; j += 1) {
      const charge = chargeOf(head, positions[j] as number);
      // What an account can hold may depend on the dearest call it has seen: it has not seen this one yet.
      if (charge > 0) share = Math.max(share, charge / Math.max(charge, (books[j] as Book).capacity));
    }
    return share > 0 ? share : 1;
  }

  weightOf(tenant: string): number {
    const { weight } = this.contract.tenants;
    if (weight === null || tenant === '') return 1;
    return givenWeight(weight, tenant, this);
  }

  enter(waiter: Waiter, index: number): void {
    const stage = waiter.plan.stages[index] as Stage;
    const entry = waiter.entries[index] as Entry<Waiter>;
    if (entry.state === 'in') return;
    const head = waiter.current();
    stage.line.enter(entry, this.fair && head !== undefined ? this.shareOf(waiter.plan, index, head) : 0, this.fair);
  }
}
