// (d) The embedded durable store: operations made, claimed and ended by many at once, against the same driver with one
// transaction for each write; and claims from a file that holds a million operations.
import { median, measured, printTable, ratios } from './rounds.mjs';
import { claimsOfMany } from './store-file.mjs';
import { cycle, idsOf, MAKERS, openStore, PER_CLAIM, throughDriver, WORKERS, withFile } from './store-load.mjs';
import { load, medianSyncMs, watchLoop } from './store-machine.mjs';

const ROUNDS = 5;
const OPERATIONS = 40_000;
const WARM = 4_000;
/** Of a whole cycle: made, claimed, ended. */
const WRITES = 3;
const RAW = 'one transaction for each write';

/** Cycles a second, how the event loop fared meanwhile, and the disk and load just before. */
const throughStore = () =>
  withFile(async (path, folder) => {
    const machine = { syncMs: medianSyncMs(folder), load: load() };
    const store = await openStore(path);
    await cycle(store, idsOf(WARM, 'warm'));
    const ids = idsOf(OPERATIONS, 'k');
    const stopWatching = watchLoop();
    const started = performance.now();
    await cycle(store, ids);
    const perSecond = (OPERATIONS / (performance.now() - started)) * 1_000;
    const loop = stopWatching();
    await store.close();
    return { perSecond, ...loop, ...machine };
  });

/** What the machine itself does to an event loop that has nothing to do. */
async function idleLoop() {
  const stopWatching = watchLoop();
  await new Promise((resolve) => setTimeout(resolve, 4_000));
  return stopWatching();
}

const count = (value) => Math.round(value).toLocaleString('en');
const spread = (values) => `${count(Math.min(...values))} to ${count(Math.max(...values))}`;

export async function storeBench() {
  const subjects = [
    { name: 'sqliteStore', measure: throughStore },
    { name: RAW, measure: () => withFile(async (path) => ({ perSecond: throughDriver(path) })) },
    { name: 'idle', measure: idleLoop },
  ];
  const taken = await measured(subjects, ROUNDS);
  const rounds = taken.get('sqliteStore');
  const of = (name, figure) => median(taken.get(name).map((round) => round[figure]));
  printTable(
    `Operations made, claimed and ended, synchronous = FULL (${MAKERS} callers, ${WORKERS} workers that claim ${PER_CLAIM}, median of ${ROUNDS})`,
    ratios(taken, RAW, ({ perSecond }) => perSecond)
      .filter(({ name }) => name !== 'idle')
      .map(({ name, value, ratio }) => {
        const perSecond = taken.get(name).map((round) => round.perSecond);
        return [name, count(value), spread(perSecond), count(value * WRITES), ratio.toFixed(1)];
      }),
    ['subject', 'whole cycles/s', 'over the rounds', 'store operations/s (3 a cycle)', 'ratio'],
  );
  printTable(
    'The machine before each of those rounds',
    [
      ['sync of 64 KB to this disk, ms', rounds.map(({ syncMs }) => syncMs.toFixed(2)).join(' · ')],
      ['load average of a minute', rounds.map((round) => round.load.toFixed(1)).join(' · ')],
      ['whole cycles/s', rounds.map(({ perSecond }) => count(perSecond)).join(' · ')],
    ],
    ['what', 'by round'],
  );
  const both = (figure) => ['sqliteStore', 'idle'].map((name) => of(name, figure)?.toFixed(1) ?? 'not told');
  printTable(
    'The event loop of the main thread under that load, ms (median of the rounds)',
    [
      ['longest that it ran without turning (bound 10)', ...both('ranMs')],
      ['longest that it stood still, time on no CPU included', ...both('blockedMs')],
      ['the same, 99th percentile', ...both('p99Ms')],
    ],
    ['what', 'sqliteStore', 'an idle process meanwhile'],
  );
  const many = await claimsOfMany();
  printTable(
    `A file of 1,000,000 finished and 100,000 waiting operations, ${many.fileMb.toFixed(0)} MB`,
    [
      ['claim of one, on the disk when it is answered, median ms (bound 1)', many.median.toFixed(2)],
      ['the same, 99th percentile', many.p99.toFixed(2)],
      ['sync of 64 KB to this disk between the claims, median ms', many.syncMs.toFixed(2)],
      ['load average of a minute', many.load.toFixed(1)],
      ['a page of 100 and all counts, ms', many.looked.toFixed(1)],
      ['resident, MB, at each quarter', many.memory.map((mb) => mb.toFixed(0)).join(' · ')],
    ],
    ['what', ''],
  );
}
