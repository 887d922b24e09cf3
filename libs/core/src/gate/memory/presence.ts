/** Who stands in the lines of a process's tickets, as its asks tell. */
import type { Ask } from '../port.js';
import { type Plan, samePlan, type Stage, Waiter } from './model.js';
import type { GateState } from './state.js';

/** By the key of their ticket. */
export type Waiters = Map<string, Waiter>;

export function leave(state: GateState, waiters: Waiters, ask: Ask): void {
  const waiter = waiters.get(ask.ticket.key);
  if (waiter !== undefined) state.drop(waiter);
}

/** The ticket's waiter, brought up to date. A ticket that nobody stands in front of or behind needs none yet. */
export function present(
  state: GateState,
  waiters: Waiters,
  processId: string,
  ask: Ask,
  now: number,
  always: boolean,
): Waiter | null {
  const { ticket } = ask;
  if (!state.fair && ticket.tenant !== '') state.makeFair();
  const plan = state.stages.planFor(ticket, now);
  let waiter = waiters.size > 0 ? waiters.get(ticket.key) : undefined;
  if (waiter !== undefined && !samePlan(waiter.plan, plan)) {
    state.drop(waiter);
    waiter = undefined;
  }
  if (waiter === undefined) {
    if (!always && !crowded(plan)) return null;
    waiter = new Waiter(processId, ticket.key, plan, state.weightOf(ticket.tenant));
    waiters.set(ticket.key, waiter);
    waiter.due = now;
    state.waiterExpiry.push(waiter);
  }
  refresh(state, waiter, ask, now);
  return waiter;
}

function crowded(plan: Plan): boolean {
  for (let i = 0; i < plan.stages.length; i += 1) if ((plan.stages[i] as Stage).line.size > 0) return true;
  return false;
}

function refresh(state: GateState, waiter: Waiter, ask: Ask, now: number): void {
  const before = waiter.current();
  const first = ask.heads[0];
  waiter.calls = ask.waiting;
  waiter.heads = ask.heads;
  waiter.head = 0;
  waiter.newest = now - ask.newestWaitedUs;
  waiter.safe = ask.heads.some((head) => head.safety !== 'unkeyed');
  if (first !== undefined && before?.id !== first.id) headCame(state, waiter, now - first.waitedUs);
  // Being here, it holds up who stands behind it until this step has judged it.
  waiter.pollAt = now;
  const last = waiter.entries.length - 1;
  for (let i = 0; i <= last; i += 1) {
    if (i < last || waiter.entries[i]?.state === 'parked') state.enter(waiter, i);
  }
}

/** The place of a ticket is that of its first call. */
export function headCame(state: GateState, waiter: Waiter, at: number): void {
  if (waiter.arrived === at) return;
  waiter.arrived = at;
  waiter.entries.forEach((entry, i) => (waiter.plan.stages[i] as Stage).line.headChanged(entry, state.fair));
}
