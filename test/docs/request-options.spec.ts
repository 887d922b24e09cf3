import { readFileSync } from 'node:fs';
import type { CallOptions } from '../../libs/core/src/pipeline/call.js';
import { Harness } from '../../libs/core/src/pipeline/harness.fixture.js';

test('the guide lists every option of a request, and no other', () => {
  const [, table = ''] = readFileSync('docs/guides/nest.md', 'utf8').split('| option of a request |');
  const listed = [...(table.split('\n\n')[0] ?? '').matchAll(/^\| `(\w+)` \|/gm)].map(([, option]) => option);
  let message = '';
  try {
    new Harness({ script: '200' }).call('GET', { sluice: { lanes: 'interactive' } as CallOptions });
  } catch (error) {
    ({ message } = error as Error);
  }
  const known = /one of (.*), as `sluice`/.exec(message)?.[1]?.split(', ') ?? [];
  expect(known.length).toBeGreaterThan(5);
  // The body is a matter of Axios.
  expect([...listed].sort()).toEqual([...known, 'body'].sort());
});
