import type { Arrival } from 'nestjs-sluice/testing';
import type { AccountingApi } from '../../provider-simulator/src/accounting.js';
import { auditOf } from './books.js';
import type { Failure } from './invoice-run.js';
import type { RunReport } from './run-app.js';
import type { Timesheet } from './timesheets.js';

const BURST = 30;
const PER_MINUTE = 30;

export interface Report {
  readonly title: string;
  readonly api: AccountingApi;
  readonly sheets: readonly Timesheet[];
  readonly speed: number;
  readonly failures: readonly Failure[];
  /** What the durable store says; null where there is none. */
  readonly operations: Omit<RunReport, 'failures'> | null;
  readonly kills: number;
}

/** The closing table: the provider's own books, then the operations as the durable store counts them. */
export function printReport({ title, api, sheets, speed, failures, operations, kills }: Report): void {
  const { log, others } = api.simulator;
  const findings = auditOf(api, sheets);
  const refused = log.filter(({ verdict }) => verdict === 'limited');
  const spanMs = Math.max(...log.map(({ atMs, endedAtMs }) => endedAtMs ?? atMs)) - (log[0]?.atMs ?? 0);
  const leastMs = ((Math.max(0, log.length - refused.length - BURST) / PER_MINUTE) * 60_000) / speed;
  const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;
  const atFullTime = speed === 1 ? '' : ` (${seconds(spanMs * speed)} without the scaling)`;

  table(`${title}: the books of the accounting system`, [
    ['invoices it holds, of timesheets', `${api.invoices.length} of ${sheets.length}`],
    ['  missing', String(findings.missing.length)],
    ['  there twice', String(findings.twice.length)],
    ['  never sent to the client', String(findings.notSent.length)],
    ['  sent twice', String(findings.sentTwice.length)],
    ['requests that reached it', String(log.length)],
    ['  refused', String(refused.length)],
    ['  of them because of the other program', String(becauseOfOthers(log, speed))],
    ['  failed with 503', String(log.filter(({ status }) => status === 503).length)],
    ['  whose sender had left before the answer', String(log.filter(({ end }) => end === 'client-left').length)],
    ['requests of the other program', `${others.accepted + others.limited}, ${others.limited} refused`],
    ['time', `${seconds(spanMs)}${atFullTime}`],
    ...(operations === null ? [] : [['least time for as many requests, alone on the account', seconds(leastMs)]]),
  ]);
  if (operations !== null) {
    table('operations, as the durable store counts them', [
      ...statesOf(operations.counts).map(([state, count]): [string, string] => [state, String(count)]),
      ['done because they were found by their reference', String(operations.found)],
      ['times the process was killed', String(kills)],
    ]);
    for (const { name, cause, error } of operations.deadLetters) {
      console.log(`dead letter: ${name}, ${cause}: ${error?.status ?? ''} ${error?.body ?? error?.message ?? ''}`);
    }
  }
  printFailures(failures);
  console.log('One client has no tax number: the provider refuses its invoice on purpose, so all but one is right.');
  console.log(
    `What matters: ${findings.missing.length} invoices missing, ${findings.twice.length} twice (0 and 0 is right).`,
  );
}

function printFailures(failures: readonly Failure[]): void {
  const byReason = new Map<string, string[]>();
  for (const { timesheet, reason } of failures) byReason.set(reason, [...(byReason.get(reason) ?? []), timesheet]);
  for (const [reason, [first = '', ...more]] of byReason) {
    console.log(`not invoiced: ${first}${more.length === 0 ? '' : ` and ${more.length} more`} - ${reason}`);
  }
}

function statesOf(counts: RunReport['counts']): [string, number][] {
  const byState = new Map<string, number>([['done', 0], ['dead', 0]]); // prettier-ignore
  for (const { state, count } of counts) byState.set(state, (byState.get(state) ?? 0) + count);
  return [...byState];
}

function table(title: string, rows: readonly (readonly string[])[]): void {
  const width = Math.max(...rows.map(([name]) => name?.length ?? 0));
  console.log(`\n${title}`);
  for (const [name = '', value = ''] of rows) console.log(`  ${name.padEnd(width)}  ${value}`);
}

/** Our refusals that the bucket would have let in, had nobody else used the account: our arrivals alone, judged anew. */
function becauseOfOthers(log: readonly Arrival[], speed: number): number {
  const perMs = (PER_MINUTE * speed) / 60_000;
  let level = BURST;
  let lastMs = log[0]?.atMs ?? 0;
  let refusals = 0;
  for (const { atMs, verdict } of log) {
    level = Math.min(BURST, level + (atMs - lastMs) * perMs);
    lastMs = atMs;
    if (level < 1) continue;
    level -= 1;
    if (verdict === 'limited') refusals += 1;
  }
  return refusals;
}
