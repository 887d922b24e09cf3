/** Timesheet after timesheet, each killed at a point of its own; the next process ends it before it begins another. */
import { SeededRandom } from 'nestjs-sluice/testing';
import { type Findings, isRight } from '../../apps/invoice-run/src/books.js';
import { type RunEnd, startRun } from '../../apps/invoice-run/src/run-process.js';
import { timesheets } from '../../apps/invoice-run/src/timesheets.js';
import type { Compiled } from '../support/compiled.js';
import type { FaultReport, FaultSettings } from './fault-run.fixture.js';
import { type FaultPoint, pointsOf, tear, type Write } from './faulty-store.fixture.js';
import { openWorld, type OperationRow, openOf, type World } from './world.fixture.js';

const FAULT_RUN = 'test/crash/fault-run.fixture.ts';
/** What is to be compiled for it. */
export const FAULT_PROGRAM = [FAULT_RUN, 'test/crash/faulty-store.fixture.ts'];

/** The first timesheet after the one that the provider refuses. */
const FIRST = 13;
const MAX_LATENCY_MS = 20;

/** One process dies at the first of them, the next at the second, and so on. */
export type Fault = readonly FaultPoint[];

export interface ChainOutcome {
  /** What the books say that is wrong, with the points at which those timesheets were killed. */
  readonly wrong: readonly string[];
  /** Points that no run came to. */
  readonly unreached: readonly string[];
  readonly open: readonly OperationRow[];
  /** Of the last process; of one that failed, if one did. */
  readonly end: RunEnd | null;
}

/** @param lanes Chains that run side by side, each with a provider and a store of its own. */
export async function runFaults(
  compiled: Compiled,
  keys: boolean,
  faults: readonly Fault[],
  lanes: number,
): Promise<ChainOutcome> {
  const outcomes = await Promise.all(
    Array.from({ length: lanes }, (_, lane) =>
      runChain(
        compiled,
        keys,
        faults.filter((_fault, at) => at % lanes === lane),
      ),
    ),
  );
  const failed = outcomes.find(({ end }) => end?.code !== 0);
  return {
    wrong: outcomes.flatMap(({ wrong }) => wrong),
    unreached: outcomes.flatMap(({ unreached }) => unreached),
    open: outcomes.flatMap(({ open }) => open),
    end: (failed ?? outcomes[0]!).end,
  };
}

async function runChain(compiled: Compiled, keys: boolean, faults: readonly Fault[]): Promise<ChainOutcome> {
  const random = new SeededRandom(5);
  const unreached: string[] = [];
  const world = await quietWorld(keys);
  try {
    for (const [index, points] of faults.entries()) {
      const sheet = FIRST + index;
      for (const [nth, point] of points.entries()) {
        const before = nth === 0 && index > 0 ? [one(sheet - 1)] : [];
        const { signal } = await run(compiled, world, [...before, { ...one(sheet), point }]);
        if (signal !== 'SIGKILL') unreached.push(nameOf(points));
        else if (point.kind === 'torn') tear(world.settings.path, random.next());
      }
    }
    const sheets = FIRST + faults.length;
    const end = await run(compiled, world, [{ from: FIRST, sheets }]);
    return { wrong: wrongOf(world.audit(FIRST, sheets), faults), unreached, open: openOf(world.rows()), end };
  } finally {
    await world.destroy();
  }
}

/** Every point of a run of one timesheet. */
export async function pointsOfRun(compiled: Compiled, keys: boolean): Promise<FaultPoint[]> {
  const world = await quietWorld(keys);
  try {
    return pointsOf(await writesOf(compiled, world));
  } finally {
    await world.destroy();
  }
}

/** Every point of the run that comes after a process that died at `first`, each behind it. */
export async function pointsAfter(compiled: Compiled, keys: boolean, first: FaultPoint): Promise<Fault[]> {
  const world = await quietWorld(keys);
  try {
    await run(compiled, world, [{ ...one(FIRST), point: first }]);
    return pointsOf(await writesOf(compiled, world)).map((point) => [first, point]);
  } finally {
    await world.destroy();
  }
}

export function nameOf(fault: Fault): string {
  return fault.map(({ kind, command, ordinal }) => `${kind} ${command} ${ordinal}`).join(', then ');
}

function quietWorld(keys: boolean): Promise<World> {
  return openWorld({ keys, seed: 1, maxLatencyMs: MAX_LATENCY_MS, onRequest: () => undefined });
}

const one = (sheet: number) => ({ from: sheet, sheets: sheet + 1 });

async function run(compiled: Compiled, { settings }: World, phases: FaultSettings['phases']): Promise<RunEnd> {
  const faulty: FaultSettings = { ...settings, phases };
  return startRun(compiled.program(FAULT_RUN), faulty, []).ended;
}

async function writesOf(compiled: Compiled, world: World): Promise<readonly Write[]> {
  const { report, signal, code } = await run(compiled, world, [one(FIRST)]);
  if (report === null) throw new Error(`The run ended before it was through: ${signal ?? code}.`);
  return (report as FaultReport).writes;
}

function wrongOf(findings: Findings, faults: readonly Fault[]): string[] {
  if (isRight(findings)) return [];
  const sheets = timesheets(FIRST + faults.length).slice(FIRST);
  return Object.entries({ ...findings } as Record<string, readonly string[]>).flatMap(([what, ids]) =>
    ids.map((id) => `${what}: ${nameOf(faults[sheets.findIndex((sheet) => sheet.id === id)]!)}`),
  );
}
