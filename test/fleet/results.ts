/** One table of what was measured, printed at the end. */
import { loadavg } from 'node:os';
import { commandsPerCall, refusedOf } from './judge.js';
import type { Outcome } from './world.js';

const COLUMNS = [
  'run',
  'calls',
  'failed',
  'refused',
  'used',
  'commands a call',
  'hints a call',
  'us a script',
  'slowest ms',
  'loop late ms',
  'load',
  'besides',
];

export class Results {
  private readonly rows: string[][] = [];

  add(run: string, outcome: Outcome, used: number | null, besides = ''): void {
    const { seen, ends, commands, latenessMs } = outcome;
    const row = [
      run,
      String(seen.length),
      String(ends.failures.length),
      String(refusedOf(seen)),
      used === null ? '' : used.toFixed(4),
      commandsPerCall(outcome).toFixed(2),
      (commands.published / seen.length).toFixed(2),
      commands.microsPerScript.toFixed(0),
      (commands.slowest / 1_000).toFixed(1),
      latenessMs.toFixed(1),
      (loadavg()[0] ?? NaN).toFixed(1),
      besides,
    ];
    this.rows.push(row);
    // A run that is cut short has told what it found.
    process.stdout.write(`| ${row.join(' | ')} |\n`);
  }

  print(): void {
    const lines = [COLUMNS, COLUMNS.map(() => '---'), ...this.rows].map((cells) => `| ${cells.join(' | ')} |`);
    process.stdout.write(`\n${lines.join('\n')}\n`);
  }
}
