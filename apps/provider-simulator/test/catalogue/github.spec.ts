import { github } from 'nestjs-sluice/providers';
import { github as standIn } from '../../src/catalogue/github.js';
import { expectFull, run, times } from './run.fixture.js';

const account = (name: string) => ({
  headers: { authorization: `Bearer ${name}` },
  sluice: { partition: { account: name } },
});

test('GitHub: reads and writes of two accounts, each within its 900 points a minute and its hundred at once', async () => {
  const calls = ['anna', 'ben'].flatMap((name) =>
    times(1_500, (i) => ({
      method: i % 5 === 0 ? 'PATCH' : 'GET',
      url: `/repos/o/r/issues/${i}`,
      ...account(name),
    })),
  );
  // 1,200 + 300 x 5 = 2,700 points are three minutes to the point; the last of them come in the third.
  expectFull(await run((settings) => github(settings), standIn(), calls), 2 * 60_000);
});

test('GitHub: new issues, eighty a minute, beside reads', async () => {
  const calls = [
    ...times(300, () => ({ method: 'POST', url: '/repos/o/r/issues', ...account('anna') })),
    ...times(200, (i) => ({ method: 'GET', url: `/repos/o/r/issues/${i}`, ...account('anna') })),
  ];
  // 80 at once, 80 more after each minute.
  expectFull(await run((settings) => github(settings), standIn(), calls), 3 * 60_000);
});

test('GitHub: the thousand an hour of a workflow, hour after hour', async () => {
  const calls = times(2_600, (i) => ({ method: 'GET', url: `/repos/o/r/commits/${i}`, ...account('workflow') }));
  // 900 at once, the last hundred of the hour a minute later; so again each hour, and 600 at the beginning of the third.
  expectFull(
    await run((settings) => github({ ...settings, account: 'actions' }), standIn(1_000), calls),
    2 * 3_600_000,
  );
});
