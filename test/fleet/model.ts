/**
 * The same fleet in virtual time: the real client loop of every process, and between them the memory engine in place of
 * Redis, a round trip away. Shows what the decisions alone cost, on a machine that is never busy; what a step takes of Redis
 * can be told.
 */
import type { Clock, ResolvedContract } from '../../libs/core/src/index.js';
import { createAdmission, EventHub } from '../../libs/core/src/index.js';
import type { GateEnv } from '../../libs/core/src/gate/port.js';
import { SeededRandom, VirtualClock } from '../../libs/testing/src/index.js';
import { type Arrival, findExcess } from '../gate/provider-judge.js';
import { type Call, follow, type Pace } from './loads.js';
import { attemptMsOf, contractOf, type ProviderPlan } from './plan.js';
import type { Seen } from './provider.js';
import { latencyOf } from './latency.js';
import { ModelledStore, NO_TIME, type StepTime } from './modelled-store.js';
import type { Workload } from './world.js';

const US_PER_MS = 1_000;
/** From the grant to the provider. */
const WAY_MS = { least: 5, spread: 15 };
/** What a process takes to start a call. */
const START_MS = 0.3;
const START = Date.UTC(2026, 0, 5, 12);

export interface Modelled {
  readonly seen: readonly Seen[];
  /** Calls that were not sent, though they did not give up. */
  readonly refused: number;
  readonly fromMs: number;
  readonly steps: number;
  readonly hints: number;
  /** Most steps in a second. */
  readonly peak: number;
  /** Steps whose reply did not come within the gate's time. */
  readonly silent: number;
  /** The longest that a process waited for a reply. */
  readonly slowestMs: number;
  /** Share of the time that the store was at work. */
  readonly busy: number;
  /** Of the provider's limits: which was exceeded; null = none. */
  readonly excess: string | null;
}

/** Calls of the processes through one engine, until all have ended. */
export async function model(
  { plan, processes, loadsOf }: Workload,
  seed = 1,
  takes: StepTime = NO_TIME,
): Promise<Modelled> {
  const clock = new VirtualClock({ wall: START });
  const contract = contractOf(plan, 'http://provider.invalid').resolved;
  const shared = new ModelledStore(contract, clock, takes);
  const world = {
    plan,
    contract,
    clock,
    random: new SeededRandom(seed),
    seen: [] as Seen[],
    refused: [] as Call[],
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
  const { seen, refused, arrivals } = world;
  const { steps, hints, peak, silent, slowestMs, busyMs } = shared;
  const tookMs = clock.monoMs() - fromMs;
  const excess = findExcess(contract, arrivals);
  return {
    seen,
    refused: refused.length,
    fromMs,
    steps,
    hints,
    peak,
    silent,
    slowestMs,
    busy: busyMs / tookMs,
    excess,
  };
}

interface World {
  readonly plan: ProviderPlan;
  readonly contract: ResolvedContract;
  readonly clock: VirtualClock;
  readonly random: SeededRandom;
  readonly seen: Seen[];
  readonly refused: Call[];
  readonly arrivals: Arrival[];
}

type Admission = ReturnType<typeof createAdmission>;

function open({ contract, clock, random }: World, shared: ModelledStore, process: number): Admission {
  const gate = { kind: 'model', open: (_: ResolvedContract, env: GateEnv) => shared.gateOf(env) };
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
  if (permit === null) {
    if (leaving?.signal.aborted !== true) world.refused.push(call);
    return;
  }
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

function sleepOn(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => void clock.schedule(ms, resolve));
}
