import { slidingWindow, tokenBucket } from '../contract/builders.js';
import { defineProvider } from '../contract/define-provider.js';
import type { AnswerView } from '../contract/options.js';
import type { HeaderBag } from '../model/outcome.js';
import { judge } from './judge.js';

const crm = defineProvider({
  name: 'crm',
  routes: { search: 'GET /search' },
  limits: [
    slidingWindow({ name: 'all', limit: 100, per: '1m' }),
    slidingWindow({ name: 'search', limit: 5, per: '1m', routes: ['search'] }),
  ],
  reading: { scopes: { all: 'all', search: 'search' } },
});

function settlement(status: number, headers: HeaderBag, route: string | null = null) {
  const view = { method: 'GET', path: '/search', query: {}, headers: {}, body: undefined, route };
  const result = { type: 'answered', status, headers, body: undefined, value: undefined } as const;
  const report = { guess: () => undefined, hookFailed: () => undefined };
  return judge(crm, { view, safety: 'safe', units: { requests: 1 } }, { result, cut: null }, 0, report).settlement;
}

describe('what an answer tells the gate', () => {
  it('holds the figures of every limit that the contract maps, also where nothing was refused', () => {
    const { seen, refusal } = settlement(
      200,
      { RateLimit: '"all";r=3;t=20, "search";r=0;t=9, "other";r=0;t=5' },
      'search',
    );
    expect(refusal).toBeNull();
    expect(seen).toEqual([
      { limitName: 'all', remaining: 3, resetInMs: 20_000 },
      { limitName: 'search', remaining: 0, resetInMs: 9000 },
    ]);
  });

  it('names the limit that refused, unless it is that of another route', () => {
    const headers = { RateLimit: '"search";r=0;t=9' };
    expect(settlement(429, headers, 'search').refusal).toEqual({ limitName: 'search', waitMs: 9000 });
    expect(settlement(429, headers).refusal).toEqual({ limitName: null, waitMs: 9000 });
  });
});

describe('the true cost of a request', () => {
  const shop = defineProvider({
    name: 'shop',
    limits: [tokenBucket({ unit: 'points', burst: 1000, limit: 50, per: '1s' })],
    defaultUnits: { points: 10 },
    reading: { cost: { body: 'cost.actual' }, costUnit: 'points' },
  });
  const cost = (status: number, body: unknown) => {
    const view = { method: 'POST', path: '/graphql', query: {}, headers: {}, body: undefined, route: null };
    const result = { type: 'answered', status, headers: {}, body, value: undefined } as const;
    const report = { guess: () => undefined, hookFailed: () => undefined };
    const request = { view, safety: 'safe', units: { points: 10 } } as const;
    return judge(shop, request, { result, cut: null }, 0, report).settlement.trueUnits;
  };

  it('is what the answer says in its body, and as charged where it says nothing or refuses', () => {
    expect(cost(200, { cost: { actual: 42.5 } })).toEqual({ points: 42.5 });
    expect(cost(200, { cost: { actual: null } })).toBeNull();
    expect(cost(200, { cost: { actual: -1 } })).toBeNull();
    expect(cost(429, { cost: { actual: 42 } })).toBeNull();
  });
});

const body = JSON.stringify({ cost: 7, pad: 'x'.repeat(10_000) });

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
    const view = { method: 'GET', path: '/', query: {}, headers: {}, body: undefined, route: null };
    const report = { guess: () => undefined, hookFailed: () => undefined };
    const result = { type: 'answered', status: 200, headers: { 'x-cost': '3' }, body, value: undefined } as const;
    const of = { view, safety: 'safe', units: { requests: 1 } } as const;
    const { settlement } = judge(contract, of, { result, cut: null }, 0, report);
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
