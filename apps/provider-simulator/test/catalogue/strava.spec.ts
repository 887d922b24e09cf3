import { strava } from 'nestjs-sluice/providers';
import { strava as standIn } from '../../src/catalogue/strava.js';
import { expectFull, run, times } from './run.fixture.js';

const mixed = (each: number) =>
  times(each, (i) => [
    { method: 'POST', url: '/uploads', data: { external_id: `${i}` } },
    { method: 'GET', url: `/activities/${i}` },
  ]).flat();

test('Strava: reads and uploads, a hundred of each in every quarter of an hour', async () => {
  // From 12:00:07: a hundred of each at once, then at 12:15, 12:30 and 12:45.
  expectFull(await run((settings) => strava(settings), standIn(), mixed(350)), 45 * 60_000 - 7_000);
});

test('Strava: a thousand reads and a thousand uploads today, the others tomorrow', async () => {
  // The day is spent at 14:15; the rest fits into the first quarter of the next.
  expectFull(await run((settings) => strava(settings), standIn(), mixed(1_080)), 12 * 3_600_000 - 7_000);
});
