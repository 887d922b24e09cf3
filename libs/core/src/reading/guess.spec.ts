import type { HeaderBag } from '../model/outcome.js';
import type { ReadingOptions } from './options.js';
import { readWith } from './read-answer.js';

const NOW = new Date('2026-03-10T12:00:00Z');
const EPOCH = String(NOW.getTime() / 1000 + 60);
const read = (headers: HeaderBag, options?: ReadingOptions, status = 429) =>
  readWith(options, { status, headers, receivedAt: NOW });
const left = (reset: string, family = 'X-RateLimit') => ({ [`${family}-Remaining`]: '0', [`${family}-Reset`]: reset });

test.each([
  ['seconds from now', '60', 'seconds from now, by its size'],
  ['seconds since 1970', EPOCH, 'seconds since 1970, by its size'],
  ['milliseconds since 1970', `${EPOCH}000`, 'milliseconds since 1970, by its size'],
  ['a date without a zone', '2026-03-10T12:01:00', 'a date in UTC, as it names no zone'],
])('a reset of a family without a standard is guessed to be %s, and the wait with it', (_what, reset, taken) => {
  for (const family of ['X-RateLimit', 'X-Rate-Limit']) {
    const guess = { about: `how ${family.toLowerCase()}-reset is written`, taken };
    const reading = read(left(reset, family));
    expect(reading).toMatchObject({ waitMs: 60_000, waitGuess: guess, resetGuess: guess });
    const served = read(left(reset, family), undefined, 200);
    expect(served).toMatchObject({ resetGuess: guess });
  }
});

test.each([
  ['Retry-After in seconds', { 'Retry-After': '60' }],
  ['Retry-After with an HTTP date', { 'Retry-After': 'Tue, 10 Mar 2026 12:01:00 GMT' }],
  ['Retry-After with a date that names its zone', { 'Retry-After': '2026-03-10T14:01:00+02:00' }],
  ['the three fields of the IETF', left('60', 'RateLimit')],
  ['the dictionary of the IETF', { RateLimit: 'limit=10, remaining=0, reset=60' }],
  ['the list of the IETF', { RateLimit: '"default";r=0;t=60' }],
  ['a date in any family', left('Tue, 10 Mar 2026 12:01:00 GMT')],
  ['an ISO date with a zone', left('2026-03-10T12:01:00Z')],
  ['a duration', left('1m0s')],
])('%s is no guess', (_what, headers) => {
  const reading = read(headers);
  expect(reading.waitMs).toBe(60_000);
  expect(reading).not.toHaveProperty('waitGuess');
  expect(reading).not.toHaveProperty('resetGuess');
});

test('a moment where the standard has seconds is a guess', () => {
  expect(read(left(EPOCH, 'RateLimit')).waitGuess?.taken).toBe('seconds since 1970, by its size');
  const after = read({ 'Retry-After': EPOCH });
  expect(after).toMatchObject({ waitMs: 60_000, waitGuess: { about: 'how retry-after is written' } });
});

test('a unit where the standard has none is a guess', () => {
  for (const headers of [{ 'Retry-After': '60s' }, left('1m', 'RateLimit')]) {
    expect(read(headers)).toMatchObject({ waitMs: 60_000, waitGuess: { taken: 'a duration, as it names its units' } });
  }
});

test('a wait of more than an hour is told with the place that it stands in', () => {
  const body = { waits: [{ from: { body: 'wait_ms' }, as: 'milliseconds' as const }] };
  const answer = { status: 429, headers: {}, receivedAt: NOW };
  expect(read({ 'Retry-After': '3601' }).waitFrom).toBe('retry-after');
  expect(read({ RateLimit: '"default";r=0;t=3601' }).waitFrom).toBe('ratelimit');
  expect(read(left('Tue, 10 Mar 2026 14:01:00 GMT')).waitFrom).toBe('x-ratelimit-reset');
  expect(readWith(body, { ...answer, body: { wait_ms: 3_600_001 } }).waitFrom).toBe('wait_ms of the body');
  expect(read({ 'Retry-After': '3600' })).not.toHaveProperty('waitFrom');
});

test('a wait that is told is no guess though the reset beside it is one', () => {
  const reading = read({ 'Retry-After': '5', ...left('3600') });
  expect(reading).toMatchObject({ waitMs: 5000, resetGuess: { about: 'how x-ratelimit-reset is written' } });
  expect(reading).not.toHaveProperty('waitGuess');
});

test('what the contract names is no guess, whatever its form', () => {
  const options: ReadingOptions = {
    waits: ['retry-after'],
    windows: [{ remaining: 'x-ratelimit-remaining', reset: 'x-ratelimit-reset' }],
  };
  for (const headers of [left('60'), { 'Retry-After': EPOCH }]) {
    expect(read(headers, options).waitMs).toBe(60_000);
    expect(read(headers, options)).not.toHaveProperty('waitGuess');
  }
});

test('a 403 is guessed to be a refusal by its structure, unless the contract says so', () => {
  for (const headers of [{ 'Retry-After': '60' }, left('60')]) {
    expect(read(headers, undefined, 403)).toMatchObject({
      limited: true,
      meaningGuess: { taken: 'a refusal for a limit' },
    });
    const rules = [{ when: { status: 403 }, limited: true }];
    expect(read(headers, { rules }, 403)).not.toHaveProperty('meaningGuess');
  }
  expect(read({}, undefined, 403)).not.toHaveProperty('meaningGuess');
});
