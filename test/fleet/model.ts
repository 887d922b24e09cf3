/**
 * The same fleet in virtual time: the real client loop of every process, and between them the memory engine in place of
 * Redis, a round trip away. Shows what the decisions alone cost, on a machine that is never busy.
 */
import type { Clock, ResolvedContract } from '../../libs/core/src/index.js';
import { createAdmission, EventHub } from '../../libs/core/src/index.js';
import { Engine } from '../../libs/core/src/gate/memory/engine.js';
import type { GateEnv, ProviderGate, StepInput, StepReply } from '../../libs/core/src/gate/port.js';
import { SeededRandom, VirtualClock } from '../../libs/testing/src/index.js';
import { type Arrival, findExcess } from '../gate/provider-judge.js';
import { type Call, follow, type Pace } from './loads.js';
import { attemptMsOf, contractOf, type ProviderPlan } from './plan.js';
import type { Seen } from './provider.js';
import { latencyOf } from './latency.js';
import type { Workload } from './world.js';

const US_PER_MS = 1_000;
/** To Redis and back, from the model of the figures. */
const ROUND_TRIP_MS = 1;
/** From the grant to the provider. */
const WAY_MS = { least: 5, spread: 15 };
/** What a process takes to start a call. */
const START_MS = 0.3;
const START = Date.UTC(2026, 0, 5, 12);

export interface Modelled {
  readonly seen: readonly Seen[];
  readonly fromMs: number;
  readonly steps: number;
  readonly hints: number;
  /** Most steps in a second. */
  readonly peak: number;
  /** Of the provider's limits: which was exceeded; null = none. */
  readonly excess: string | null;
}

/** Calls of the processes through one engine, until all have ended. */
export async function model({ plan, processes, loadsOf }: Workload, seed = 1): Promise<Modelled> {
  const clock = new VirtualClock({ wall: START });
  const contract = contractOf(plan, 'http://provider.invalid').resolved;
  const shared = new SharedEngine(contract, clock);
  const world = {
    plan,
    contract,
    clock,
    random: new SeededRandom(seed),
    seen: [] as Seen[],
    arrivals: [] as Arrival[],
  };
  const pace: Pace = { nowMs: () => clock.monoMs(), sleep: (ms) => sleepOn(clock, ms), startMs: START_MS };
  const fromMs = clock.monoMs();
  const admissions = Array.from({ length: processes }, (_, i) => open(world, shared, i));
  const runs = admissions.flatMap((admission, process) =>
    loadsOf(process).map((load, i) =>
      follow(load, new SeededRandom((seed * 100 + process) * 1_000 + i), pace, (call) =>
        one(world, admission, process, call),
      ),
    ),
  );
  await clock.advanceUntil(Promise.all(runs));
  await clock.advanceUntil(Promise.all(admissions.map((admission) => admission.close())));
  const { steps, hints, peak } = shared;
  return { seen: world.seen, fromMs, steps, hints, peak, excess: findExcess(contract, world.arrivals) };
}

interface World {
  readonly plan: ProviderPlan;
  readonly contract: ResolvedContract;
  readonly clock: VirtualClock;
  readonly random: SeededRandom;
  readonly seen: Seen[];
  readonly arrivals: Arrival[];
}

type Admission = ReturnType<typeof createAdmission>;

function open({ contract, clock, random }: World, shared: SharedEngine, process: number): Admission {
  const gate = { kind: 'model', open: (_: ResolvedContract, env: GateEnv) => shared.gateOf(env.processId) };
  return createAdmission({ contract, gate, clock, random, events: new EventHub(), processId: `p${process}` });
}

async function one(world: World, admission: Admission, process: number, call: Call): Promise<void> {
  const { plan, contract, clock, random } = world;
  const cameMs = clock.monoMs();
  const lane = contract.lanes.findIndex(({ name }) => name === call.lane);
  const partition = { user: call.user, account: call.account };
  const leaving = call.leavesAfterMs === null ? null : new AbortController();
  if (leaving !== null) clock.schedule(call.leavesAfterMs as number, () => leaving.abort());
  const attempt = { units: contract.defaultUnits, kind: 'first', safety: 'safe', attemptMs: attemptMsOf(plan), needMs: 0, place: null } as const; // prettier-ignore
  const bounds = {
    deadlineMono: Infinity,
    maxWaitMs: 600_000,
    observe: false,
    ...(leaving && { signal: leaving.signal }),
  };
  const permit = await Promise.resolve(
    admission.admit({ lane, tenant: call.tenant, partition, route: null, ...attempt, ...bounds }),
  ).catch(() => null);
  if (permit === null) return;
  await sleepOn(clock, WAY_MS.least + random.next() * WAY_MS.spread);
  const atMs = clock.monoMs();
  const endedMs = atMs + latencyOf(plan.latency, random.next());
  const { lane: laneName, tenant, user } = call;
  world.seen.push({ atMs, endedMs, limited: false, process, lane: laneName, tenant, user, cameMs });
  const limits = contract.limits.map((_, i) => i);
  const [at, until] = [Math.round(atMs * US_PER_MS), Math.round(endedMs * US_PER_MS)];
  world.arrivals.push({ at, until, partition, limits, costs: limits.map(() => 1) });
  await sleepOn(clock, endedMs - atMs + WAY_MS.least);
  permit.settle({ end: 'answered', health: 'alive', refusal: null, trueUnits: null, seen: [] });
}

class SharedEngine {
  steps = 0;
  hints = 0;
  peak = 0;
  private readonly engine: Engine;
  private readonly listeners = new Map<string, (ticketKeys: readonly string[]) => void>();
  private second = 0;
  private stepsThisSecond = 0;

  constructor(
    contract: ResolvedContract,
    private readonly clock: Clock,
  ) {
    this.engine = new Engine(contract);
  }

  gateOf(processId: string): ProviderGate {
    return {
      step: (input) => this.later(() => this.step(input)),
      onWake: (listener) => {
        this.listeners.set(processId, listener);
        return () => this.listeners.delete(processId);
      },
      update: (contract) => this.engine.update(contract),
      inspect: () => this.engine.inspect(Math.round(this.clock.wallMs() * US_PER_MS)),
      close: () => undefined,
    };
  }

  private step(input: StepInput): StepReply {
    this.count();
    const reply = this.engine.step(Math.round(this.clock.wallMs() * US_PER_MS), input);
    // The engine uses its lists again.
    const copy = {
      ...reply,
      grants: [...reply.grants],
      waits: [...reply.waits],
      denials: [...reply.denials],
      wake: [...reply.wake],
    };
    for (const { processId, ticketKey } of this.engine.state.hints.splice(0)) {
      this.hints += 1;
      this.clock.schedule(ROUND_TRIP_MS / 2, () => this.listeners.get(processId)?.([ticketKey]));
    }
    return copy;
  }

  private count(): void {
    const second = Math.floor(this.clock.monoMs() / 1_000);
    if (second !== this.second) [this.second, this.stepsThisSecond] = [second, 0];
    this.steps += 1;
    this.stepsThisSecond += 1;
    this.peak = Math.max(this.peak, this.stepsThisSecond);
  }

  private later<T>(work: () => T): Promise<T> {
    const { clock } = this;
    return new Promise((resolve, reject) => {
      clock.schedule(ROUND_TRIP_MS / 2, () => {
        try {
          const result = work();
          clock.schedule(ROUND_TRIP_MS / 2, () => resolve(result));
        } catch (error) {
          clock.schedule(ROUND_TRIP_MS / 2, () => reject(error as Error));
        }
      });
    });
  }
}

function sleepOn(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => void clock.schedule(ms, resolve));
}
