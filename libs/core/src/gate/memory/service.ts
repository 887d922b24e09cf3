import type { Ask, Head, Shadow } from '../port.js';
import { grantTo } from './grant.js';
import type { Entry } from './line.js';
import { type Plan, type Stage, Waiter } from './model.js';
import { QUANTUM } from './owed.js';
import { probeDue } from './pause.js';
import { headCame, type Waiters } from './presence.js';
import type { GateState } from './state.js';
import { HINT_US, putAside, sleep, stand } from './waiting.js';

const NO_HEADS: readonly Head[] = [];

/** Grants a ticket gets in one step where nobody waits: to hold any of them back would serve nobody. */
const UNCONTENDED = 64;

/** The service of one ask in one step. */
export class Service {
  private readonly plan: Plan;
  private left: number;
  private heads: readonly Head[];
  private granted = 0;
  /** Grants that it gets at most. */
  private readonly most: number;
  /** Retries that do not fit the budget yet, and wait until they do: they hold a place, or the contract lets calls wait. */
  private held: readonly Head[] = NO_HEADS;

  constructor(
    private readonly state: GateState,
    private readonly waiters: Waiters,
    private readonly processId: string,
    private readonly ask: Ask,
    private readonly now: number,
    private waiter: Waiter | null,
  ) {
    this.plan = waiter?.plan ?? state.stages.planFor(ask.ticket, now);
    this.left = ask.waiting;
    this.most = waiter === null ? UNCONTENDED : QUANTUM;
    this.heads = probeFirst(state, this.plan, ask.heads, now);
  }

  run(): void {
    const { heads } = this;
    let i = 0;
    for (; i < heads.length && this.granted < this.most; i += 1) {
      if (!this.one(heads[i] as Head, i)) break;
    }
    this.rest(i);
  }

  /** False = this head has to wait, and those behind it. */
  private one(head: Head, index: number): boolean {
    const { state, now } = this;
    if (head.observe) {
      this.grant(head, index, shadowOf(state, this.plan, head, now));
      return true;
    }
    const { breaker, budget } = state;
    if (breaker !== null && breaker.state === 'open' && breaker.refuses && !breaker.probeDue(now)) {
      this.deny(head, 'circuit-open', breaker.openUntil > now ? breaker.openUntil : null, null);
      return true;
    }
    if (head.kind === 'retry' && budget !== null && !budget.admits(now, head.place)) {
      if (budget.holds(now, head.place) || state.retriesWait) this.held = [...this.held, head];
      else this.deny(head, 'budget', budget.retryAt(now), null);
      return true;
    }
    return this.judged(head, index);
  }

  private judged(head: Head, index: number): boolean {
    const { state, now, plan, waiter } = this;
    const { judge } = state;
    if (waiter !== null) {
      waiter.heads = this.heads;
      waiter.head = index;
      waiter.aside = false;
      waiter.by = null;
    }
    if (judge.partitions(plan, waiter, head, now) <= now) {
      if (waiter !== null) {
        state.enter(waiter, plan.stages.length - 1);
        waiter.eligible = judge.eligible(plan, this.left, head, now);
      }
      if (judge.whole(plan, waiter, head, now) <= now) {
        this.grant(head, index, null);
        return true;
      }
    }
    if (judge.verdict.moment !== Infinity && !judge.never(plan, head, now)) return false;
    this.deny(head, 'never-admissible', null, judge.verdict.limit);
    return true;
  }

  private grant(head: Head, index: number, shadow: Shadow | null): void {
    const { state, waiter } = this;
    grantTo(state, this.ask.ticket, this.plan, head, this.now, shadow);
    this.granted += 1;
    this.left -= 1;
    if (waiter === null) return;
    waiter.calls = this.left;
    waiter.head = index + 1;
    const next = this.heads[index + 1];
    if (next !== undefined) waiter.arrived = this.now - next.waitedUs;
    for (let i = 0; i < waiter.entries.length; i += 1) {
      const entry = waiter.entries[i] as Entry<Waiter>;
      if (entry.state === 'out') continue;
      (this.plan.stages[i] as Stage).line.leave(entry, true);
      if (this.left > 0) state.enter(waiter, i);
    }
  }

  private deny(
    head: Head,
    reason: 'never-admissible' | 'budget' | 'circuit-open',
    retryAtUs: number | null,
    limit: number | null,
  ): void {
    this.left -= 1;
    this.state.deny({ ticketKey: this.ask.ticket.key, headId: head.id, reason, retryAtUs, limit });
  }

  /** What becomes of the calls that were not granted. */
  private rest(index: number): void {
    const { state, now } = this;
    if (this.left <= 0) {
      if (this.waiter !== null) state.drop(this.waiter);
      return;
    }
    const blocked = this.heads[index];
    // All that it showed is served, and nobody else waits: it asks for the rest at once, and needs no place for it.
    if (this.waiter === null && blocked === undefined && this.held.length === 0) return;
    const waiter = this.waiter ?? this.register();
    waiter.calls = this.left;
    const shown = this.heads.slice(index);
    waiter.heads = blocked === undefined ? [...this.held] : [...shown, ...this.held];
    waiter.head = 0;
    const first = waiter.current();
    if (first !== undefined) headCame(state, waiter, now - first.waitedUs);
    if (blocked !== undefined && this.granted < this.most) this.hold(waiter, blocked);
    else if (this.held.length > 0 && this.granted < this.most) putAside(state, waiter, now);
    else stand(state, waiter, this.plan, null, now);
    if (state.retriesWait) state.bare.note(waiter, state.budget, now);
    if (this.held.length > 0 && !waiter.aside) {
      waiter.pollAt = Math.min(waiter.pollAt, state.budget?.retryAt(now) ?? waiter.pollAt);
    }
  }

  private hold(waiter: Waiter, head: Head): void {
    const { state, now } = this;
    const { verdict } = state.judge;
    const other = verdict.yieldsTo;
    if (other !== null && other.pollAt > now + HINT_US) {
      other.pollAt = now + HINT_US;
      state.call(other);
    }
    if (verdict.by?.whole === true) stand(state, waiter, this.plan, head, now);
    else sleep(state, waiter, this.plan, head, now);
  }

  private register(): Waiter {
    const { state, now, ask } = this;
    const waiter = new Waiter(this.processId, ask.ticket.key, this.plan, state.weightOf(ask.ticket.tenant));
    this.waiters.set(waiter.key, waiter);
    waiter.due = now;
    state.waiterExpiry.push(waiter);
    const [next] = this.heads;
    waiter.heads = this.heads;
    waiter.calls = this.left;
    waiter.arrived = now - (next?.waitedUs ?? 0);
    waiter.newest = now - ask.newestWaitedUs;
    waiter.safe = this.heads.some((head) => head.safety !== 'unkeyed');
    for (let i = 0; i < waiter.entries.length - 1; i += 1) state.enter(waiter, i);
    return waiter;
  }
}

/** Where a probe is wanted, a call that may be repeated goes before a bare write. */
function probeFirst(state: GateState, plan: Plan, heads: readonly Head[], now: number): readonly Head[] {
  if (heads.length < 2) return heads;
  const wanted = state.breaker?.probeDue(now) === true || plan.stages.some((stage) => probeDue(stage.pause, now));
  if (!wanted) return heads;
  const safe = heads.findIndex((head) => head.safety !== 'unkeyed');
  return safe <= 0 ? heads : [heads[safe] as Head, ...heads.slice(0, safe), ...heads.slice(safe + 1)];
}

/** What would have become of an observed call. */
function shadowOf(state: GateState, plan: Plan, head: Head, now: number): Shadow | null {
  const { judge, budget } = state;
  if (head.kind === 'retry' && budget !== null && !budget.admits(now, head.place))
    return { cause: 'budget', limit: null, waitUs: null };
  judge.partitions(plan, null, head, now);
  const moment = judge.whole(plan, null, head, now);
  if (moment <= now) return null;
  const { cause, limit } = judge.verdict;
  return { cause, limit, waitUs: moment === Infinity ? null : moment - now };
}
