import axios from 'axios';
import { VirtualClock } from '../virtual-clock.js';
import { drip } from './answer.js';
import { invoices, WALL, world } from './world.fixture.js';

test('a request arrives as an HTTP client would send it, and is written down', async () => {
  const { clock, simulator, http } = world({ routes: invoices });
  await clock.advance(250);
  const response = await clock.advanceUntil(
    http.post('/invoices', { total: 12 }, { params: { draft: true }, headers: { 'X-Trace': 't1' } }),
  );
  expect([response.status, response.data]).toEqual([201, { id: 7 }]);
  expect(simulator.log).toMatchObject([
    {
      number: 1,
      atMs: 250,
      wallMs: WALL + 250,
      method: 'POST',
      path: '/v1/invoices',
      query: { draft: 'true' },
      headers: { 'x-trace': 't1', host: 'api.crm.example', 'content-type': 'application/json' },
      body: { total: 12 },
      verdict: 'accepted',
      route: 'POST /v1/invoices',
      status: 201,
      executed: true,
      endedAtMs: 250,
      end: 'answered',
    },
  ]);
  expect(simulator.effects).toMatchObject([
    { arrival: 1, atMs: 250, path: '/v1/invoices', body: { total: 12 }, result: { id: 7 } },
  ]);
});

test('routes take their parameters from the path, and an unknown one is 404', async () => {
  const { http } = world({ routes: invoices });
  expect((await http.get('/clients/42')).data).toEqual({ id: '42' });
  expect((await http.get('/nowhere')).status).toBe(404);
});

test('the way to the provider and back takes the time that is asked for', async () => {
  const { clock, simulator, http } = world({}, { networkMs: 20 });
  const sent = http.get('/');
  await clock.advance(39);
  expect(simulator.log.map(({ atMs }) => atMs)).toEqual([20]);
  await clock.advance(1);
  expect((await sent).status).toBe(200);
});

test('a request aborted on its way never arrives', async () => {
  const { clock, simulator, http } = world({}, { networkMs: 20 });
  const leaving = new AbortController();
  const sent = http.get('/', { signal: leaving.signal }).catch((error: unknown) => axios.isCancel(error));
  await clock.advance(10);
  leaving.abort();
  expect(await sent).toBe(true);
  await clock.advance(100);
  expect([simulator.log.length, clock.pendingTimers]).toEqual([0, 0]);
});

test("validateStatus decides between an answer and Axios's error with the answer in it", async () => {
  const { simulator, http } = world();
  simulator.play([404, 503]);
  const strict = axios.create({ adapter: http.defaults.adapter, validateStatus: (status) => status < 400 });
  await expect(strict.get('/')).rejects.toMatchObject({ code: 'ERR_BAD_REQUEST', response: { status: 404 } });
  await expect(strict.get('/')).rejects.toMatchObject({
    code: 'ERR_BAD_RESPONSE',
    response: { status: 503 },
    isAxiosError: true,
  });
});

test('a stream that is destroyed in the midst of a silence ends at once', async () => {
  const { clock, simulator, http } = world();
  simulator.play([
    drip(200, [
      { afterMs: 0, text: 'H' },
      { afterMs: 60_000, text: 'ello' },
    ]),
  ]);
  const { data: stream } = await http.get('/', { responseType: 'stream' });
  let failedAt = -1;
  stream.on('error', () => (failedAt = clock.monoMs())).resume();
  await clock.advance(500);
  stream.destroy(new Error('enough'));
  await clock.advance(0);
  expect([failedAt, clock.pendingTimers]).toEqual([500, 0]);
});

test('one simulator runs on one clock', () => {
  const { simulator } = world();
  expect(() => simulator.transport(new VirtualClock())).toThrow('one clock');
});
