import { once } from 'node:events';
import { NestFactory } from '@nestjs/core';
import { type DurableStore, type OperationCounts, Operations, type OperationView } from 'nestjs-sluice';
import { AppModule } from './app.module.js';
import { accountingContract, type AccountingOptions } from './contract.js';
import { type Failure, InvoiceRun } from './invoice-run.js';
import { timesheets } from './timesheets.js';

/** What a process of the run is told. */
export interface RunSettings extends AccountingOptions {
  /** The file of the durable store. */
  readonly path: string;
  /** Timesheets: the first `sheets`, without the first `from`. */
  readonly from: number;
  readonly sheets: number;
  /** How long work is out of reach after a kill, in ms. Default: 20 s by the scaled clock. */
  readonly leaseMs?: number;
}

/** What it says when all timesheets were gone through. */
export interface RunReport {
  readonly failures: readonly Failure[];
  /** Operations by state, as the store counts them. */
  readonly counts: OperationCounts['counts'];
  /** Those that were looked up at the provider, and found. */
  readonly found: number;
  readonly deadLetters: readonly Pick<OperationView, 'name' | 'cause' | 'error' | 'attempts'>[];
}

/** A lookup that is cut short counts as one: a run that is killed on purpose may have many of them before one ends. */
const MAX_CHECKS = 1_000;

/** Goes through all timesheets in an application of its own. Null where SIGTERM came first: the rest waits for the next start. */
export async function runInvoices(settings: RunSettings, store: DurableStore): Promise<RunReport | null> {
  const { from, sheets, speed, leaseMs = 20_000 / speed } = settings;
  const stopped = once(process, 'SIGTERM').then(() => null);
  const options = {
    providers: [accountingContract(settings)],
    store,
    operations: { lease: leaseMs, poll: 2_000 / speed, maxChecks: MAX_CHECKS },
  };
  const app = await NestFactory.createApplicationContext(AppModule.with(options), { logger: ['error'] });
  try {
    const failures = await Promise.race([stopped, app.get(InvoiceRun).run(timesheets(sheets).slice(from))]);
    return failures === null ? null : await reportOf(failures, app.get(Operations));
  } finally {
    await app.close();
  }
}

async function reportOf(failures: readonly Failure[], operations: Operations): Promise<RunReport> {
  const { counts } = await operations.counts();
  const done = await operations.list({ state: 'done', limit: 1_000 });
  const dead = await operations.list({ state: 'dead', limit: 1_000 });
  return {
    failures,
    counts,
    found: done.operations.filter(({ cause }) => cause === 'found').length,
    deadLetters: dead.operations.map(({ name, cause, error, attempts }) => ({ name, cause, error, attempts })),
  };
}
