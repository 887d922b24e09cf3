import { jira } from 'nestjs-sluice/providers';
import { jira as standIn } from '../../src/catalogue/jira.js';
import { expectFull, only, run, times } from './run.fixture.js';

const of = (tenant: string, issue?: string) => ({
  headers: { authorization: `Bearer ${tenant}` },
  sluice: { partition: { tenant, ...(issue === undefined ? {} : { issue }) } },
});
const API = '/rest/api/3';
const read = (tenant: string, issue: string) => ({ method: 'GET', url: `${API}/issue/${issue}`, ...of(tenant) });
const search = (tenant: string, after: number, most?: number) => ({
  method: 'GET',
  url: `${API}/search/jql?nextPageToken=${after}${most === undefined ? '' : `&maxResults=${most}`}`,
  ...of(tenant),
});
const create = (tenant: string) => ({ method: 'POST', url: `${API}/issue`, data: {}, ...of(tenant) });
const edit = (tenant: string, issue: string) => ({
  method: 'PUT',
  url: `${API}/issue/${issue}`,
  data: {},
  ...of(tenant, issue),
});
const comment = (tenant: string, issue: string) => ({
  method: 'POST',
  url: `${API}/issue/${issue}/comment`,
  data: {},
  ...of(tenant, issue),
});

test('Jira: reads, searches, new issues and changes of two tenants, each endpoint by its own second', async () => {
  const seconds = 4;
  const calls = ['anna', 'ben'].flatMap((tenant) => [
    ...times(150 * (seconds + 1), (i) => read(tenant, `A-${i}`)),
    ...times(100 * (seconds + 1), (i) => search(tenant, i, 5)),
    ...times(100 * (seconds + 1), () => create(tenant)),
    ...times(50 * (seconds + 1), (i) => edit(tenant, `B-${i}`)),
  ]);
  const all = await run((settings) => jira(settings), standIn(), calls);
  expectFull(all, seconds * 1_000);
  for (const [method, path] of [
    ['GET', /\/issue\//],
    ['GET', /\/search\//],
    ['POST', /\/issue$/],
    ['PUT', /\/issue\//],
  ] as const) {
    const endpoint = (tenant: string) =>
      only(
        all,
        (arrival) =>
          arrival.method === method &&
          path.test(arrival.path) &&
          arrival.headers['authorization'] === `Bearer ${tenant}`,
      );
    for (const tenant of ['anna', 'ben']) expectFull(endpoint(tenant), seconds * 1_000);
  }
});

test('Jira: comments on one issue, twenty in two seconds and a hundred in thirty, beside those on others and reads of it', async () => {
  const calls = [
    ...times(250, () => comment('anna', 'A-1')),
    ...times(150, (i) => comment('anna', `B-${i % 10}`)),
    ...times(300, () => read('anna', 'A-1')),
  ];
  const all = await run((settings) => jira(settings), standIn(), calls);
  // A hundred in the first eight seconds, a hundred from the thirtieth on, fifty from the sixtieth: twenty, twenty and ten.
  expectFull(all, 64_000);
  expectFull(
    only(all, ({ path }) => path.includes('/A-1/')),
    64_000,
  );
});

test('Jira: six thousand points an hour, spent by searches whose pages are half full, reads and writes', async () => {
  const calls = times(100, (i) => [
    ...times(6, (j) => search('anna', i * 6 + j)),
    ...times(5, (j) => read('anna', `A-${i * 5 + j}`)),
    ...times(4, () => create('anna')),
  ]).flat();
  const make = { pointsPerHour: 6_000 };
  // 600 x 31 + 500 x 2 + 400 = 20,000 points: from 12:00:07 three times six thousand, the rest at 15:00.
  expectFull(
    await run((settings) => jira({ ...settings, ...make }), standIn({ ...make, found: 30 }), calls),
    3 * 3_600_000 - 7_000,
  );
});

test('Jira: twenty changes of each of thirty issues, whose endpoint takes fifty a second', async () => {
  const calls = times(600, (i) => edit('anna', `A-${i % 30}`));
  expectFull(await run((settings) => jira(settings), standIn(), calls), 11_000);
});
