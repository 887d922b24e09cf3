import { hubspot } from 'nestjs-sluice/providers';
import { hubspot as standIn } from '../../src/catalogue/hubspot.js';
import { expectFull, run, times } from './run.fixture.js';

const of = (account: string) => ({
  headers: { authorization: `Bearer ${account}` },
  sluice: { partition: { account } },
});

test('HubSpot: reads, writes and searches of two accounts, each within its ten seconds', async () => {
  const calls = ['a', 'b'].flatMap((account) => [
    ...times(900, (i) => ({
      method: i % 4 === 0 ? 'PATCH' : 'GET',
      url: `/crm/v3/objects/contacts/${i}`,
      ...of(account),
    })),
    ...times(100, (i) => ({
      method: 'POST',
      url: '/crm/v3/objects/contacts/search',
      data: { after: String(i) },
      ...of(account),
    })),
  ]);
  // 190 at once, 190 more after each ten seconds; searches, which are counted apart, are done in twenty.
  expectFull(await run((settings) => hubspot(settings), standIn(), calls), 40_000);
});

test('HubSpot: searches, five a second', async () => {
  const calls = times(302, (i) => ({
    method: 'POST',
    url: '/crm/v3/objects/deals/search',
    data: { after: String(i) },
    ...of('a'),
  }));
  // 302 searches, 5 at once and 5 more after each second. The guard's default, 100 ms, would take a tenth of a window of one second.
  expectFull(await run((settings) => hubspot({ ...settings, guard: '20ms' }), standIn(), calls), 60_000);
});

test('HubSpot: an account whose day is spent goes on after midnight', async () => {
  const calls = times(900, (i) => ({ method: 'GET', url: `/crm/v3/objects/contacts/${i}`, ...of('a') }));
  // The run begins seven seconds after noon: 800 within it, the rest at midnight.
  expectFull(
    await run((settings) => hubspot({ ...settings, perDay: 800 }), standIn(800), calls),
    12 * 3_600_000 - 7_000,
  );
});
