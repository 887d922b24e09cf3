import { SeededRandom } from '../../libs/testing/src/index.js';
import { OddAnswers } from './odd-answers.js';
import { contractsRead, oddAnswersFault, textFault } from './odd-answers-run.js';

test('law 13: no answer makes a reading fail, by any contract of the catalogue or by none, and no wait is longer than its contract allows', () => {
  expect(oddAnswersFault({ seed: 7, answers: 2_000, longest: 20_000 })).toBeNull();
});

test('by any contract of the catalogue a body is read the same as a text and as an object', () => {
  const random = new SeededRandom(11);
  const odd = new OddAnswers(() => random.next(), 20_000);
  const contracts = contractsRead();
  for (let n = 0; n < 5_000; n += 1) expect(textFault(contracts[n % contracts.length]!, odd.next())).toBeNull();
});
