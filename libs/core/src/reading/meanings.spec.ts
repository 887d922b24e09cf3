import { jest } from '@jest/globals';
import { slidingWindow } from '../contract/builders.js';
import { defineProvider } from '../contract/define-provider.js';
import type { ProviderOptions } from '../contract/options.js';
import type { AnswerMeaning } from '../model/outcome.js';
import { refusingLimit } from './seen.js';
import { readAnswer } from './read-answer.js';
import type { Answer } from './reading.js';

const limits = [slidingWindow({ name: 'minute', limit: 60, per: '1m' })];
const NOW = new Date('2026-03-10T12:00:00Z');

function setup(options: Partial<ProviderOptions>) {
  const contract = defineProvider({ name: 'crm', limits, ...options });
  const failures: unknown[] = [];
  const read = (status: number, rest: Partial<Answer> = {}) =>
    readAnswer(contract, { status, headers: {}, receivedAt: NOW, ...rest }, (error) => failures.push(error));
  return { contract, failures, read };
}

const told = { headers: { 'Retry-After': '7' } };

test.each<[AnswerMeaning, number, object]>([
  ['succeeded', 409, { limited: false, retryable: true, kind: 'none', waitMs: 0 }],
  ['succeeded', 429, { limited: false, retryable: true, kind: 'none', waitMs: 0 }],
  ['limited', 420, { limited: true, retryable: true, kind: 'unknown', waitMs: null }],
  ['overloaded', 503, { limited: false, retryable: true, kind: 'overload', waitMs: null }],
  ['failed', 409, { limited: false, retryable: true, kind: 'none', waitMs: null }],
  ['failed', 503, { limited: false, retryable: true, kind: 'overload', waitMs: null }],
  ['failed', 200, { limited: false, retryable: true, kind: 'none', waitMs: null }],
  ['locked', 423, { limited: false, retryable: true, kind: 'lock', waitMs: null }],
  ['key-in-use', 409, { limited: false, retryable: true, kind: 'lock', waitMs: null }],
  ['unauthorized', 403, { limited: false, retryable: false, kind: 'auth', waitMs: null }],
  ['rejected', 429, { limited: false, retryable: false, kind: 'none', waitMs: null }],
  ['rejected', 403, { limited: false, retryable: false, kind: 'permission', waitMs: null }],
])('`%s` for a %i is the same by statuses, rules and classify', (means, status, expected) => {
  const ways: Partial<ProviderOptions>[] = [
    { statuses: { [status]: means } },
    { reading: { rules: [{ when: { status }, means }] } },
    { classify: (answer) => (answer.status === status ? means : undefined) },
    { classify: () => ({ means }) },
  ];
  for (const way of ways) expect(setup(way).read(status)).toMatchObject({ ...expected, means });
});

test('patterns may be texts, which take letters in any case', () => {
  const { read } = setup({
    reading: {
      windows: [
        { used: { header: 'x-calls', pattern: '^used (\\d+)' }, limit: { header: 'x-calls', pattern: 'of (\\d+)$' } },
      ],
      rules: [{ when: { body: { message: { matches: '^rate limit' } } }, means: 'limited' }],
    },
  });
  expect(read(200, { headers: { 'X-Calls': 'Used 7 of 10' } })).toMatchObject({ remaining: 3, limit: 10 });
  expect(read(403, { body: { message: 'Rate limit exceeded' } }).limited).toBe(true);
  expect(read(403, { body: { message: 'no rate limit' } }).limited).toBe(false);
});

test('a wait that is told counts whatever the answer means, but for one that is over', () => {
  const { read } = setup({ statuses: { 420: 'limited', 503: 'overloaded', 409: 'key-in-use', 403: 'rejected' } });
  for (const status of [420, 503, 409]) expect(read(status, told).waitMs).toBe(7000);
  expect(read(403, told)).toMatchObject({ limited: false, waitMs: null });
});

test('statuses that the contract does not name mean what they always do', () => {
  const { read } = setup({ statuses: { 409: 'failed' } });
  expect(read(429)).toMatchObject({ limited: true });
  expect(read(429).means).toBeUndefined();
  expect(read(404)).toMatchObject({ retryable: false });
});

test('what says more comes first: classify, the rules of `reading`, statuses, the generic rules', () => {
  const rules = [{ when: { status: 403, body: { code: 'daily' } }, limited: true, kind: 'quota' }];
  const { read } = setup({
    statuses: { 403: 'rejected' },
    reading: { rules },
    classify: ({ body }) => ((body as { code?: string } | undefined)?.code === 'own' ? 'failed' : undefined),
  });
  expect(read(403, { body: { code: 'own' } }).means).toBe('failed');
  expect(read(403, { body: '{"code":"own"}' }).means).toBe('failed');
  expect(read(403, { body: { code: 'daily' } })).toMatchObject({ limited: true, kind: 'quota' });
  expect(read(403, told)).toMatchObject({ limited: false, means: 'rejected' });
});

test('classify may say no more than a part, and names the limit by a scope', () => {
  const classify = () => ({ limited: true, kind: 'quota', scope: 'm', waitMs: 60_000 });
  const { contract, read } = setup({ classify, reading: { scopes: { m: 'minute' } } });
  expect(read(400)).toMatchObject({ limited: true, kind: 'quota', scope: 'm', waitMs: 60_000 });
  expect(refusingLimit(contract.resolved, read(400))).toBe('minute');
  expect(read(400, told).waitMs).toBe(7000);
});

test('classify sees the request, or one of which nothing is known', () => {
  const seen: unknown[] = [];
  const { read } = setup({ classify: ({ request }) => void seen.push(request.route, request.method) });
  read(200, { request: { method: 'GET', path: '/', query: {}, headers: {}, body: undefined, route: 'search' } });
  read(200);
  expect(seen).toEqual(['search', 'GET', null, '']);
});

test('a body is not parsed for a classify that does not look at it', () => {
  const parse = jest.spyOn(JSON, 'parse');
  const body = JSON.stringify({ pad: 'x'.repeat(1000), code: 'own' });
  const parsed = (): number => parse.mock.calls.filter(([text]) => text === body).length;
  setup({ classify: ({ status }) => (status === 420 ? 'limited' : undefined) }).read(420, { body });
  expect(parsed()).toBe(0);
  setup({ classify: (answer) => void (answer.body === answer.body) }).read(420, { body });
  expect(parsed()).toBe(1);
  parse.mockRestore();
});

test('the answers within a batch are not put to classify', () => {
  const statuses: number[] = [];
  const { read } = setup({
    reading: { batch: { list: 'answers[]', status: 'code' } },
    classify: ({ status }) => void statuses.push(status),
  });
  const reading = read(200, { body: { answers: [{ code: 429 }] } });
  expect(reading.parts).toMatchObject([{ limited: true }]);
  expect(statuses).toEqual([200]);
});

test.each<[string, () => unknown]>([
  [
    'throws',
    () => {
      throw new Error('of the contract');
    },
  ],
  ['gives a promise', async () => 'limited'],
  ['gives a promise that rejects', () => Promise.reject(new Error('late'))],
  ['gives a word that is no meaning', () => 'throttled'],
  ['gives null', () => null],
  ['gives a part that is none', () => ({ limit: 'minute' })],
  ['gives a part of a wrong kind', () => ({ limited: 'yes' })],
  ['gives a wait that is none', () => ({ waitMs: Number.NaN })],
  ['gives a meaning beside what it says already', () => ({ means: 'limited', retryable: false })],
])('law 13: a classify that %s is reported, and the answer is read without it', (_what, classify) => {
  const { read, failures } = setup({ classify: classify as never, statuses: { 420: 'limited' } });
  expect(read(420, told)).toMatchObject({ limited: true, means: 'limited', waitMs: 7000 });
  expect(read(200)).toMatchObject({ limited: false, waitMs: 0 });
  expect(failures).toHaveLength(2);
  expect(failures.every((failure) => failure instanceof Error)).toBe(true);
});
