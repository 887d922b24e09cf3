import { readFileSync } from 'node:fs';
import { defineProvider } from '../contract/define-provider.js';
import { tokenBucket } from '../contract/builders.js';
import type { ReadingOptions } from './options.js';
import { readAnswer } from './read-answer.js';

const guide = readFileSync('docs/guides/reading.md', 'utf8');
const EXAMPLE = /<!-- reading: (\d+) (\{.*?\}) (\{.*?\}) -> waitMs (\d+) -->\s+```js\n([^`]*(?:`[^`]+`[^`]*)*?)```/g;
const examples = [...guide.matchAll(EXAMPLE)];

describe('the guide to readings', () => {
  it('has five examples', () => {
    expect(examples).toHaveLength(5);
    expect(guide.match(/```js/g)).toHaveLength(5);
  });

  it.each(examples.map((example) => example.slice(1)))(
    'reads a %s with %s and %s as it says',
    (status, headers, body, waitMs, code) => {
      const reading = new Function(`return ${code}`)() as ReadingOptions;
      const limits = [tokenBucket({ name: 'bucket', burst: 40, limit: 2, per: '1s' })];
      const contract = defineProvider({ name: 'shop', limits, reading });
      const answer = { status: Number(status), headers: JSON.parse(headers!), body: JSON.parse(body!) };
      expect(readAnswer(contract, { ...answer, receivedAt: new Date(0) }).waitMs).toBe(Number(waitMs));
    },
  );

  it('names every part of `reading`', () => {
    const parts: Readonly<Record<keyof Required<ReadingOptions>, true>> = {
      scopes: true,
      waits: true,
      pickWait: true,
      windows: true,
      fields: true,
      rules: true,
      cost: true,
      costUnit: true,
      nearLimit: true,
      batch: true,
    };
    for (const part of Object.keys(parts)) expect(guide).toContain(`\`${part}\``);
  });
});
