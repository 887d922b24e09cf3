// Runs timesheets in one application after the other, over a store that may kill its process: `fault-run.js <FaultSettings>`.
import 'reflect-metadata';
import { sqliteStore } from 'nestjs-sluice/sqlite';
import { runInvoices, type RunReport, type RunSettings } from '../../apps/invoice-run/src/run-app.js';
import { type FaultPoint, faultyStore, type Write } from './faulty-store.fixture.js';

export interface FaultSettings extends RunSettings {
  readonly phases: readonly {
    readonly from: number;
    readonly sheets: number;
    /** Default: it does not die. */
    readonly point?: FaultPoint;
  }[];
}

export interface FaultReport extends RunReport {
  /** What the last phase wrote. */
  readonly writes: readonly Write[];
}

process.once('disconnect', () => process.exit(1));

const { phases, ...settings } = JSON.parse(process.argv[2] ?? '{}') as FaultSettings;
const { path } = settings;
for (const { from, sheets, point = null } of phases) {
  const writes: Write[] = [];
  const store = faultyStore(path, sqliteStore({ path }), point, (write) => writes.push(write));
  const report = await runInvoices({ ...settings, from, sheets }, store);
  await new Promise((resolve) => process.send?.({ ...report, writes }, resolve));
}
process.exit(0);
