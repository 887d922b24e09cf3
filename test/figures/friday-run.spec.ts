import { jest } from '@jest/globals';
import axios from 'axios';
import { tokenBucket } from 'nestjs-sluice';
import { ProviderSimulator, VirtualClock } from 'nestjs-sluice/testing';
import { HOUR, MINUTE, openFigures, SECOND, STATED_RETRY, wait } from './figures.fixture.js';

// Thousands of simulated requests take seconds of real time on a busy machine.
jest.setTimeout(180_000);

const accounting = () =>
  new ProviderSimulator({ limits: [{ kind: 'token-bucket', burst: 30, limit: 30, perMs: MINUTE }] });

describe('120 calls under 30 a minute with a burst of 30', () => {
  it('start within 180.2 s, all succeed, and the provider refuses none', async () => {
    const provider = accounting();
    const figures = await openFigures(provider, {
      limits: [tokenBucket({ burst: 30, limit: 30, per: '1m' })],
      retry: STATED_RETRY,
    });

    const calls = Array.from({ length: 120 }, (_, id) => figures.service.call(id));
    const ends = await figures.clock.advanceUntil(Promise.allSettled(calls));

    expect(ends.filter((end) => end.status === 'fulfilled')).toHaveLength(120);
    expect(provider.log).toHaveLength(120);
    expect(provider.log.filter((arrival) => arrival.verdict === 'limited')).toHaveLength(0);
    const last = provider.log.at(-1)?.atMs ?? NaN;
    expect(last).toBeGreaterThanOrEqual(180 * SECOND);
    expect(last).toBeLessThanOrEqual(180.2 * SECOND);
    await figures.close();
    expect(figures.clock.pendingTimers).toBe(0);
  });

  it('cost a loop that asks again every two seconds about 4,000 refusals', async () => {
    const provider = accounting();
    const clock = new VirtualClock();
    const http = axios.create({ baseURL: 'http://provider.test', adapter: provider.transport(clock) });
    const naive = async (id: number): Promise<void> => {
      while (true) {
        const answer = await http.get(`/items/${id}`, { validateStatus: () => true });
        if (answer.status !== 429) return;
        await wait(clock, 2 * SECOND);
      }
    };

    await clock.advanceUntil(Promise.all(Array.from({ length: 120 }, (_, id) => naive(id))), HOUR);

    const refused = provider.log.filter((arrival) => arrival.verdict === 'limited').length;
    expect(refused).toBeGreaterThan(3_900);
    expect(refused).toBeLessThan(4_200);
  });
});
