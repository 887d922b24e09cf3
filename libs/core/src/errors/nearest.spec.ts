import { didYouMean } from './nearest.js';

const known = ['plan', 'perSecond', 'perMinute', 'limits', 'api'];

test.each([
  ['letters swapped', 'plna', 'plan'],
  ['a letter missing', 'perMinut', 'perMinute'],
  ['a letter too many', 'limmits', 'limits'],
  ['another case', 'persecond', 'perSecond'],
  ['two letters wrong of nine', 'perSekund', 'perSecond'],
])('a name with %s is taken for the one that is near', (_what, name, meant) => {
  expect(didYouMean(name, known)).toBe(` (did you mean ${meant}?)`);
});

test('what is near to none is not guessed at, however long it is', () => {
  expect(['tier', 'x', '', 'a'.repeat(100_000)].map((name) => didYouMean(name, known))).toEqual(['', '', '', '']);
  expect(didYouMean('plan', [])).toBe('');
});
