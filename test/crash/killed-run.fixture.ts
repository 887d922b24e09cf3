import { SeededRandom } from 'nestjs-sluice/testing';
import type { Findings } from '../../apps/invoice-run/src/books.js';
import { Killer, momentsOf } from '../../apps/invoice-run/src/killer.js';
import { type RunEnd, startRun } from '../../apps/invoice-run/src/run-process.js';
import type { Compiled } from '../support/compiled.js';
import { openWorld, type OperationRow } from './world.fixture.js';

export const RUN = 'apps/invoice-run/src/run.ts';

/** Timesheets that each process finds more than the one before. */
const NEW_SHEETS = 2;
const FIRST_SHEETS = 12;
/** Writes of one process, at most, and how long after the last of them it ends. */
const MAX_WRITES = 4;
const MAX_DELAY_MS = 80;
/** What the provider may take for a request: as long as a process may live after it. */
const MAX_LATENCY_MS = 60;

export interface KilledRun {
  readonly keys: boolean;
  readonly signal: 'SIGKILL' | 'SIGTERM';
  readonly kills: number;
  readonly seed: number;
  /** Default: short, so that the next process soon goes on with what a kill left behind. */
  readonly leaseMs?: number;
}

export interface Outcome {
  readonly kills: number;
  readonly end: RunEnd;
  readonly findings: Findings;
  /** What each process that was ended left in the file. */
  readonly left: readonly OperationRow[][];
  readonly rows: OperationRow[];
}

/** Runs it with a few timesheets more after every kill, the last time undisturbed. */
export async function killedRun(
  compiled: Compiled,
  { keys, signal, kills, seed, leaseMs }: KilledRun,
): Promise<Outcome> {
  const random = new SeededRandom(seed);
  const killer = new Killer(momentsOf(random, kills, MAX_WRITES, MAX_DELAY_MS), signal);
  const world = await openWorld({
    keys,
    seed,
    lateShare: 0.3,
    failingShare: 0.05,
    maxLatencyMs: MAX_LATENCY_MS,
    onRequest: ({ method }) => method === 'POST' && killer.saw(),
  });
  try {
    let sheets = FIRST_SHEETS;
    const left: OperationRow[][] = [];
    const more = () => {
      sheets += NEW_SHEETS;
      return startRun(compiled.program(RUN), { ...world.settings, sheets, leaseMs }, []);
    };
    let end: RunEnd;
    // One that is through before its moment comes is followed by one with more to do.
    do end = await killer.until(more, () => void left.push(world.rows()));
    while (killer.kills < kills && end.report !== null);
    return { kills: killer.kills, end, findings: world.audit(0, sheets), left, rows: world.rows() };
  } finally {
    await world.destroy();
  }
}
