import { oddAnswersFault } from '../reading/odd-answers-run.js';

const ANSWERS = 1_000_000;
const MEGABYTE = 1_048_576;

test('law 13: 1,000,000 odd answers are read by the catalogue and by the generic contract without a throw, a NaN, a negative or a wait past the cap, each in 2 ms', () => {
  // Another seed each time; a failure names it. `SLUICE_SEED=<number>` repeats one.
  const seed = Number(process.env['SLUICE_SEED']) || Date.now() % 2 ** 31;
  expect(oddAnswersFault({ seed, answers: ANSWERS, longest: MEGABYTE, withinMs: 2 })).toBeNull();
}, 1_800_000);
