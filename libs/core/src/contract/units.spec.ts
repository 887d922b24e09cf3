import { tokenBucket } from './builders.js';
import { defineProvider } from './define-provider.js';
import type { AnswerView, ProviderOptions, RequestView } from './options.js';
import { trueUnitsOf, unitsOf } from './units.js';

const request: RequestView = { method: 'GET', path: '/', query: {}, headers: {}, body: undefined, route: null };
const answer: AnswerView = { status: 200, headers: {}, body: {}, request };

function contract(options: Partial<ProviderOptions> = {}) {
  const bucket = { burst: 5_000, limit: 5_000, per: '1m' } as const;
  return defineProvider({
    name: 'llm',
    limits: [tokenBucket(bucket), tokenBucket({ ...bucket, name: 'tokens', unit: 'tokens' })],
    defaultUnits: { tokens: 500 },
    ...options,
  }).resolved;
}

function reports() {
  const seen: { source: string; message: string }[] = [];
  const report = (source: string, error: unknown): void => {
    seen.push({ source, message: String(error) });
  };
  return { seen, report };
}

describe('the cost before the send', () => {
  test('is the default of every unit that a limit counts', () => {
    expect(unitsOf(contract(), request, undefined, reports().report)).toEqual({ requests: 1, tokens: 500 });
  });

  test("is the contract's own object where nobody tells one: the gate knows it without a look at its units", () => {
    const llm = contract();
    expect(unitsOf(llm, request, undefined, reports().report)).toBe(llm.defaultUnits);
  });

  test('is what `units` says; a unit it leaves out costs the default', () => {
    const llm = contract({ units: () => ({ requests: 3 }) });
    expect(unitsOf(llm, request, undefined, reports().report)).toEqual({ requests: 3, tokens: 500 });
  });

  test('is what the request says, before all', () => {
    const llm = contract({ units: () => ({ requests: 3, tokens: 7 }) });
    expect(unitsOf(llm, request, { tokens: 1_200 }, reports().report)).toEqual({ requests: 3, tokens: 1_200 });
  });

  test('can be 0 where that is said, and is never 0 where nothing is', () => {
    expect(unitsOf(contract(), request, { tokens: 0 }, reports().report)).toEqual({ requests: 1, tokens: 0 });
    expect(unitsOf(contract({ units: () => ({}) }), request, undefined, reports().report)).toEqual({
      requests: 1,
      tokens: 500,
    });
  });

  const senseless: readonly [string, () => unknown][] = [
    [
      'throws',
      () => {
        throw new Error('no');
      },
    ],
    ['gives nothing', () => undefined],
    ['gives null', () => null],
    ['gives a number', () => 3],
    ['gives NaN', () => ({ requests: 2, tokens: Number.NaN })],
    ['gives a negative figure', () => ({ requests: 2, tokens: -1 })],
    ['gives an infinite figure', () => ({ requests: 2, tokens: Infinity })],
    ['gives a text', () => ({ requests: 2, tokens: '7' })],
    ['gives a promise', () => Promise.resolve({ tokens: 1 })],
    ['gives a promise that fails', () => Promise.reject(new Error('late'))],
  ];
  test.each(senseless)(
    'law 13: a `units` that %s never breaks the call: it is reported and the default stands',
    (_, units) => {
      const { seen, report } = reports();
      const llm = contract({ units: units as ProviderOptions['units'] & {} });
      expect(unitsOf(llm, request, undefined, report)).toEqual({ requests: 1, tokens: 500 });
      expect(seen).toEqual([{ source: 'units', message: expect.stringContaining('Error') }]);
    },
  );

  test('a senseless figure of one request is reported, and the contract’s stands', () => {
    const { seen, report } = reports();
    const llm = contract({ units: () => ({ tokens: 7 }) });
    expect(unitsOf(llm, request, { tokens: Number.NaN }, report)).toEqual({ requests: 1, tokens: 7 });
    expect(seen).toEqual([{ source: 'request', message: expect.stringContaining('"tokens" is NaN') }]);
  });

  test('a unit that no limit counts is reported: it may be a slip of the pen', () => {
    const { seen, report } = reports();
    expect(unitsOf(contract(), request, { token: 1_200, requests: 2 }, report)).toEqual({ requests: 2, tokens: 500 });
    expect(seen).toEqual([
      {
        source: 'request',
        message: expect.stringContaining('it names "token", which no limit counts: they count requests, tokens'),
      },
    ]);
  });

  test('such a unit is reported once for each contract, not once for each call', () => {
    const { seen, report } = reports();
    const llm = contract({ units: () => ({ tokns: 7 }) });
    for (let i = 0; i < 3; i += 1) unitsOf(llm, request, { token: 1 }, report);
    unitsOf(llm, request, { token: 1, toks: 1 }, report);
    unitsOf(contract(), request, { token: 1 }, report);
    const told = seen.map(({ source, message }) => `${source}: ${message.replace(/^.*it names "|", which .*$/g, '')}`);
    expect(told).toEqual(['units: tokns', 'request: token', 'request: toks', 'request: token']);
  });

  test('names that come from data are not remembered without end', () => {
    const { seen, report } = reports();
    const llm = contract();
    for (let i = 0; i < 500; i += 1) unitsOf(llm, request, { [`unit-${i}`]: 1 }, report);
    expect(seen).toHaveLength(100);
  });

  test('requests may always be named, counted or not', () => {
    const { seen, report } = reports();
    const none = defineProvider({ name: 'crm', limits: [], units: () => ({ requests: 1 }) }).resolved;
    expect(unitsOf(none, request, undefined, report)).toEqual({});
    expect(seen).toEqual([]);
  });
});

describe('the true cost', () => {
  const charged = { requests: 1, tokens: 500 };

  test('is as charged where the contract does not tell, or has nothing to say of this answer', () => {
    expect(trueUnitsOf(contract(), answer, charged, reports().report)).toBeNull();
    expect(trueUnitsOf(contract({ settleUnits: () => undefined }), answer, charged, reports().report)).toBeNull();
  });

  test('is what `settleUnits` reads; the rest stays as charged', () => {
    const llm = contract({ settleUnits: () => ({ tokens: 321 }) });
    expect(trueUnitsOf(llm, answer, charged, reports().report)).toEqual({ requests: 1, tokens: 321 });
  });

  test('law 13: a `settleUnits` that throws or makes no sense is reported, and the charge stays', () => {
    const { seen, report } = reports();
    const throwing = contract({
      settleUnits: () => {
        throw new Error('no usage field');
      },
    });
    expect(trueUnitsOf(throwing, answer, charged, report)).toBeNull();
    expect(trueUnitsOf(contract({ settleUnits: () => ({ tokens: -5 }) }), answer, charged, report)).toBeNull();
    expect(seen.map(({ source }) => source)).toEqual(['settleUnits', 'settleUnits']);
  });
});
