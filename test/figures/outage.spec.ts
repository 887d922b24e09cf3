import axios from 'axios';
import { tokenBucket } from 'nestjs-sluice';
import { ProviderSimulator, VirtualClock } from 'nestjs-sluice/testing';
import { HOUR, MINUTE, openFigures, SECOND, STATED_RETRY, wait } from './figures.fixture.js';

const OUTAGE = 2 * HOUR;
const RUN_EVERY = 15 * MINUTE;
const CALLS = 120;

const limits = [tokenBucket({ burst: 30, limit: 30, per: '1m' })];
const brokenProvider = () =>
  new ProviderSimulator({
    limits: [{ kind: 'token-bucket', burst: 30, limit: 30, perMs: MINUTE }],
    faults: { down: { status: 503, afterMs: 200 } },
  });

describe('two hours of 503, a run of 120 calls every 15 minutes, five attempts a call', () => {
  it('take 4,800 requests of a client that retries every call', async () => {
    const provider = brokenProvider();
    const clock = new VirtualClock();
    const http = axios.create({ baseURL: 'http://provider.test', adapter: provider.transport(clock) });
    const naive = async (id: number): Promise<void> => {
      for (let attempt = 0; attempt < 5; attempt += 1) {
        const answer = await http.get(`/items/${id}`, { validateStatus: () => true });
        if (answer.status === 200) return;
        await wait(clock, 2 ** attempt * SECOND);
      }
    };
    for (let start = 0; start < OUTAGE; start += RUN_EVERY) {
      const run = Promise.all(Array.from({ length: CALLS }, (_, id) => naive(id)));
      await clock.advance(RUN_EVERY);
      await run;
    }

    expect(provider.log).toHaveLength(4_800);
  });

  it('take about 1,060 with the retry budget alone', async () => {
    const provider = brokenProvider();
    const figures = await openFigures(provider, { limits, retry: STATED_RETRY });

    for (let start = 0; start < OUTAGE; start += RUN_EVERY) {
      const run = Promise.allSettled(Array.from({ length: CALLS }, (_, id) => figures.service.call(start + id)));
      await figures.clock.advance(RUN_EVERY);
      const ends = await run;
      expect(ends.every((end) => end.status === 'rejected')).toBe(true);
    }

    expect(provider.log.length).toBeGreaterThanOrEqual(1_035);
    expect(provider.log.length).toBeLessThanOrEqual(1_077);
    await figures.close();
    expect(figures.clock.pendingTimers).toBe(0);
  });

  it('take about 120 probes with a breaker that lets calls wait, and the waiting run goes on by itself', async () => {
    const provider = brokenProvider();
    const figures = await openFigures(provider, {
      limits,
      retry: STATED_RETRY,
      breaker: { consecutiveFailures: 5, probeEvery: '1m', whileOpen: 'wait' },
    });

    const run = Promise.allSettled(Array.from({ length: CALLS }, (_, id) => figures.service.call(id)));
    await figures.clock.advance(OUTAGE);
    const opening = provider.log.filter((arrival) => arrival.atMs < 30 * SECOND).length;
    const probes = provider.log.length - opening;
    expect(opening).toBeLessThanOrEqual(30);
    expect(probes).toBeGreaterThanOrEqual(118);
    expect(probes).toBeLessThanOrEqual(121);

    provider.faults = {};
    const ends = await figures.clock.advanceUntil(run, HOUR);
    expect(ends.filter((end) => end.status === 'fulfilled')).toHaveLength(CALLS);
    const served = provider.log.filter((arrival) => arrival.status === 200);
    expect(new Set(served.map((arrival) => arrival.path)).size).toBe(CALLS);
    expect(provider.log.filter((arrival) => arrival.verdict === 'limited')).toHaveLength(0);
    await figures.close();
    expect(figures.clock.pendingTimers).toBe(0);
  });
});
