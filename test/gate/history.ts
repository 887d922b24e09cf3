/** Random histories of several processes that share one gate: calls come, wait, are granted, end in every way, or their process dies. */
import type { ResolvedContract } from '../../libs/core/src/contract/resolved.js';
import { Engine } from '../../libs/core/src/gate/memory/engine.js';
import type { GateView } from '../../libs/core/src/gate/gate-view.js';
import type { Ask, GateCommand, Grant, Settle, StepReply } from '../../libs/core/src/gate/port.js';
import { chanceOf, type Granted, type Line, pick, type Process } from './actors.js';
import { Callers } from './callers.js';
import { renumbered } from './contracts.js';
import { send, settleOf } from './fate.js';
import { PauseJudge } from './pause-judge.js';
import type { Arrival } from './provider-judge.js';

const START_US = Date.UTC(2026, 2, 7, 23, 50) * 1000;
const GRACE_US = 20_000;

export interface HistoryOptions {
  readonly steps: number;
  readonly observe?: boolean;
  readonly deaths?: boolean;
  /** Numbers change in between; no limit is ever above the contract's. */
  readonly updates?: boolean;
}

export class History {
  readonly engine: Engine;
  now = START_US;
  readonly arrivals: Arrival[] = [];
  readonly grants: Granted[] = [];
  /** What was found wrong while it went on. */
  readonly faults: string[] = [];
  private readonly processes: Process[] = [];
  private readonly moments: number[] = [];
  private readonly pauses: PauseJudge;
  private readonly chance: () => number;
  private readonly callers: Callers;
  private spawned = 0;

  constructor(
    readonly contract: ResolvedContract,
    seed: number,
    private readonly options: HistoryOptions,
  ) {
    this.engine = new Engine(contract);
    this.pauses = new PauseJudge(contract);
    this.chance = chanceOf(seed);
    this.callers = new Callers(contract, this.chance, options.observe === true);
    for (let i = 0; i < 3; i += 1) this.spawn();
  }

  private spawn(): void {
    this.spawned += 1;
    this.processes.push({
      id: `process-${this.spawned}`,
      stepNo: 0,
      alive: true,
      seenSeq: 0,
      lines: new Map(),
      sent: [],
    });
  }

  run(): this {
    for (let i = 0; i < this.options.steps && this.faults.length === 0; i += 1) {
      this.pass();
      this.one(pick(this.chance, this.processes));
    }
    return this;
  }

  /**
   * Nothing more comes; what waits asks whenever the gate said, what was sent ends. Gives how many calls still wait after so
   * many steps: 0, if nobody starves.
   */
  drain(steps: number): number {
    for (let i = 0; i < steps; i += 1) {
      const due = this.processes.flatMap((process) => this.dueTimes(process).map((at) => ({ process, at })));
      if (due.length === 0) return 0;
      const next = due.reduce((first, other) => (other.at < first.at ? other : first));
      this.now = Math.max(this.now, next.at);
      this.step(next.process, this.ended(next.process), this.callers.asks(next.process, this.now), []);
    }
    return this.processes.reduce(
      (sum, { lines }) => sum + [...lines.values()].reduce((n, line) => n + line.calls.length, 0),
      0,
    );
  }

  private dueTimes(process: Process): number[] {
    const polls = [...process.lines.values()].filter((line) => line.calls.length > 0).map((line) => line.pollAt);
    if (polls.length === 0) return [];
    return [...polls, ...process.sent.filter((sent) => sent.settleAt < Infinity).map((sent) => sent.settleAt)];
  }

  /** Whether a first call is granted at once when all has been silent for days: nothing is held back for nobody. */
  freshGrant(): boolean {
    this.now += 5 * 86_400_000_000;
    const limits = this.contract.limits.flatMap((limit, i) => (limit.routes === null ? [i] : []));
    const ticket = { key: 'fresh', lane: 1, tenant: 't1', partition: { user: 'u1', team: 'm1' }, limits };
    const call = { ...this.callers.call(ticket, this.now), kind: 'first' as const, observe: false };
    const line = { ticket, calls: [call], pollAt: 0, shown: false };
    const input = { processId: 'fresh', stepNo: 1, seenSeq: 0, settles: [], commands: [] };
    return this.engine.step(this.now, { ...input, asks: [this.callers.ask(line, this.now)] }).grants.length === 1;
  }

  /** Pauses that were told to have begun and, when all has been silent for days, not to have ended; the provider's own waits for its probe. */
  openPauses(): readonly string[] {
    this.now += 5 * 86_400_000_000;
    const input = { processId: 'fresh', seenSeq: 0, settles: [], asks: [], commands: [] };
    // A step ends a bounded number of what nobody uses any more, and looks at a stage again after a while.
    for (let i = 0; i < 100; i += 1) {
      this.now += 2_000_000;
      const { changes } = this.engine.step(this.now, { ...input, stepNo: 2 + i });
      for (const change of changes) this.pauses.changed(change);
    }
    return [...this.pauses.open.filter((stage) => stage !== '*'), ...this.pauses.faults];
  }

  /** What is left a day after everybody has fallen silent. */
  atRest(): GateView {
    return this.engine.inspect(this.now + 5 * 86_400_000_000);
  }

  /** Time goes on: half of the time to just before, at or just after a moment that matters. */
  private pass(): void {
    if (this.chance() < 0.3) return;
    const ahead = this.moments.filter((moment) => moment >= this.now - 1 && moment < this.now + 20_000_000);
    if (this.chance() < 0.5 && ahead.length > 0) {
      ahead.sort((a, b) => a - b);
      const moment =
        (ahead[Math.floor(this.chance() ** 2 * ahead.length)] as number) + Math.floor(this.chance() * 3) - 1;
      this.now = Math.max(this.now, moment);
    } else this.now += Math.floor(this.chance() ** 3 * (this.chance() < 0.02 ? 90_000_000 : 300_000));
    if (this.moments.length > 200) this.moments.splice(0, 100);
  }

  private one(process: Process): void {
    if (this.options.deaths !== false && this.chance() < 0.002) {
      this.processes.splice(this.processes.indexOf(process), 1);
      return this.spawn();
    }
    if (this.options.updates === true && this.chance() < 0.01) this.renumber();
    this.callers.arrive(process, this.now);
    const settles = this.ended(process);
    const asks = this.callers.asks(process, this.now);
    if (asks.length > 0 || settles.length > 0 || this.chance() < 0.1)
      this.step(process, settles, asks, this.commands());
  }

  private renumber(): void {
    this.engine.update(renumbered(this.contract, this.chance));
    for (const hint of this.engine.state.hints.splice(0)) this.wakes(hint.processId, hint.ticketKey);
  }

  private commands(): GateCommand[] {
    if (this.chance() > 0.004) return [];
    const partition = this.chance() < 0.5 ? null : { user: pick(this.chance, ['u1', 'u2']) };
    return this.chance() < 0.5
      ? [{ type: 'pause', partition, forUs: Math.floor(this.chance() * 3_000_000) }]
      : [{ type: 'resume', partition }];
  }

  private ended(process: Process): Settle[] {
    const due = process.sent.filter((sent) => sent.settleAt <= this.now);
    process.sent = process.sent.filter((sent) => sent.settleAt > this.now);
    for (const { grant } of due) this.pauses.ended(grant.leaseId);
    return due.map((sent) => settleOf(this.contract, this.chance, sent));
  }

  private step(
    process: Process,
    settles: readonly Settle[],
    asks: readonly Ask[],
    commands: readonly GateCommand[],
  ): void {
    process.stepNo += 1;
    const input = { processId: process.id, stepNo: process.stepNo, seenSeq: process.seenSeq, settles, asks, commands };
    const reply = this.engine.step(this.now, input);
    process.seenSeq = reply.seq;
    this.read(process, reply, asks);
    if (this.chance() < 0.02) {
      // The reply was lost: the same step again, a little later.
      this.now += 5;
      if (this.engine.step(this.now, input) !== reply) this.faults.push('a repeated step differs');
    }
    for (const hint of this.engine.state.hints.splice(0)) this.wakes(hint.processId, hint.ticketKey);
    for (const key of reply.wake) this.wakes(process.id, key);
  }

  private wakes(processId: string, key: string): void {
    const line = this.processes.find((one) => one.id === processId)?.lines.get(key);
    // A hint may be lost.
    if (line !== undefined && this.chance() < 0.9) line.pollAt = this.now;
  }

  private read(process: Process, reply: StepReply, asks: readonly Ask[]): void {
    for (const change of reply.changes) this.pauses.changed(change);
    for (const grant of reply.grants) this.granted(process, grant, asks);
    for (const denial of reply.denials) {
      const line = process.lines.get(denial.ticketKey) as Line;
      line.calls = line.calls.filter((call) => call.id !== denial.headId);
      line.pollAt = this.now;
    }
    for (const wait of reply.waits) {
      const line = process.lines.get(wait.ticketKey) as Line;
      line.pollAt = wait.pollAtUs;
      this.moments.push(wait.pollAtUs, wait.pollAtUs + GRACE_US, wait.estimateUs, wait.pollAtUs + 15_000_000);
      if (!(wait.pollAtUs >= this.now) || !Number.isFinite(wait.estimateUs))
        this.faults.push('a wait without a moment');
    }
    for (const change of reply.changes) {
      if (change.type === 'pause-started' || change.type === 'breaker-opened') this.moments.push(change.untilUs);
    }
    const answered = new Set([...reply.grants, ...reply.waits, ...reply.denials].map((one) => one.ticketKey));
    for (const ask of asks)
      if (ask.waiting > 0 && !answered.has(ask.ticket.key)) this.faults.push('an ask without an answer');
  }

  private granted(process: Process, grant: Grant, asks: readonly Ask[]): void {
    const ask = asks.find((one) => one.ticket.key === grant.ticketKey);
    const line = process.lines.get(grant.ticketKey);
    const call = line?.calls.find((one) => one.id === grant.headId);
    if (ask === undefined || line === undefined || call === undefined) {
      this.faults.push('a grant for a call that does not wait');
      return;
    }
    if (!call.observe) this.pauses.granted(this.now, grant, line.ticket);
    this.faults.push(...this.pauses.faults.splice(0));
    line.calls = line.calls.filter((one) => one !== call);
    line.pollAt = this.now;
    const sent = send(this.contract, this.chance, this.now, { grant, ticket: line.ticket, call });
    if (sent.end !== 'not-sent') this.arrivals.push(sent.arrival);
    process.sent.push(sent);
    const { kind, observe } = call;
    const left = sent.end !== 'not-sent';
    this.grants.push({ at: this.now, kind, observe, probe: grant.probe, leaseId: grant.leaseId, left });
    this.moments.push(grant.expiresAtUs);
  }
}
