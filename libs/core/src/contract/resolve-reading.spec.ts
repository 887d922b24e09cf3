import { isSluiceError } from '../errors/sluice-error.js';
import type { HeaderBag } from '../model/outcome.js';
import type { QuotaHeaderOptions } from '../reading/options.js';
import { readAnswer } from '../reading/read-answer.js';
import { readingToSeen, refusingLimit } from '../reading/seen.js';
import { concurrency, slidingWindow, tokenBucket } from './builders.js';
import { defineProvider } from './define-provider.js';
import type { ProviderOptions } from './options.js';

const NOW = new Date('2026-03-10T12:00:00Z');
const limits = [
  slidingWindow({ name: 'minute', limit: 60, per: '1m' }),
  slidingWindow({ name: 'hour', limit: 1000, per: '1h' }),
  tokenBucket({ name: 'tokens', unit: 'tokens', burst: 100, limit: 100, per: '1m' }),
  concurrency({ name: 'permits', limit: 4 }),
];

function heard(options: Partial<ProviderOptions>, headers: HeaderBag, status = 200) {
  const contract = defineProvider({ name: 'crm', limits, ...options });
  const reading = readAnswer(contract, { status, headers, receivedAt: NOW });
  const { resolved } = contract;
  return { reading, seen: readingToSeen(resolved, reading), refused: refusingLimit(resolved, reading) };
}

const minute: QuotaHeaderOptions = { limit: 'minute', remaining: 'x-minlimit-remaining', reset: 'x-min-reset' };
const epoch = NOW.getTime() / 1000;

test.each<[QuotaHeaderOptions['unit'], string, number]>([
  ['s', '1200000000', 1_200_000_000_000],
  ['ms', '2500', 2500],
  ['epoch-s', String(epoch + 20), 20_000],
  ['epoch-ms', String(epoch * 1000 + 2500), 2500],
  ['date', 'Tue, 10 Mar 2026 12:00:30 GMT', 30_000],
  ['epoch-s', 'Tue, 10 Mar 2026 12:00:30 GMT', 30_000],
  [undefined, '30', 30_000],
  [undefined, String(epoch + 20), 20_000],
  [undefined, String(epoch * 1000 + 2500), 2500],
])('a reset in %s, written %s, is %i ms from now', (unit, reset, resetInMs) => {
  const quotaHeaders = [unit === undefined ? minute : { ...minute, unit }];
  const { seen, reading } = heard({ quotaHeaders }, { 'X-MinLimit-Remaining': '7', 'X-Min-Reset': reset });
  expect(seen).toEqual([{ limitName: 'minute', remaining: 7, resetInMs }]);
  expect(reading).toMatchObject({ scope: 'minute', remaining: 7, limited: false, waitMs: 0 });
});

test('a number is no date where the unit says so: the wait is not known, what is left is', () => {
  const headers = { 'x-minlimit-remaining': '7', 'x-min-reset': '30' };
  const { seen } = heard({ quotaHeaders: [{ ...minute, unit: 'date' }] }, headers);
  expect(seen).toEqual([{ limitName: 'minute', remaining: 7, resetInMs: null }]);
});

test('several headers, one that tells what is used, and one of another unit are each about their own limit', () => {
  const quotaHeaders: QuotaHeaderOptions[] = [
    minute,
    { limit: 'hour', used: 'x-hour-used', limitHeader: 'x-hour-limit' },
    { limit: 'tokens', remaining: 'x-tokens' },
  ];
  const headers = {
    'x-minlimit-remaining': '0',
    'x-min-reset': '9',
    'x-hour-used': '400',
    'x-hour-limit': '1000',
    'x-tokens': '55',
  };
  const { seen, refused, reading } = heard({ quotaHeaders }, headers, 429);
  expect(seen).toEqual([
    { limitName: 'minute', remaining: 0, resetInMs: 9000 },
    { limitName: 'hour', remaining: 600, resetInMs: null },
    { limitName: 'tokens', remaining: 55, resetInMs: null },
  ]);
  expect(refused).toBe('minute');
  expect(reading).toMatchObject({ limited: true, waitMs: 9000 });
  expect(reading.parts).toContainEqual(expect.objectContaining({ scope: 'tokens', unit: 'tokens', remaining: 55 }));
});

test('they stand beside the windows and scopes of `reading`, and in place of the generic fields', () => {
  const reading = { windows: [{ scope: 'h', remaining: 'x-hour-left' }], scopes: { h: 'hour' } };
  const headers = { 'x-minlimit-remaining': '7', 'x-hour-left': '50', 'X-RateLimit-Remaining': '3' };
  expect(heard({ quotaHeaders: [minute], reading }, headers).seen).toEqual([
    { limitName: 'minute', remaining: 7, resetInMs: null },
    { limitName: 'hour', remaining: 50, resetInMs: null },
  ]);
  const twice = { windows: [{ scope: 'm', remaining: 'x-left' }], scopes: { m: 'minute' } };
  const contradiction = { 'x-minlimit-remaining': '7', 'x-left': '5' };
  expect(heard({ quotaHeaders: [minute], reading: twice }, contradiction).seen).toEqual([]);
});

function refusal(options: Partial<Record<keyof ProviderOptions, unknown>>): string {
  try {
    defineProvider({ name: 'crm', limits, ...options } as ProviderOptions);
  } catch (error) {
    expect(isSluiceError(error, 'CONFIG')).toBe(true);
    return (error as Error).message;
  }
  throw new Error('The contract was accepted.');
}

test.each<[string, Partial<Record<keyof ProviderOptions, unknown>>, string]>([
  [
    'a limit that is not there',
    { quotaHeaders: [{ ...minute, limit: 'minut' }] },
    'quotaHeaders[0].limit is "minut"; expected one of the limits over time: minute, hour, tokens.',
  ],
  [
    'permits, which no header can correct',
    { quotaHeaders: [{ ...minute, limit: 'permits' }] },
    'quotaHeaders[0].limit is "permits"',
  ],
  ['a limit twice', { quotaHeaders: [minute, minute] }, 'quotaHeaders[1].limit is "minute" twice'],
  [
    'a name that means another limit already',
    { quotaHeaders: [minute], reading: { scopes: { minute: 'hour' } } },
    'quotaHeaders[0].limit is "minute"; expected a name that reading.scopes does not give to "hour".',
  ],
  [
    'no header at all',
    { quotaHeaders: [{ limit: 'minute' }] },
    'quotaHeaders[0] is without a header; expected remaining, used or reset.',
  ],
  [
    'what is used without the limit',
    { quotaHeaders: [{ limit: 'minute', used: 'x-used' }] },
    'quotaHeaders[0].limitHeader',
  ],
  [
    'what is used beside what is left',
    { quotaHeaders: [{ ...minute, used: 'x-used', limitHeader: 'x-limit' }] },
    'quotaHeaders[0].used',
  ],
  [
    'an unknown unit',
    { quotaHeaders: [{ ...minute, unit: 'min' }] },
    'quotaHeaders[0].unit is "min"; expected "s" or "ms" or "epoch-s" or "epoch-ms" or "date".',
  ],
  [
    'a unit of nothing',
    { quotaHeaders: [{ limit: 'minute', remaining: 'x-left', unit: 's' }] },
    'quotaHeaders[0].unit is "s"; expected a reset that is written in it.',
  ],
  ['no name of a header', { quotaHeaders: [{ limit: 'minute', remaining: 'x left' }] }, 'quotaHeaders[0].remaining'],
  ['a slip of the pen', { quotaHeaders: [{ ...minute, resets: 'x' }] }, 'quotaHeaders[0].resets is not an option'],
  ['one that is not in a list', { quotaHeaders: minute }, 'quotaHeaders is'],
  [
    'a status that is none',
    { statuses: { 42: 'limited' } },
    'a name in statuses is "42"; expected a status from 100 to 599.',
  ],
  ['one that is out of range', { statuses: { 600: 'limited' } }, 'a name in statuses is "600"'],
  ['a meaning that is none', { statuses: { 403: 'limit' } }, 'statuses.403 is "limit"; expected "succeeded" or'],
  ['a classify that is no function', { classify: 'limited' }, 'classify is "limited"; expected a function.'],
  ['a meaning that is none in a rule', { reading: { rules: [{ when: {}, means: 'ok' }] } }, 'reading.rules[0].means'],
  [
    'a meaning beside what it says already',
    { reading: { rules: [{ when: { status: 403 }, means: 'limited', retryable: false }] } },
    'reading.rules[0].means is "limited"; expected not to be given together with limited or retryable',
  ],
])('%s is refused', (_what, options, message) => {
  expect(refusal(options)).toContain(message);
});
