import axios, { type AxiosInstance } from 'axios';
import { until } from '../../../test/nest/support/until.js';
import {
  type AccountingApi,
  type AccountingOptions,
  CLIENT_WITHOUT_TAX_NUMBER,
  startAccounting,
} from '../src/accounting.js';

let api: AccountingApi;

async function started(options?: AccountingOptions): Promise<AxiosInstance> {
  api = await startAccounting({ latencyMs: 0, ...options });
  return axios.create({ baseURL: api.url, validateStatus: () => true, proxy: false });
}

afterEach(() => api.stop());

const draft = (reference: string, clientId = 'client-1') => ({ clientId, reference, hours: 8 });

test('thirty calls at once are let in, the thirty-first is told when to come again', async () => {
  const http = await started();
  const statuses = await Promise.all(
    Array.from({ length: 31 }, async () => (await http.get('/clients', { params: { reference: 'client-1' } })).status),
  );
  expect(statuses.filter((status) => status === 200)).toHaveLength(30);
  expect((await http.get('/clients')).headers['retry-after']).toBe('2');
});

test('an invoice is found by its reference, created, and sent', async () => {
  const http = await started();
  expect((await http.get('/invoices', { params: { reference: 'ts-1' } })).data).toEqual([]);
  const { status, data } = await http.post('/invoices', draft('ts-1'));
  expect(status).toBe(201);
  expect((await http.post(`/invoices/${data.id}/send`)).data.timesSent).toBe(1);
  expect((await http.get('/invoices', { params: { reference: 'ts-1' } })).data).toEqual(api.invoices);
  expect((await http.get(`/invoices/${data.id}`)).data).toEqual(api.invoices[0]);
  expect(await http.get('/invoices/none')).toMatchObject({ status: 404 });
});

test('the same reference twice is a duplicate that nothing prevents', async () => {
  const http = await started();
  await http.post('/invoices', draft('ts-1'));
  await http.post('/invoices', draft('ts-1'));
  expect(api.invoices).toHaveLength(2);
});

test('with keys, a repeated write has one effect', async () => {
  const http = await started({ idempotencyKeys: true });
  const send = () => http.post('/invoices', draft('ts-1'), { headers: { 'Idempotency-Key': 'k' } });
  expect([(await send()).status, (await send()).status, api.invoices.length]).toEqual([201, 201, 1]);
});

test('a client without a tax number cannot be invoiced', async () => {
  const http = await started();
  expect(await http.post('/invoices', draft('ts-1', CLIENT_WITHOUT_TAX_NUMBER))).toMatchObject({
    status: 422,
    data: { field: 'taxNumber' },
  });
  expect(await http.post('/invoices', {})).toMatchObject({ status: 400 });
  expect(await http.post('/invoices/none/send')).toMatchObject({ status: 404 });
});

test('the slow invoice is created although its client gave up waiting', async () => {
  const http = await started({ slowInvoice: 2, slowAnswerMs: 60_000 });
  await http.post('/invoices', draft('ts-1'));
  await expect(http.post('/invoices', draft('ts-2'), { timeout: 50 })).rejects.toMatchObject({ code: 'ECONNABORTED' });
  expect(api.invoices.map(({ reference }) => reference)).toEqual(['ts-1', 'ts-2']);
});

test('reads fail now and then where that is asked for, writes never do', async () => {
  const http = await started({ failingShare: 1 });
  expect((await http.get('/clients', { params: { reference: 'client-1' } })).status).toBe(503);
  expect((await http.post('/invoices', draft('ts-1'))).status).toBe(201);
});

test('a write that takes effect late does so although its client is gone', async () => {
  const http = await started({ lateShare: 1, latencyMs: ({ method }) => (method === 'POST' ? 200 : 0) });
  await expect(http.post('/invoices', draft('ts-1'), { timeout: 30 })).rejects.toMatchObject({ code: 'ECONNABORTED' });
  expect((await http.get('/books')).data.invoices).toEqual([]);
  await until(() => api.invoices.length === 1);
});

test('the books tell what is there twice and what was refused, and reading them costs nothing', async () => {
  const http = await started();
  await http.post('/invoices', draft('ts-1'));
  await http.post('/invoices', draft('ts-1'));
  await Promise.all(Array.from({ length: 29 }, () => http.get('/clients')));
  expect((await http.get('/books')).data).toMatchObject({
    duplicates: 1,
    requests: 31,
    refused: 1,
    invoices: [{}, {}],
  });
});
