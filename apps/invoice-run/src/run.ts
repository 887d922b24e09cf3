// The run, in a process of its own that may be killed at any moment: `run.js <RunSettings as JSON>`.
import 'reflect-metadata';
import { sqliteStore } from 'nestjs-sluice/sqlite';
import { runInvoices, type RunSettings } from './run-app.js';

// It does not outlive the process that started it. Listening also keeps it alive: the module's timers do not.
process.once('disconnect', () => process.exit(1));

const settings = JSON.parse(process.argv[2] ?? '{}') as RunSettings;
const report = await runInvoices(settings, sqliteStore({ path: settings.path }));
if (report !== null) await new Promise((resolve) => process.send?.(report, resolve));
process.exit(0);
