import type { Head, Shadow, Ticket } from '../port.js';
import type { Book } from './books/book.js';
import type { GateState } from './state.js';
import { admittedBy } from './judge.js';
import { chargeOf } from './layout.js';
import type { Entry } from './line.js';
import { probeDue, shut } from './pause.js';
import { Lease, type Plan, type Stage, type Waiter, worksAfterUs } from './model.js';

/** Tickets that a charge of their partition judges anew. */
const REJUDGED = 32;

/** Charges every stage of the plan and makes the lease: all in one step, or none. */
export function grantTo(
  state: GateState,
  ticket: Ticket,
  plan: Plan,
  head: Head,
  now: number,
  shadow: Shadow | null,
): void {
  state.seq += 1;
  const { seq, breaker } = state;
  const due = now + head.attemptUs + state.guardUs + worksAfterUs(plan);
  const lease = new Lease(seq, plan, head.charges, head.kind, plan.lane, now, due);
  const { stages, positions } = plan;
  for (let i = 0; i < stages.length; i += 1) {
    const stage = stages[i] as Stage;
    const { books } = stage;
    const at = positions[i] as readonly number[];
    for (let j = 0; j < books.length; j += 1) {
      (books[j] as Book).charge(now, plan.lane, chargeOf(head, at[j] as number));
    }
    if (!stage.unsaved) state.stages.touch(stage);
    if (stage.pause.active) meetPause(state, stage, head, lease, now);
    if (stage.whole || stage.line.size === 0) continue;
    rejudge(stage, now);
    // Less is owed to the one that is served: those behind it may be next.
    if (stage.line.size > 1) state.free([stage]);
  }
  if (state.guarantees.any) state.guarantees.charge(plan, head);
  let probesBreaker = false;
  if (breaker !== null) {
    if (!head.observe && breaker.probeDue(now)) {
      probesBreaker = true;
      lease.probe = true;
      breaker.probe = lease;
    }
    breaker.granted(lease);
  }
  if (state.budget !== null && head.kind !== 'repeat') state.budget.count(now, head.kind, head.place);
  state.leases.add(lease);
  state.leaseExpiry.push(lease);
  const { probe } = lease;
  state.grant({
    ticketKey: ticket.key,
    headId: head.id,
    leaseId: seq,
    seq,
    expiresAtUs: due,
    probe,
    probesBreaker,
    shadow,
  });
}

/** The first call after a pause is its probe. An operator's pause is over with it. */
function meetPause(state: GateState, stage: Stage, head: Head, lease: Lease, now: number): void {
  const { pause } = stage;
  if (!shut(pause, now)) state.endPause(stage, now);
  else if (!head.observe && probeDue(pause, now)) {
    pause.probe = lease;
    lease.probe = true;
  }
}

/** After a charge or a pause, nothing is owed elsewhere for calls that this partition no longer admits. */
export function rejudge(stage: Stage, now: number): void {
  let seen = 0;
  for (const lane of stage.line.lanes) {
    for (const entry of lane.entries) {
      if (seen >= REJUDGED) return;
      seen += 1;
      judgeAnew(stage, entry, now);
    }
  }
}

function judgeAnew(stage: Stage, entry: Entry<Waiter>, now: number): void {
  const { waiter } = entry;
  const head = waiter.current();
  const { inWhole, eligible, by } = waiter;
  if (head === undefined || (inWhole ? eligible === 0 : by === stage || by === null)) return;
  const admitted = admittedBy(waiter.plan, waiter.plan.stages.indexOf(stage), head, now);
  if (admitted < eligible) waiter.eligible = inWhole ? admitted : Math.max(1, admitted);
}
