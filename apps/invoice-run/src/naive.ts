import axios from 'axios';
import axiosRetry from 'axios-retry';
import type { Failure } from './invoice-run.js';
import type { Timesheet } from './timesheets.js';

/**
 * The same run with what many projects have: axios and axios-retry, retrying whatever fails, five attempts, exponential
 * delays. Nobody paces it, and a create that timed out is sent again.
 */
export async function naiveRun(url: string, speed: number, sheets: readonly Timesheet[]): Promise<Failure[]> {
  const http = axios.create({ baseURL: url, timeout: 10_000 / speed });
  axiosRetry(http, {
    retries: 4,
    retryCondition: () => true,
    retryDelay: (retry) => (2 ** (retry - 1) * 1_000) / speed,
    shouldResetTimeout: true,
  });
  const failures: Failure[] = [];
  const invoice = async (sheet: Timesheet): Promise<void> => {
    try {
      await http.get('/clients', { params: { reference: sheet.clientId } });
      const body = { clientId: sheet.clientId, reference: sheet.id, hours: sheet.hours };
      const created = await http.post('/invoices', body);
      await http.post(`/invoices/${created.data.id}/send`);
    } catch (error) {
      failures.push({ timesheet: sheet.id, reason: String((error as Error).message) });
    }
  };
  await Promise.all(sheets.map(invoice));
  return failures;
}
