import { tokenBucket } from 'nestjs-sluice';
import { ProviderSimulator } from 'nestjs-sluice/testing';
import { HOUR, MINUTE, openFigures, SECOND, STATED_RETRY } from './figures.fixture.js';

/** The gate's clock counts whole microseconds: both ends of a pause are rounded to it. */
const GATE_UNIT = 0.001;

describe('a provider that answers 429 without a hint', () => {
  it('is asked again by one probe after 1, 2, 4, 8, 16, 30 and 30 minutes, and resumes at the normal rate at once', async () => {
    const provider = new ProviderSimulator({
      refusal: { retryAfter: 'none' },
      faults: { limited: { share: 1, waitMs: 0 } },
    });
    const figures = await openFigures(provider, {
      limits: [tokenBucket({ burst: 10, limit: 600, per: '1m' })],
      retry: { ...STATED_RETRY, throttled: { maxAttempts: 20 } },
    });
    const { clock, service } = figures;

    const first = service.call(0);
    await clock.advance(100);
    const rest = Array.from({ length: 29 }, (_, id) => service.call(id + 1));
    await clock.advance(92 * MINUTE);

    const gaps = provider.log.slice(1).map((arrival, index) => arrival.atMs - (provider.log[index]?.endedAtMs ?? NaN));
    const expected = [1, 2, 4, 8, 16, 30, 30].map((minutes) => minutes * MINUTE);
    expect(gaps).toHaveLength(expected.length);
    gaps.forEach((gap, index) => {
      expect(gap).toBeGreaterThanOrEqual((expected[index] ?? NaN) - GATE_UNIT);
      expect(gap).toBeLessThanOrEqual((expected[index] ?? NaN) + 500);
    });

    provider.faults = {};
    const before = provider.log.length;
    await clock.advanceUntil(Promise.all([first, ...rest]), HOUR);
    const served = provider.log.slice(before);
    const span = (served.at(-1)?.atMs ?? NaN) - (served[0]?.atMs ?? NaN);
    expect(served).toHaveLength(30);
    // Ten of the burst, the others at ten a second.
    expect(span).toBeLessThanOrEqual(2.2 * SECOND + 500);
    await figures.close();
    expect(clock.pendingTimers).toBe(0);
  });
});
