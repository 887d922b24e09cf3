import { airtable } from 'nestjs-sluice/providers';
import { airtable as standIn } from '../../src/catalogue/airtable.js';
import { expectFull, run, times } from './run.fixture.js';

const calls = (bases: number, each: number, user: string) =>
  times(each, (i) =>
    times(bases, (base) => ({
      method: i % 3 === 0 ? 'POST' : 'GET',
      url: `/v0/app${base}/Tasks`,
      headers: { authorization: `Bearer ${user}` },
      sluice: { partition: { base: `app${base}`, user } },
    })),
  ).flat();

test('Airtable: eight bases of one user, each five calls a second', async () => {
  // Five at once, and five more after each second: 12 of these and a rest. Of each second the guard of 100 ms is a tenth.
  expectFull(await run((settings) => airtable(settings), standIn(), calls(8, 63, 'u')), 12 * 1_100);
});

test('Airtable: within a guard of 20 ms the whole rate of a second is used', async () => {
  expectFull(await run((settings) => airtable({ ...settings, guard: '20ms' }), standIn(), calls(3, 63, 'u')), 12_000);
});

test('Airtable: fourteen bases of one user, who has fifty calls a second', async () => {
  // Fifty at once, and fifty more after each second: 28 of these and a rest.
  expectFull(await run((settings) => airtable(settings), standIn(), calls(14, 103, 'u')), 28 * 1_100);
});
