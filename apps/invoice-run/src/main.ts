import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { SingleBar } from 'cli-progress';
import { SeededRandom } from 'nestjs-sluice/testing';
import { startAccounting } from '../../provider-simulator/src/accounting.js';
import { auditOf, isRight } from './books.js';
import { Killer, momentsOf } from './killer.js';
import { naiveRun } from './naive.js';
import { printReport } from './report.js';
import { type RunEnd, startRun } from './run-process.js';
import { timesheets } from './timesheets.js';

const USAGE = `The Friday invoice run: 40 invoices, three calls each, against a local accounting API that allows 30 calls a minute.
  --speed N   how many times as fast time runs, 1 to 50 (default 10)
  --kill      kills the process of the run five times on the way, and starts it again
  --naive     the same with axios and axios-retry
  --help`;

const INVOICES = 40;
const KILLS = 5;
/** Writes of one life of the process, at most, and how long after the last of them it ends: it waits for an answer then, or has just got it. */
const MAX_WRITES = 16;
const MAX_DELAY_MS = 10;
const REDRAW_MS = 100;

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      speed: { type: 'string', default: '10' },
      kill: { type: 'boolean', default: false },
      naive: { type: 'boolean', default: false },
      help: { type: 'boolean' },
    },
  });
  if (values.help === true) {
    console.log(USAGE);
    return 0;
  }
  const speed = Number(values.speed);
  if (!(speed >= 1 && speed <= 50)) {
    console.error(`--speed ${values.speed}: a number from 1 to 50 is needed.`);
    return 2;
  }
  if (values.kill && values.naive) {
    console.error('--kill is for the run that keeps its work in a store: not with --naive.');
    return 2;
  }

  const killer = new Killer(values.kill ? momentsOf(new SeededRandom(3), KILLS, MAX_WRITES, MAX_DELAY_MS) : []);
  const api = await startAccounting({
    speed,
    failingShare: 0.08,
    slowInvoice: 7,
    otherEveryMs: 20_000,
    onRequest: ({ method }) => {
      if (method === 'POST') killer.saw();
    },
  });
  const sheets = timesheets(INVOICES);
  const bar = new SingleBar({ format: 'invoices sent {bar} {value}/{total}', hideCursor: true });
  bar.start(sheets.length, 0);
  const drawing = setInterval(
    () => bar.update(api.invoices.filter(({ timesSent }) => timesSent > 0).length),
    REDRAW_MS,
  );
  try {
    if (values.naive) {
      const failures = await naiveRun(api.url, speed, sheets);
      endBar();
      printReport({ title: 'axios + axios-retry', api, sheets, speed, failures, operations: null, kills: 0 });
      return 0;
    }
    const { report, code, signal } = await guarded();
    endBar();
    if (report === null) {
      console.error(`The process of the run ended before it was through: ${signal ?? `exit code ${code}`}.`);
      return 1;
    }
    const { failures, ...operations } = report;
    printReport({ title: 'nestjs-sluice', api, sheets, speed, failures, operations, kills: killer.kills });
    return isRight(auditOf(api, sheets)) ? 0 : 1;
  } finally {
    endBar();
    await api.stop();
  }

  function endBar(): void {
    clearInterval(drawing);
    bar.stop();
  }

  /** The provider lives here; what calls it lives in a process of its own, whose store outlives it. */
  async function guarded(): Promise<RunEnd> {
    const folder = await mkdtemp(join(tmpdir(), 'invoice-run-'));
    const settings = {
      url: api.url,
      speed,
      keys: false,
      path: join(folder, 'operations.db'),
      from: 0,
      sheets: sheets.length,
    };
    const program = fileURLToPath(new URL('./run.js', import.meta.url));
    try {
      return await killer.until(() => startRun(program, settings));
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
}

process.exitCode = await main();
