import { tokenBucket } from 'nestjs-sluice';
import { ProviderSimulator, SeededRandom } from 'nestjs-sluice/testing';
import { MINUTE, openFigures, SECOND, STATED_RETRY, SweepService, wait } from './figures.fixture.js';

const SWEEP = 500;
const SPAN = 11.5 * MINUTE;

/** Moments of a Poisson stream of ten a minute. */
function leadMoments(seed: number): number[] {
  const random = new SeededRandom(seed);
  const moments: number[] = [];
  for (let at = 0; ; moments.push(at)) {
    at += (-Math.log(1 - random.next()) * MINUTE) / 10;
    if (at > SPAN) return moments;
  }
}

async function sweepBesideLeads(ceiling: boolean) {
  const provider = new ProviderSimulator({
    limits: [{ kind: 'token-bucket', burst: 60, limit: 60, perMs: MINUTE }],
  });
  const figures = await openFigures(
    provider,
    {
      limits: [tokenBucket({ burst: 60, limit: 60, per: '1m' })],
      lanes: { leads: { default: true }, sweep: ceiling ? { ceiling: { limit: 45, per: '1m' } } : {} },
      retry: STATED_RETRY,
    },
    [SweepService],
  );
  const { app, clock, service } = figures;
  const moments = leadMoments(3);
  const leads = moments.map(async (at, id) => {
    await wait(clock, at);
    await service.call(id);
  });
  const sweep = Array.from({ length: SWEEP }, (_, id) => app.get(SweepService).sweep(id));
  await clock.advanceUntil(Promise.all([...leads, ...sweep]));

  const startOf = new Map(provider.log.map((arrival) => [arrival.path, arrival.atMs]));
  const waits = moments.map((at, id) => (startOf.get(`/items/${id}`) ?? Infinity) - at);
  const lastSwept = Math.max(...Array.from({ length: SWEEP }, (_, id) => startOf.get(`/swept/${id}`) ?? Infinity));
  const refused = provider.log.filter((arrival) => arrival.verdict === 'limited').length;
  await figures.close();
  expect(clock.pendingTimers).toBe(0);
  return { longestWait: Math.max(...waits), lastSwept, refused };
}

describe('a sweep of 500 beside ten leads a minute, 60 a minute in all', () => {
  it('ends after 11 minutes under a ceiling of 45 a minute, and no lead waits over 1.5 s', async () => {
    const { longestWait, lastSwept, refused } = await sweepBesideLeads(true);

    expect(lastSwept).toBeGreaterThanOrEqual(665 * SECOND);
    expect(lastSwept).toBeLessThanOrEqual(668 * SECOND);
    expect(longestWait).toBeLessThanOrEqual(1.5 * SECOND);
    expect(refused).toBe(0);
  });

  it('makes leads wait over 1.5 s without the ceiling', async () => {
    const { longestWait, refused } = await sweepBesideLeads(false);

    expect(longestWait).toBeGreaterThan(1.5 * SECOND);
    expect(refused).toBe(0);
  });
});
