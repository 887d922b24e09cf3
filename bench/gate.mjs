// (a) Admission alone, uncontended: ask and settle under a full contract, beside the same duties done with
// p-queue (lanes, concurrency) + RateLimiterMemory (rate) + opossum (breaker). Both sides call and await the same empty
// task, one call after the other. Where the peers have no counterpart (the second rate limit, lanes with reserves, tenants,
// the retry budget) they are spared the work.
import { setTimeout as later } from 'node:timers/promises';
import CircuitBreaker from 'opossum';
import PQueue from 'p-queue';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import {
  createAdmission,
  defineProvider,
  concurrency,
  memoryGate,
  SystemClock,
  systemRandom,
  slidingWindow,
  tokenBucket,
} from '../dist/esm/core/src/index.js';
import { measured, median, printTable, ratios } from './rounds.mjs';

const CALLS = 100_000;
const ROUNDS = 15;
const answered = { end: 'answered', health: 'alive', refusal: null, trueUnits: null, seen: [] };

/** What is guarded. */
const work = async () => undefined;

/** Three limits, three lanes, tenants, breaker, budget: limits far above the load. */
export function fullContract() {
  return defineProvider({
    name: 'bench',
    limits: [
      tokenBucket({ burst: 1_000_000, limit: 1_000_000, per: '1s' }),
      slidingWindow({ limit: 1e9, per: '1s' }),
      concurrency({ limit: 1_000 }),
    ],
    lanes: { interactive: { reserve: 2 }, normal: {}, background: { guarantee: 0.1 } },
    tenants: { maxShare: 0.5 },
    breaker: { consecutiveFailures: 5 },
    retry: { budget: { ratio: 0.1, floor: 1 } },
  });
}

export function openAdmission(contract, events = { active: false, emit() {} }) {
  return createAdmission({
    contract: contract.resolved,
    gate: memoryGate(),
    clock: new SystemClock(),
    random: systemRandom,
    events,
    processId: 'bench',
  });
}

export function ask(clock, overrides = {}) {
  return {
    lane: 0,
    tenant: 't1',
    partition: {},
    route: null,
    units: { requests: 1 },
    kind: 'first',
    safety: 'safe',
    attemptMs: 10_000,
    needMs: 0,
    deadlineMono: clock.monoMs() + 60_000,
    maxWaitMs: 60_000,
    place: null,
    observe: false,
    ...overrides,
  };
}

async function ours() {
  const contract = fullContract();
  const admission = openAdmission(contract);
  // As the pipeline does where neither contract nor call tells costs.
  const clock = new SystemClock();
  const request = ask(clock, { units: contract.resolved.defaultUnits, deadlineMono: clock.monoMs() + 3_600_000 });
  const serial = async (count) => {
    for (let i = 0; i < count; i += 1) {
      const granted = admission.admit(request);
      const permit = granted instanceof Promise ? await granted : granted;
      await work();
      permit.settle(answered);
    }
  };
  await serial(20_000);
  return {
    name: 'nestjs-sluice: admit + settle',
    measure: () => timed(() => serial(CALLS)),
    retained: () => retained(() => serial(CALLS)),
    close: () => admission.close(),
  };
}

async function peers() {
  const queue = new PQueue({ concurrency: 1_000 });
  const limiter = new RateLimiterMemory({ points: 1e9, duration: 1 });
  const breaker = new CircuitBreaker((work) => work(), { timeout: false });
  const serial = async (count) => {
    for (let i = 0; i < count; i += 1) {
      await queue.add(async () => {
        await limiter.consume('t1');
        await breaker.fire(work);
      });
    }
  };
  await serial(20_000);
  return {
    name: 'p-queue + RateLimiterMemory + opossum',
    measure: () => timed(() => serial(CALLS)),
    retained: () => retained(() => serial(CALLS)),
    close: () => breaker.shutdown(),
  };
}

/** Microseconds a call: of the clock on the wall, and of the processor, which other programs do not take part in. */
async function timed(run) {
  const cpu = process.cpuUsage();
  const start = performance.now();
  await run();
  const wallMs = performance.now() - start;
  const { user, system } = process.cpuUsage(cpu);
  return { wallUs: (wallMs * 1000) / CALLS, cpuUs: (user + system) / CALLS };
}

async function retained(run) {
  const readings = [];
  for (let i = 0; i < 5; i += 1) {
    globalThis.gc();
    const before = process.memoryUsage().heapUsed;
    await run();
    await later(30);
    globalThis.gc();
    readings.push((process.memoryUsage().heapUsed - before) / CALLS);
  }
  return median(readings);
}

export async function gateBench() {
  const subjects = [await peers(), await ours()];
  const taken = await measured(subjects, ROUNDS);
  const wall = ratios(taken, subjects[0].name, ({ wallUs }) => wallUs);
  const cpu = ratios(taken, subjects[0].name, ({ cpuUs }) => cpuUs);
  const table = [];
  for (const [index, subject] of subjects.entries()) {
    const figures = [wall[index], cpu[index]].flatMap(({ value, ratio }) => [value.toFixed(2), ratio.toFixed(2)]);
    table.push([subject.name, ...figures, (await subject.retained()).toFixed(1)]);
    await subject.close();
  }
  printTable('(a) admission without waiting, serial (bar: ratios <= 0.50, nothing retained)', table, [
    'subject',
    'us per call',
    'ratio',
    'CPU us per call',
    'ratio',
    'bytes retained per call',
  ]);
}
