import { strava } from 'nestjs-sluice/providers';
import { strava as standIn } from '../../src/catalogue/strava.js';
import { expectFull, run, type RunSettings, times } from './run.fixture.js';

const mixed = (each: number) =>
  times(each, (i) => [
    { method: 'POST', url: '/uploads', data: { external_id: `${i}` } },
    { method: 'GET', url: `/activities/${i}` },
  ]).flat();

test('Strava: reads and uploads, a hundred of each in every quarter of an hour', async () => {
  // From 12:00:07: a hundred of each at once, then at 12:15, 12:30 and 12:45.
  expectFull(await run((settings) => strava(settings), standIn(), mixed(350)), 45 * 60_000 - 7_000);
});

test('Strava: with a fifth of its numbers, two hundred reads and two hundred uploads today, the others tomorrow', async () => {
  const numbers = { perQuarterHour: 40, perDay: 400 };
  const make = (settings: RunSettings) =>
    strava({ ...settings, ...numbers, readsPerQuarterHour: 20, readsPerDay: 200 });
  // The day is spent at 14:15; the rest fits into the first quarter of the next.
  expectFull(await run(make, standIn(numbers), mixed(216)), 12 * 3_600_000 - 7_000);
});
