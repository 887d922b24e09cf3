import type { Ask, Head, StepInput } from '../port.js';
import { grantTo } from './grant.js';
import { probeDue } from './pause.js';
import { leave, present, type Waiters } from './presence.js';
import { Service } from './service.js';
import type { GateState } from './state.js';

/** Where a probe is wanted, bare writes come after all lanes. */
const BARE = 1000;

/** Judges what a process asks for, best first. */
export function serve(state: GateState, waiters: Waiters, input: StepInput, now: number): void {
  const { asks, processId } = input;
  if (asks.length === 1) serveAsk(state, waiters, processId, asks[0] as Ask, now);
  else serveAll(state, waiters, processId, asks, now);
}

function serveAll(state: GateState, waiters: Waiters, processId: string, asks: readonly Ask[], now: number): void {
  const order = (ask: Ask): number => ask.ticket.lane + (probing && isBare(ask) ? BARE : 0);
  const { whole } = state.stages;
  const probing = probeDue(whole.pause, now) || state.breaker?.probeDue(now) === true;
  const ordered = [...asks].sort((a, b) => order(a) - order(b) || waited(b) - waited(a));
  // All of them stand in line before the first is granted, so that none is overtaken for the order in which it was named.
  for (const ask of ordered) {
    if (ask.waiting > 0) present(state, waiters, processId, ask, now, true);
    else leave(state, waiters, ask);
  }
  for (const ask of ordered) if (ask.waiting > 0) serveAsk(state, waiters, processId, ask, now);
}

/** Only writes that must not be repeated are shown. */
function isBare(ask: Ask): boolean {
  return ask.heads.every((head) => head.safety === 'unkeyed');
}

function waited(ask: Ask): number {
  return ask.heads[0]?.waitedUs ?? 0;
}

function serveAsk(state: GateState, waiters: Waiters, processId: string, ask: Ask, now: number): void {
  if (ask.waiting <= 0) return leave(state, waiters, ask);
  const waiter = waiters.get(ask.ticket.key) ?? null;
  const current = waiter !== null && waiter.pollAt === now && waiter.heads === ask.heads;
  const known = current ? waiter : present(state, waiters, processId, ask, now, false);
  if (known === null && ask.heads.length === 1 && grantedAtOnce(state, ask, now)) return;
  new Service(state, waiters, processId, ask, now, known).run();
}

/** One call that stands in no line, and nothing holds up: most are. All others are served at length. */
function grantedAtOnce(state: GateState, ask: Ask, now: number): boolean {
  const { judge, breaker, budget } = state;
  const head = ask.heads[0] as Head;
  if (ask.waiting > 1 || head.observe || (head.kind === 'retry' && budget !== null)) return false;
  if (breaker !== null && breaker.state === 'open') return false;
  const plan = state.stages.planFor(ask.ticket, now);
  if (judge.partitions(plan, null, head, now) > now || judge.whole(plan, null, head, now) > now) return false;
  grantTo(state, ask.ticket, plan, head, now, null);
  return true;
}
