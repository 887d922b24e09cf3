import axios from 'axios';
import { closeWorlds, type FaultWorld, world } from './faults.fixture.js';

afterEach(closeWorlds);

const HOUR = 3_600_000;

describe('case 36: parallel 401s', () => {
  async function expired(answers: { refresh?: () => Promise<string>; accepts: (token: string) => boolean }) {
    let refreshes = 0;
    const opened: FaultWorld = await world({
      provider: {
        routes: {
          'GET /x': ({ headers }) => (answers.accepts(headers['authorization'] ?? '') ? 200 : 401),
          'POST /token': () => 200,
        },
      },
      p: {
        limits: [{ kind: 'concurrency', limit: 40 }],
        auth: {
          credentials: () => ({ headers: { authorization: 'old' } }),
          refresh: async () => {
            refreshes += 1;
            await opened.caller.http.axiosRef.post('/token');
            return { headers: { authorization: (await answers.refresh?.()) ?? 'new' } };
          },
        },
      },
    });
    const own = axios.create({ baseURL: 'http://crm.test', adapter: opened.provider.transport(opened.clock) });
    opened.limits.attach('crm', own);
    return { opened, own, refreshes: () => refreshes };
  }

  test('of two clients share one refresh, and go again once each (in one process)', async () => {
    const { opened, own, refreshes } = await expired({ accepts: (token) => token === 'new' });
    const calls = [...opened.calls(10), ...Array.from({ length: 10 }, () => opened.watch(own.get('/x')))];
    await opened.clock.advance(HOUR);
    expect(calls.map(({ told }) => told)).toEqual(Array(20).fill('200'));
    expect(refreshes()).toBe(1);
    const statuses = opened.provider.log.filter(({ method }) => method === 'GET').map(({ status }) => status);
    expect(statuses.sort()).toEqual([...Array(20).fill(200), ...Array(20).fill(401)]);
    expect(opened.ofType('granted')).toHaveLength(41);
    await opened.leavesNothing();
  });

  test('that come a second time are final', async () => {
    const { opened, refreshes } = await expired({ accepts: () => false });
    const calls = opened.calls(20);
    await opened.clock.advance(HOUR);
    expect(new Set(calls.map(({ told }) => told))).toEqual(new Set(['401 auth']));
    expect(refreshes()).toBe(1);
    expect(opened.provider.log.filter(({ method }) => method === 'GET').length).toBeLessThanOrEqual(40);
    await opened.leavesNothing();
  });

  test('with a refresh that fails by the network log nobody out', async () => {
    let broken = true;
    const refresh = async (): Promise<string> => {
      if (broken) throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
      return 'new';
    };
    const { opened } = await expired({ refresh, accepts: (token) => token === 'new' });
    const first = opened.call();
    await opened.clock.advance(HOUR);
    expect(first.told).toBe('401 auth');
    broken = false;
    const second = opened.call();
    await opened.clock.advance(HOUR);
    expect(second.told).toBe('200');
    await opened.leavesNothing();
  });
});
