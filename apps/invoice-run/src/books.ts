import type { AccountingApi } from '../../provider-simulator/src/accounting.js';
import { CLIENT_WITHOUT_TAX_NUMBER } from '../../provider-simulator/src/accounting.js';
import type { Timesheet } from './timesheets.js';

/** Where the books of the accounting system are not as they should be; each list is empty when they are. */
export interface Findings {
  /** Timesheets without an invoice that should have one. */
  readonly missing: readonly string[];
  readonly twice: readonly string[];
  readonly notSent: readonly string[];
  readonly sentTwice: readonly string[];
}

/** What the provider holds against what it should: each timesheet invoiced once and sent once, but for the one it refuses. */
export function auditOf({ invoices }: Pick<AccountingApi, 'invoices'>, sheets: readonly Timesheet[]): Findings {
  const references = invoices.map(({ reference }) => reference);
  const once = new Set(references);
  const due = sheets.filter(({ clientId }) => clientId !== CLIENT_WITHOUT_TAX_NUMBER).map(({ id }) => id);
  const named = (fits: (timesSent: number) => boolean): string[] =>
    invoices.filter(({ timesSent }) => fits(timesSent)).map(({ reference }) => reference);
  return {
    missing: due.filter((id) => !once.has(id)),
    twice: [...once].filter((id) => references.indexOf(id) !== references.lastIndexOf(id)),
    notSent: named((timesSent) => timesSent === 0),
    sentTwice: named((timesSent) => timesSent > 1),
  };
}

export function isRight(findings: Findings): boolean {
  return Object.values(findings).every((list: readonly string[]) => list.length === 0);
}
