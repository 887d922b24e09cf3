import { isSluiceError } from '../errors/sluice-error.js';
import type { Duration } from './options.js';
import { durationMs, parseDuration } from './durations.js';

test.each([
  [0, 0],
  [250.5, 250.5],
  ['500ms', 500],
  ['5s', 5_000],
  ['1.5s', 1_500],
  ['1m', 60_000],
  ['36h', 129_600_000],
  ['7d', 604_800_000],
  ['2w', 1_209_600_000],
] as const)('%p is %p ms', (value, expected) => {
  expect(parseDuration(value, 'deadline')).toBe(expected);
});

test.each([
  '',
  '5',
  '5 s',
  '-1s',
  '1y',
  '1 minute',
  's',
  '1s2',
  'NaNs',
  '1e3s',
  '9999999d',
  Number.NaN,
  -1,
  Infinity,
  null,
  undefined,
  {},
  1n,
])('%p is no duration', (value) => {
  expect(durationMs(value)).toBeNull();
  expect(() => parseDuration(value as Duration, 'deadline', 'crm')).toThrow(
    /Provider "crm": deadline is .*; expected milliseconds/,
  );
});

test('the error is a CONFIG error', () => {
  try {
    parseDuration('soon' as Duration, 'deadline');
  } catch (error) {
    expect(isSluiceError(error, 'CONFIG')).toBe(true);
    return;
  }
  throw new Error('It did not throw.');
});
