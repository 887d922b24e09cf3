import axios, { type AxiosInstance } from 'axios';
import { answer, drip, hang, reset } from './answer.js';
import type { SimulatorOptions } from './options.js';
import { forever, script } from './script.js';
import { ProviderSimulator } from './simulator.js';
import { invoices } from './world.fixture.js';

let simulator: ProviderSimulator;

const started = async (options: SimulatorOptions): Promise<AxiosInstance> => {
  simulator = new ProviderSimulator(options);
  await simulator.start();
  return axios.create({ baseURL: simulator.url, validateStatus: () => true, proxy: false });
};

afterEach(async () => {
  await simulator.stop();
  await simulator.stop();
  expect(() => simulator.url).toThrow('start() first');
});

test('the same judge stands behind a real server', async () => {
  const http = await started({
    limits: [{ kind: 'fixed-window', limit: 3, perMs: 60_000 }],
    quotaHeaders: 'x-ratelimit',
    routes: invoices,
  });
  const answers = await Promise.all([1, 2, 3, 4, 5].map((i) => http.post('/v1/invoices', { i })));
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 201, 429, 429]);
  expect(answers.find(({ status }) => status === 429)?.headers['retry-after']).toBe('60');
  expect(simulator.effects).toHaveLength(3);
  expect(simulator.log.map(({ number, method, route }) => [number, method, route])).toEqual(
    [1, 2, 3, 4, 5].map((n) => [n, 'POST', 'POST /v1/invoices']),
  );
  expect(simulator.latenessMs).toBeGreaterThanOrEqual(0);
});

test('resets and hangs are those of a real socket', async () => {
  const http = await started({ script: script([reset, hang]) });
  await expect(http.get('/')).rejects.toMatchObject({ code: 'ECONNRESET' });
  await expect(http.get('/', { timeout: 50 })).rejects.toMatchObject({ code: 'ECONNABORTED' });
  expect((await http.get('/')).status).toBe(200);
  expect(simulator.log.map(({ end }) => end)).toEqual(['reset', 'client-left', 'answered']);
});

test('a body in pieces, and one that is not JSON', async () => {
  const http = await started({
    script: script([
      drip(200, [
        { afterMs: 0, text: 'a' },
        { afterMs: 5, text: 'b' },
      ]),
      answer(502, {}, '<html>bad gateway</html>'),
    ]),
  });
  expect((await http.get('/')).data).toBe('ab');
  expect(await http.get('/')).toMatchObject({ status: 502, data: '<html>bad gateway</html>' });
});

test('stopping ends what hangs', async () => {
  const http = await started({ script: forever(hang) });
  const sent = http.get('/').catch((error: { code: string }) => error.code);
  while (simulator.log.length === 0) await new Promise((resolve) => setImmediate(resolve));
  await simulator.stop();
  expect(await sent).toBe('ECONNRESET');
});
