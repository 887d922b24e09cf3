/** Reads a reply of the gate: grants go to the best live waiters, waits are judged, denials and hints are passed on. */
import type { ResolvedContract } from '../../contract/resolved.js';
import type { Permit } from '../admission.js';
import type { Denial, Grant, StepReply, Wait } from '../port.js';
import { laterThanHeadMs, unreachable } from './judge.js';
import type { Line, Waiter } from './line.js';
import type { Lines } from './lines.js';
import type { Refusals } from './refusals.js';
import type { SentStep } from './sent-step.js';

/** Calls of one line that are looked at one by one at a reply; those behind are, as they come forward. */
const LOOKED_AT = 64;

/** Asks of one ticket at one moment that bring it nothing; after them a hint is taken for a mistake. */
const MOST_IN_VAIN = 3;

/** Replies in a row that came too late, by which nobody is refused. */
const MOST_SPARED = 5;

/** A ticket of which a reply says nothing is asked for again after this long. */
const UNANSWERED_MS = 5;

export interface ReplyOwner {
  readonly contract: ResolvedContract;
  /** Makes the permit of a call that a grant was bound to. */
  permitFor(
    waiter: Waiter,
    line: Line,
    grant: Grant,
    charged: readonly number[],
    step: SentStep,
    nowMono: number,
  ): Permit;
  /** An observed call that left with its permit before the gate answered. */
  observedGranted(waiter: Waiter, grant: Grant | null): void;
  giveBack(grant: Grant, line: Line): void;
}

export class ReplyReader {
  constructor(
    private readonly lines: Lines,
    private readonly refusals: Refusals,
    private readonly owner: ReplyOwner,
  ) {}

  /** `stale`: its grants are too old to be used, and are given back. */
  read(reply: StepReply, step: SentStep, nowMono: number, stale: boolean): void {
    for (const line of step.lines) line.known = false;
    step.settles.forEach((entry, index) => entry.onPlace?.(reply.settles[index]?.place ?? null));
    for (const grant of reply.grants) {
      const line = this.lines.get(grant.ticketKey);
      if (line?.sent) this.bind(grant, line, step, nowMono, stale);
    }
    for (const denial of reply.denials) this.deny(denial, reply, nowMono);
    const returned = stale && reply.grants.length > 0;
    for (const wait of reply.waits) this.hold(wait, reply, step, nowMono, returned);
    for (const line of step.lines) this.finish(line, nowMono);
    for (const key of reply.wake) this.wake(key, nowMono);
  }

  /** A hint: the ticket is asked for again at once, unless it was, at this very moment, again and again in vain. */
  wake(key: string, nowMono: number): void {
    const line = this.lines.get(key);
    if (line === undefined || line.count === 0) return;
    if (line.heldAtMono === nowMono && line.inVain >= MOST_IN_VAIN) return;
    this.lines.markDirty(line);
  }

  /** Refuses those of a line whose last moment lies before `beforeMono`. */
  expire(line: Line, beforeMono: number): void {
    for (;;) {
      const waiter = line.bounds.peek();
      if (waiter === undefined || waiter.at >= beforeMono) return;
      this.lines.leave(waiter);
      waiter.refuse(this.refusals.waitedTooLong(waiter, line.wait?.cause ?? null, line.wait?.estimateMono ?? null));
    }
  }

  /** Refuses a newcomer at once that could not start in time behind those who wait already. */
  judgeNewcomer(line: Line, waiter: Waiter, nowMono: number): unknown {
    const { wait, first } = line;
    if (wait === null || first === null || !line.known) return null;
    // Who steps in front of others is judged by the gate.
    if (line.last !== null && waiter.rankMono < line.last.rankMono) return null;
    const found = unreachable(
      this.owner.contract,
      wait,
      laterThanHeadMs(this.owner.contract, line, {
        units: (at) => (line.owed[at] ?? 0) - (first.charges[at] ?? 0) + (waiter.charges[at] ?? 0),
        firsts: line.firsts,
      }),
      waiter,
      nowMono,
    );
    return found === null ? null : this.refusals.cannotStart(found, waiter);
  }

  private bind(grant: Grant, line: Line, step: SentStep, nowMono: number, stale: boolean): void {
    const head = line.sent?.find((waiter) => waiter.id === grant.headId);
    line.moved = true;
    if (head?.observed) {
      this.lines.leave(head);
      this.owner.observedGranted(head, grant);
      return;
    }
    if (stale && head?.observe !== true) {
      this.owner.giveBack(grant, line);
      line.hinted = true;
      // The first answer of a gate that was just reached comes late. One that always does must not be asked for ever.
      if (line.late) line.tell();
      line.late = true;
      return;
    }
    line.late = false;
    this.expire(line, nowMono);
    const chosen = head === undefined ? null : this.bestFor(head, line, grant);
    if (head === undefined || chosen === null) {
      this.owner.giveBack(grant, line);
      return;
    }
    const permit = this.owner.permitFor(chosen, line, grant, head.charges, step, nowMono);
    this.lines.leave(chosen);
    chosen.grant(permit);
  }

  /** The call the grant was asked for, or else the next one that it fits. */
  private bestFor(head: Waiter, line: Line, grant: Grant): Waiter | null {
    let candidate: Waiter | null = head.line === line ? head : line.first;
    for (let looked = 0; candidate !== null && looked < LOOKED_AT; looked += 1) {
      const { next }: Waiter = candidate;
      if (candidate.request.signal?.aborted) {
        this.lines.leave(candidate);
        candidate.refuse(candidate.request.signal.reason);
        candidate = candidate === head ? line.first : next;
        continue;
      }
      if (candidate === head || fits(candidate, head, grant)) return candidate;
      candidate = next;
    }
    return null;
  }

  private deny(denial: Denial, reply: StepReply, nowMono: number): void {
    const line = this.lines.get(denial.ticketKey);
    const waiter = line?.sent?.find((candidate) => candidate.id === denial.headId);
    if (line === undefined || waiter === undefined) return;
    line.moved = true;
    if (waiter.line === null) return;
    this.lines.leave(waiter);
    if (waiter.observed) {
      this.owner.observedGranted(waiter, null);
      return;
    }
    const retryAtMono = denial.retryAtUs === null ? null : nowMono + (denial.retryAtUs - reply.nowUs) / 1000;
    if (denial.reason === 'never-admissible') waiter.refuse(this.refusals.neverAdmissible(denial.limit));
    else if (denial.reason === 'circuit-open') waiter.refuse(this.refusals.circuitOpen(retryAtMono));
    else if (denial.reason === 'gate-away') waiter.refuse(this.refusals.gateAway(retryAtMono));
    else waiter.refuse(this.refusals.budgetSpent(retryAtMono));
  }

  /** `returned`: what grants of the same reply were charged goes back, so that others may have it. */
  private hold(wait: Wait, reply: StepReply, step: SentStep, nowMono: number, returned: boolean): void {
    const line = this.lines.get(wait.ticketKey);
    // A ticket that was taken out waits for nothing, whatever the gate says.
    if (line === undefined || line.sent?.length === 0) return;
    line.known = true;
    line.tell();
    line.inVain = line.moved || line.heldAtMono !== nowMono ? 1 : line.inVain + 1;
    line.heldAtMono = nowMono;
    const pollAtMono = nowMono + (wait.pollAtUs - reply.nowUs) / 1000;
    line.pollAtMono = line.moved || pollAtMono > nowMono ? pollAtMono : nowMono + 1;
    line.holdUp(
      {
        cause: wait.cause,
        limit: wait.limit,
        estimateMono: nowMono + (wait.estimateUs - reply.nowUs) / 1000,
        // The gate answered after the step was sent: from there on, it is a lower bound.
        certainMono: step.sentMono + (wait.certainUs - reply.nowUs) / 1000,
      },
      this.refusals.limitName(wait.limit),
      nowMono,
    );
    // A gate whose replies are always late is believed in the end.
    line.spared = returned && line.spared < MOST_SPARED ? line.spared + 1 : 0;
    if (line.spared > 0) line.hinted = true;
    else this.judge(line, nowMono);
  }

  /** Refuses those of a line that cannot start in time any more, as far as the gate's last word tells. */
  private judge(line: Line, nowMono: number): void {
    const { contract } = this.owner;
    const { wait } = line;
    if (wait === null) return;
    for (;;) {
      const nearest = line.bounds.peek();
      const found = nearest === undefined ? null : unreachable(contract, wait, 0, nearest, nowMono);
      if (nearest === undefined || found === null) break;
      this.lines.leave(nearest);
      nearest.refuse(this.refusals.cannotStart(found, nearest));
    }
    const before = line.ticket.limits.map(() => 0);
    let firsts = 0;
    let head: Waiter | null = null;
    let waiter = line.first;
    for (let looked = 0; waiter !== null && looked < LOOKED_AT; looked += 1) {
      const current: Waiter = waiter;
      waiter = current.next;
      if (current.observe) continue;
      const laterMs: number =
        head === null
          ? 0
          : laterThanHeadMs(contract, line, {
              units: (at) => (before[at] ?? 0) - (head?.charges[at] ?? 0) + (current.charges[at] ?? 0),
              firsts,
            });
      const found = unreachable(contract, wait, laterMs, current, nowMono);
      if (found !== null) {
        this.lines.leave(current);
        current.refuse(this.refusals.cannotStart(found, current));
        continue;
      }
      head ??= current;
      if (current.request.kind === 'first') firsts += 1;
      for (let at = 0; at < before.length; at += 1) before[at] = (before[at] ?? 0) + (current.charges[at] ?? 0);
    }
  }

  private finish(line: Line, nowMono: number): void {
    line.sent = null;
    if (line.count === 0) {
      if (line.known) this.lines.markDirty(line);
      else this.lines.tidy(line);
      return;
    }
    const atOnce = !line.known || line.pollAtMono <= nowMono || line.first?.observe === true;
    if (line.hinted || (line.moved && atOnce)) this.lines.markDirty(line);
    else if (!line.known) line.pollAtMono = nowMono + UNANSWERED_MS;
    line.hinted = false;
    this.lines.attend(line);
  }
}

/** Whether a grant made for `head` can serve another call of its ticket: nothing it was judged by may be exceeded. */
function fits(candidate: Waiter, head: Waiter, grant: Grant): boolean {
  const { request } = candidate;
  if (request.kind !== head.request.kind || request.place !== head.request.place) return false;
  if (request.attemptMs > head.request.attemptMs || candidate.observe !== head.observe) return false;
  if (grant.probe && request.safety === 'unkeyed' && head.request.safety !== 'unkeyed') return false;
  return candidate.charges.every((charge, position) => charge <= (head.charges[position] ?? 0));
}
