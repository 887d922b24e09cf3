import { tokenBucket } from '../contract/builders.js';
import { defineProvider } from '../contract/define-provider.js';
import type { AnswerView } from '../contract/options.js';
import { judge } from './judge.js';

const body = JSON.stringify({ cost: 7, pad: 'x'.repeat(10_000) });
const request = { method: 'GET', path: '/', query: {}, headers: {}, body: undefined, route: null };
const report = { guess: () => undefined, hookFailed: () => undefined };

/** How often a text was parsed while an answer was judged, and what it did cost. */
function judged(settleUnits: (answer: AnswerView) => { requests: number }): readonly unknown[] {
  const limits = [tokenBucket({ burst: 50, limit: 5, per: '1s' })];
  const contract = defineProvider({ name: 'crm', limits, settleUnits });
  const { parse } = JSON;
  let parsed = 0;
  JSON.parse = ((...given: Parameters<typeof parse>): unknown => {
    parsed += 1;
    return parse(...given);
  }) as typeof parse;
  try {
    const result = { type: 'answered', status: 200, headers: { 'x-cost': '3' }, body, value: null } as const;
    const of = { view: request, safety: 'safe', units: { requests: 1 } } as const;
    const { settlement } = judge(contract, of, { result, cut: null } as never, 0, report);
    return [parsed, settlement.trueUnits];
  } finally {
    JSON.parse = parse;
  }
}

test('a body is parsed for settleUnits where it looks at it, once, and for nobody else', () => {
  expect(judged(({ headers }) => ({ requests: Number(headers['x-cost']) }))).toEqual([0, { requests: 3 }]);
  expect(judged((answer) => ({ requests: (answer.body as { cost: number }).cost }))).toEqual([1, { requests: 7 }]);
  const twice = ({ ...answer }: AnswerView): unknown => [answer.body, answer.body];
  expect(judged((answer) => ({ requests: (twice(answer) as object[]).length }))).toEqual([1, { requests: 2 }]);
});
