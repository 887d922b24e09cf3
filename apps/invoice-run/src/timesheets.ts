import { CLIENT_WITHOUT_TAX_NUMBER } from '../../provider-simulator/src/accounting.js';

/** A week's work for one client: one invoice, whose reference is the timesheet's id. */
export interface Timesheet {
  readonly id: string;
  readonly clientId: string;
  readonly hours: number;
}

/** The first `count` timesheets; the thirteenth is for the client without a tax number. */
export function timesheets(count: number): Timesheet[] {
  return Array.from({ length: count }, (_, index) => {
    const clientId = `client-${index + 1}`;
    const id = clientId === CLIENT_WITHOUT_TAX_NUMBER ? 'timesheet-without-tax-number' : `timesheet-${index + 1}`;
    return { id, clientId, hours: 8 + (index % 33) };
  });
}
