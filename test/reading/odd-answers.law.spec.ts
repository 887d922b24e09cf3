import { oddAnswersFault } from './odd-answers-run.js';

test('law 13: no answer makes a reading fail, by any contract of the catalogue or by none, and no wait is longer than its contract allows', () => {
  expect(oddAnswersFault({ seed: 7, answers: 2_000, longest: 20_000 })).toBeNull();
});
