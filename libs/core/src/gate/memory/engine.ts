import type { GateView } from '../gate-view.js';
import type { ResolvedContract } from '../../contract/resolved.js';
import type { GateCommand, Settle, SettleReply, StepInput, StepReply } from '../port.js';
import { hint } from './hints.js';
import type { Lease, Stage } from './model.js';
import { hold } from './pause.js';
import { serve } from './serve.js';
import { expireLease, settleOne } from './settle.js';
import { GateState } from './state.js';
import { viewOf } from './view.js';

/** What one sweep looks at: less than a millisecond of work. */
const SWEPT_AT_ONCE = 1_000;

/** Leases that have run out and end in one step: what a long outage leaves behind is cleared by several. */
const ENDED_AT_ONCE = 200;

const NONE: readonly never[] = [];

/** Mostly there is one: it alone needs no room for more. */
function settleAll(state: GateState, settles: readonly Settle[], now: number): readonly SettleReply[] {
  if (settles.length === 0) return NONE;
  const replies = [settleOne(state, settles[0] as Settle, now)];
  for (let i = 1; i < settles.length; i += 1) replies.push(settleOne(state, settles[i] as Settle, now));
  return replies;
}

/** The judge of one provider: its state, and the one step that changes it. It knows no clock; whoever calls gives the time. */
export class Engine {
  readonly state: GateState;

  constructor(contract: ResolvedContract) {
    this.state = new GateState(contract);
  }

  update(contract: ResolvedContract): void {
    this.state.update(contract);
  }

  step(time: number, input: StepInput): StepReply {
    const { state } = this;
    const now = this.moveTo(time);
    const member = state.members.seen(input.processId, now);
    if (member.reply !== null && member.stepNo === input.stepNo) return member.reply;
    if (input.seenSeq > state.seq) state.seq = input.seenSeq;
    state.begin(input.processId);
    this.expire(now, input.asks.length + 16);
    for (const command of input.commands) this.obey(command, now);
    const settles = settleAll(state, input.settles, now);
    if (input.asks.length > 0) serve(state, member.waiters, input, now);
    hint(state, now);
    const reply: StepReply = {
      nowUs: now,
      seq: state.seq,
      grants: state.grants,
      waits: state.waits,
      denials: state.denials,
      settles,
      changes: state.takeChanges(),
      wake: state.wake,
    };
    member.stepNo = input.stepNo;
    member.reply = reply;
    return reply;
  }

  /** When a sweep has something to look at; Infinity = nothing is kept that can become idle. */
  get sweepAt(): number {
    return this.state.stages.lookAt;
  }

  /** What a step does beside its work, where no step comes: drops what is idle, a bounded number of it. */
  sweep(time: number): void {
    const { state } = this;
    const now = this.moveTo(time);
    state.begin('');
    this.expire(now, SWEPT_AT_ONCE);
    hint(state, now);
  }

  /** Those who waited in these stages for something that no step tells of may ask again. */
  recall(time: number, stages: Iterable<Stage>): void {
    const { state } = this;
    const now = this.moveTo(time);
    state.begin('');
    for (const stage of stages) state.callAll(stage);
    hint(state, now);
  }

  /** The gate's time never goes back. */
  private moveTo(time: number): number {
    const { state } = this;
    if (time > state.now) state.now = time;
    return state.now;
  }

  /** @param visits how much of each kind is looked at */
  private expire(now: number, visits: number): void {
    const { state } = this;
    const most = visits === Infinity ? Infinity : ENDED_AT_ONCE;
    for (let i = 0; i < most && state.hasDead(now); i += 1) expireLease(state, state.leaseExpiry.peek() as Lease);
    state.judge.backlog = state.hasDead(now);
    for (let i = 0; i < visits; i += 1) {
      const waiter = state.waiterExpiry.peek();
      if (waiter === undefined || waiter.due > now) break;
      state.drop(waiter);
    }
    state.stages.prune(now, visits);
  }

  private obey(command: GateCommand, now: number): void {
    const { state } = this;
    if (command.type === 'release-place') {
      state.budget?.release(command.place);
      return;
    }
    if (command.type === 'pause') {
      const stage = state.stages.named(command.partition, now);
      hold(stage.pause, now, command.forUs, state.seq);
      state.pauseStarted(stage);
      return;
    }
    // To resume the whole provider ends the pauses of its partitions too.
    const whole = command.partition === null;
    const stage = state.stages.named(command.partition, now);
    state.reopen(stage, now);
    if (whole) for (const other of state.stages.all()) state.reopen(other, now);
  }

  /** What an operator sees. What is idle is dropped first. */
  inspect(time: number): GateView {
    const { state } = this;
    const now = this.moveTo(time);
    state.begin('');
    this.expire(now, Infinity);
    return viewOf(state, now);
  }
}
