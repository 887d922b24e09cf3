import { AxiosHeaders } from 'axios';
import { closeWorlds, world } from './faults.fixture.js';

afterEach(closeWorlds);

const HOUR = 3_600_000;

test('case 123: a relative base and the parameters are the same on every try', async () => {
  const opened = await world({ s: '503, 503, 200' });
  const sent = opened.call({ baseURL: '/api', url: '/test', params: { a: '1' } });
  await opened.clock.advance(HOUR);
  expect(sent.told).toBe('200');
  expect(opened.provider.log.map(({ path, query }) => [path, query])).toEqual(Array(3).fill(['/api/test', { a: '1' }]));
  await opened.leavesNothing();
});

test('case 124: the headers are the same on every try, also those of a config that was JSON', async () => {
  const headers = new AxiosHeaders({ authorization: 'Bearer t', 'X-One': '1' });
  for (const config of [{ url: '/x', headers }, JSON.parse(JSON.stringify({ url: '/x', headers }))]) {
    const opened = await world({ s: '503, 503, 200' });
    const sent = opened.call(config);
    await opened.clock.advance(HOUR);
    expect(sent.told).toBe('200');
    const [first, ...others] = opened.provider.log.map((each) => each.headers);
    expect(first).toMatchObject({ authorization: 'Bearer t', 'x-one': '1' });
    expect(others).toEqual([first, first]);
    expect(JSON.stringify(first)).not.toMatch(/\[object|undefined|symbol/i);
    await opened.leavesNothing();
  }
});

test("case 125: the user's interceptors run once per call; every attempt is told by an event", async () => {
  const opened = await world({ s: '503, 503, 200' });
  let requests = 0;
  let responses = 0;
  const { interceptors } = opened.caller.http.axiosRef;
  interceptors.request.use((config) => {
    requests += 1;
    return config;
  });
  interceptors.response.use((response) => {
    responses += 1;
    return { mapped: response.data } as never;
  });
  const sent = opened.call();
  await opened.clock.advance(HOUR);
  expect([requests, responses, sent.value]).toEqual([1, 1, { mapped: {} }]);
  expect(opened.ofType('attempt-ended').map(({ attempt, status }) => [attempt, status])).toEqual([
    [1, 503],
    [2, 503],
    [3, 200],
  ]);
  await opened.leavesNothing();
});

test('case 129: a failure without retries reaches the caller', async () => {
  const opened = await world({ s: '500', p: { retry: { maxAttempts: 1 } } });
  const sent = opened.call();
  await opened.clock.advance(HOUR);
  expect(sent.told).toBe('500 attempts-exhausted');
  expect([sent.value, opened.log]).toEqual([undefined, [0]]);
  await opened.leavesNothing();
});

test('case 130: a status is classified whatever the caller counts as a success', async () => {
  const opened = await world({ s: '429(retry-after: 1), 200' });
  const sent = opened.call({ url: '/x', validateStatus: () => true });
  await opened.clock.advance(HOUR);
  expect([sent.told, opened.log]).toEqual(['200', [0, 1000]]);
  await opened.leavesNothing();
});
