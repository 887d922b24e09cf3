// (c) A million waiters refused, cancelled or granted: linear time, memory back to the start; 100,000 idle tenants and
// partitions leave nothing behind. On the virtual clock, so that only work is measured, not waiting.
import { createAdmission, defineProvider, memoryGate, tokenBucket, concurrency } from '../dist/esm/core/src/index.js';
import { SeededRandom, VirtualClock } from '../dist/esm/testing/src/index.js';
import { ask } from './gate.mjs';
import { printTable } from './rounds.mjs';

const answered = { end: 'answered', health: 'alive', refusal: null, trueUnits: null, seen: [] };
const LARGE = { maxSize: 2_000_000, maxWait: '24h' };

function open(contract, clock) {
  return createAdmission({
    contract: contract.resolved,
    gate: memoryGate(),
    clock,
    random: new SeededRandom(1),
    events: { active: false, emit() {} },
    processId: 'bench',
  });
}

const line = (limits, queue = LARGE) =>
  defineProvider({
    name: 'bench',
    limits,
    queue,
    timeouts: { total: '24h' },
    dimensions: ['user'],
  });

/** Ends what is left, on the virtual clock: nobody else moves it. */
const close = (admission, clock) => clock.advanceUntil(admission.close());

/** A line of which nearly everybody is refused as he comes, because his deadline cannot be met; the rest at the end. */
async function refused(count) {
  const clock = new VirtualClock();
  const admission = open(line([tokenBucket({ burst: 1, limit: 1, per: '1h', countedBy: [] })]), clock);
  let ended = 0;
  const far = { deadlineMono: clock.monoMs() + 80_000_000, maxWaitMs: 80_000_000 };
  for (let i = 0; i < count; i += 1) {
    const granted = admission.admit(ask(clock, far));
    if (granted instanceof Promise) granted.catch(() => (ended += 1));
    else granted.settle(answered);
    if (i % 1_000 === 0) await undefined;
  }
  await close(admission, clock);
  return ended;
}

async function cancelled(count) {
  const clock = new VirtualClock();
  const admission = open(line([tokenBucket({ burst: 1, limit: 1, per: '1h', countedBy: [] })]), clock);
  const far = { deadlineMono: clock.monoMs() + 80_000_000, maxWaitMs: 80_000_000 };
  let ended = 0;
  for (let done = 0; done < count; done += 10_000) {
    const controllers = [];
    for (let i = 0; i < Math.min(10_000, count - done); i += 1) {
      const controller = new AbortController();
      controllers.push(controller);
      Promise.resolve(admission.admit(ask(clock, { ...far, signal: controller.signal }))).catch(() => (ended += 1));
    }
    for (const controller of controllers) controller.abort();
    await clock.advance(1);
  }
  await close(admission, clock);
  return ended;
}

async function granted(count) {
  const clock = new VirtualClock();
  const admission = open(line([concurrency({ limit: 64, countedBy: [] })]), clock);
  const far = { deadlineMono: clock.monoMs() + 80_000_000, maxWaitMs: 80_000_000 };
  let ended = 0;
  const one = async () => {
    const permit = await admission.admit(ask(clock, far));
    ended += 1;
    permit.settle(answered);
  };
  const all = Array.from({ length: count }, one);
  await clock.advanceUntil(Promise.all(all));
  await close(admission, clock);
  return ended;
}

/** One call each of as many tenants and users, then an hour in which no call comes. */
async function idle(count) {
  const clock = new VirtualClock();
  const contract = line([tokenBucket({ burst: 5, limit: 60, per: '1m', countedBy: ['user'] })]);
  const admission = open(contract, clock);
  globalThis.gc();
  const before = process.memoryUsage().heapUsed;
  for (let i = 0; i < count; i += 1) {
    const permit = await admission.admit(ask(clock, { tenant: `t${i}`, partition: { user: `u${i}` } }));
    permit.settle(answered);
  }
  globalThis.gc();
  const busy = process.memoryUsage().heapUsed - before;
  await clock.advance(3_600_000);
  const timers = clock.pendingTimers;
  globalThis.gc();
  const bytes = process.memoryUsage().heapUsed - before;
  await close(admission, clock);
  return { busy, bytes, timers };
}

async function scale(name, run, small, large) {
  const [first, second] = [await timed(() => run(small)), await timed(() => run(large))];
  const perWaiter = second.ms / large / (first.ms / small);
  return [
    name,
    String(large),
    ((second.ms / large) * 1000).toFixed(2),
    perWaiter.toFixed(2),
    (second.bytes / 1024).toFixed(0),
    String(second.result),
  ];
}

async function timed(run) {
  globalThis.gc();
  const before = process.memoryUsage().heapUsed;
  const start = performance.now();
  const result = await run();
  const ms = performance.now() - start;
  globalThis.gc();
  return { ms, result, bytes: process.memoryUsage().heapUsed - before };
}

export async function waitersBench(large = 1_000_000) {
  const small = large / 10;
  const rows = [
    await scale('refused', refused, small, large),
    await scale('cancelled', cancelled, small, large),
    await scale('granted', granted, small, large),
  ];
  printTable('(c) waiters (bar: cost per waiter of the large run to the small one about 1, memory back)', rows, [
    'end',
    'waiters',
    'us per waiter',
    'large / small',
    'KiB retained',
    'ended',
  ]);
  const left = await idle(100_000);
  printTable(
    '(c) 100,000 tenants and partitions, then an hour without a call (bar: nothing but tables of fixed size, no timer)',
    [[(left.busy / 1024).toFixed(0), (left.bytes / 1024).toFixed(0), String(left.timers)]],
    ['KiB in use', 'KiB retained', 'timers left'],
  );
}
