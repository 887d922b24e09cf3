import { readFileSync } from 'node:fs';
import type { Reading } from './reading.js';
import { readWith } from './read-answer.js';

const rows = readFileSync('test/cases/headers.generic.jsonl', 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line));

describe('the generic reading', () => {
  it('has 74 rows to read', () => {
    expect(rows).toHaveLength(74);
  });

  it.each(rows.map((row) => [row.case, row]))('reads %s as its row says', (_name, row) => {
    const reading = readWith(undefined, {
      status: row.status,
      headers: row.headers,
      body: row.body,
      receivedAt: new Date(row.now),
    });
    expect(JSON.parse(JSON.stringify(reading))).toMatchObject(row.expect);
    if (row.expect.window === undefined) expect((reading as Reading).window).toBeUndefined();
    expect(reading.overflow).toBe(row.expect.overflow);
  });
});
