import { readFileSync } from 'node:fs';
import { PROVIDERS } from './providers.fixture.js';
import { readWith } from './read-answer.js';

const rows = readFileSync('test/cases/headers.providers.jsonl', 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line));

describe('a provider described as data', () => {
  it('has 106 rows to read', () => {
    expect(rows).toHaveLength(106);
  });

  it.each(rows.map((row) => [`${row.provider}: ${row.case}`, row]))('reads %s as its row says', (_name, row) => {
    const reading = readWith(PROVIDERS[row.profile], {
      status: row.status,
      headers: row.headers,
      body: row.body,
      receivedAt: new Date(row.now),
    });
    expect(PROVIDERS).toHaveProperty([row.profile]);
    expect(JSON.parse(JSON.stringify(reading))).toMatchObject(row.expect);
  });
});
