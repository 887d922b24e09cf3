/**
 * The gate of one provider in Redis. While Redis answers, each step is one run of the script. One that fails, or is silent
 * for longer than the gate's time, is answered by a deputy, as `outage` of the contract says, and so is every step after it,
 * at once: only a look every half second asks Redis again. When it answers, it hears first what became of the step whose
 * reply was lost, then what it has missed; only then do calls go to it again.
 */
import {
  arm,
  type Cancel,
  type GateChange,
  type GateView,
  type ProviderGate,
  type ResolvedContract,
  type StepInput,
  type StepReply,
} from '../../core/src/index.js';
import { againSoon } from './entries.js';
import { GateTime } from './gate-time.js';
import type { ProviderHealth } from './health.js';
import { AWAY, LeaseNames } from './lease-names.js';
import { Away } from './outage/away.js';
import { Known } from './outage/known.js';
import type { Deputy } from './outage/deputies.js';
import { deputyFor } from './outage/deputy-for.js';
import { Backlog } from './backlog.js';
import { OwnUse } from './own-use.js';
import type { ProviderGateDeps } from './provider-gate-deps.js';
import { Spent } from './spent.js';
import type { FleetReply } from './step-codec.js';
import { givenBack, type Load, type Loss, Steps } from './steps.js';
import { troubleWord } from './trouble.js';
import { unknownView } from './unknown-view.js';

/** How often Redis is looked for while it is away. */
const LOOK_EVERY_MS = 500;

const NOTHING: Load = { settles: [], asks: [], commands: [] };

type WakeListener = (ticketKeys: readonly string[]) => void;

interface Outage {
  readonly away: Away;
  readonly deputy: Deputy;
  readonly sinceMono: number;
  readonly cause: string;
  readonly stopHints: Cancel;
  cancelLook: Cancel;
  nextLookMono: number;
}

export class RedisProviderGate implements ProviderGate {
  private readonly steps: Steps;
  private readonly time: GateTime;
  private readonly known = new Known();
  private readonly own: OwnUse;
  private readonly listeners = new Set<WakeListener>();
  private outage: Outage | null = null;
  private returning: Promise<void> | null = null;
  /** A step is under way. */
  private busy = false;
  private outages = 0;
  /** Processes that took steps of late, as the last reply told. */
  private stepping = 0;
  private changes: GateChange[] = [];
  private readonly names = new LeaseNames();
  private closed = false;

  constructor(
    private contract: ResolvedContract,
    private readonly deps: ProviderGateDeps,
  ) {
    const { link, script, codecFor, processId, clock } = deps;
    this.steps = new Steps(link, script, codecFor(contract), processId);
    this.time = new GateTime(clock);
    this.own = new OwnUse(contract);
  }

  async step(input: StepInput): Promise<StepReply> {
    while (this.returning !== null) await this.returning;
    this.busy = true;
    try {
      return await this.stepNow(input);
    } finally {
      this.busy = false;
    }
  }

  /** Another process has found that Redis lost something: this one looks whether it was its own, before it is granted anew. */
  recheck(): void {
    if (this.busy || this.closed || this.outage !== null || this.returning !== null) return;
    this.returning = this.stepNow(NOTHING)
      .then((reply) => void this.changes.push(...reply.changes))
      .finally(() => {
        this.returning = null;
      });
  }

  private async stepNow(input: Load): Promise<StepReply> {
    if (this.outage !== null) return this.answerAlone(this.outage, input, false);
    const load = this.names.translated(input);
    let reply: FleetReply;
    try {
      reply = await this.steps.take(load, (settles) => this.outage?.away.backlog.keep(settles));
    } catch (error) {
      return this.answerAlone(this.begin(error), load, true);
    }
    const loss = this.steps.takeLoss();
    if (loss !== null) reply = await this.restored(loss, load, reply);
    this.noteReply(load, reply);
    return this.withChanges(reply);
  }

  /** Redis lost what it knew of this process: it is told, and what it granted without knowing is asked for again. */
  private async restored(loss: Loss, load: Load, reply: FleetReply): Promise<FleetReply> {
    this.own.ended(load.settles, reply.nowUs);
    const backlog = new Backlog();
    backlog.keep(givenBack(reply, load.asks));
    this.remember(loss, backlog, reply.nowUs);
    try {
      await backlog.tell(this.steps, reply.nowUs);
      this.names.add(backlog.names);
    } catch (error) {
      this.begin(error).away.backlog.take(backlog);
    }
    this.deps.recall();
    return { ...reply, grants: [], waits: [...reply.waits, ...reply.grants.map((grant) => againSoon(grant, reply))] };
  }

  private remember({ sinceStep }: Loss, backlog: Backlog, nowUs: number): void {
    backlog.owe(this.own.debts(sinceStep, nowUs));
    backlog.lend(this.own.held(this.contract, sinceStep, nowUs));
  }

  onWake(listener: WakeListener): Cancel {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Redis hints that tickets may start. */
  hinted(message: Buffer): void {
    if (this.outage === null) this.tell(this.steps.codec.hint(message));
  }

  update(contract: ResolvedContract): void {
    this.contract = contract;
    this.own.update(contract);
    this.steps.codec = this.deps.codecFor(contract);
  }

  async inspect(): Promise<GateView> {
    const { contract, outage } = this;
    if (outage !== null) return outage.deputy.inspect() ?? unknownView(contract);
    const { link, script, processId, roster } = this.deps;
    const { codec } = this.steps;
    await roster.beat();
    const view = codec.view(await link.run(script, codec.inspect(processId)));
    return { ...view, fleet: view.fleet && { ...view.fleet, processes: Math.max(roster.size, view.fleet.processes) } };
  }

  get health(): ProviderHealth {
    const { outage, contract } = this;
    return {
      provider: contract.name,
      status: outage === null ? 'up' : 'down',
      outage: this.deps.policyOf(contract),
      downForMs: outage === null ? null : this.deps.clock.monoMs() - outage.sinceMono,
      cause: outage?.cause ?? null,
    };
  }

  close(): void {
    this.closed = true;
    this.outage?.cancelLook();
    this.outage?.stopHints();
    this.outage?.deputy.close();
    this.listeners.clear();
  }

  /** @param kept whether its settles will reach Redis with a step that was lost */
  private answerAlone({ away }: Outage, load: Load, kept: boolean): StepReply {
    const reply = away.answer(load, this.time.nowUs, kept);
    this.own.ended(load.settles, this.time.nowUs);
    return this.withChanges(reply);
  }

  private begin(error: unknown): Outage {
    const { clock, minProcesses, report, roster, policyOf, processId } = this.deps;
    const { contract } = this;
    const { nowUs } = this.time;
    const cause = troubleWord(error);
    const { deputy, share } = deputyFor(policyOf(contract), {
      contract,
      processes: Math.max(minProcesses, roster.size, this.stepping),
      chosen: roster.chosen,
      env: { clock, processId },
      held: this.own.held(contract, null, nowUs),
      pauses: this.known.pauses(nowUs),
      againAtUs: () => this.time.nowUs + Math.max(0, (this.outage?.nextLookMono ?? 0) - clock.monoMs()) * 1000,
    });
    this.outages += 1;
    this.names.expect();
    const outage: Outage = {
      away: new Away(`${AWAY}${this.outages}:`, deputy, () => new Spent(share)),
      deputy,
      sinceMono: clock.monoMs(),
      cause,
      stopHints: deputy.onWake((keys) => this.tell(keys)),
      cancelLook: () => undefined,
      nextLookMono: 0,
    };
    this.outage = outage;
    this.lookLater(outage);
    this.changes.push({ type: 'store-away', error: cause });
    report('redis gate', error);
    return outage;
  }

  private lookLater(outage: Outage): void {
    if (this.closed) return;
    const { clock } = this.deps;
    outage.nextLookMono = clock.monoMs() + LOOK_EVERY_MS;
    outage.cancelLook = arm(clock, LOOK_EVERY_MS, () => void this.look(outage));
  }

  private async look(outage: Outage): Promise<void> {
    try {
      await this.steps.recover();
      this.returning = this.goHome(outage);
      await this.returning;
    } catch {
      // It is away still, as the health tells.
    }
    this.returning = null;
    if (this.outage === outage) this.lookLater(outage);
  }

  /** Never rejects: steps wait for it. Where it fails, what Redis has yet to hear is kept. */
  private async goHome(outage: Outage): Promise<void> {
    const { nowUs } = this.time;
    const { away } = outage;
    const loss = this.steps.takeLoss();
    if (loss !== null) {
      this.remember(loss, away.backlog, nowUs);
      this.deps.recall();
    }
    this.own.charged(away.reckon(nowUs), nowUs);
    try {
      await away.backlog.tell(this.steps, nowUs);
      this.home(outage);
    } catch {
      // The next look goes on from there.
    }
  }

  private home(outage: Outage): void {
    this.names.add(outage.away.backlog.names);
    outage.stopHints();
    outage.deputy.close();
    this.outage = null;
    const awayUs = Math.round((this.deps.clock.monoMs() - outage.sinceMono) * 1000);
    this.changes.push({ type: 'store-back', awayUs });
    this.tell(outage.away.told);
  }

  private noteReply(load: Load, reply: FleetReply): void {
    this.time.read(reply.nowUs);
    const { roster } = this.deps;
    if (reply.processes > Math.max(this.stepping, roster.size)) roster.expectOthers();
    this.stepping = reply.processes;
    this.known.note(load.asks, reply);
    this.own.ended(load.settles, reply.nowUs);
    this.own.granted(this.steps.latest, load, reply);
  }

  private withChanges(reply: StepReply): StepReply {
    if (this.changes.length === 0) return reply;
    const changes = [...this.changes, ...reply.changes];
    this.changes = [];
    return { ...reply, changes };
  }

  private tell(ticketKeys: readonly string[]): void {
    if (ticketKeys.length === 0) return;
    for (const listener of this.listeners) listener(ticketKeys);
  }
}
