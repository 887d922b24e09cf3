import type { AnswerMeaning } from './outcome.js';

const MEANINGS: Readonly<Record<AnswerMeaning, true>> = {
  succeeded: true,
  limited: true,
  overloaded: true,
  failed: true,
  locked: true,
  'key-in-use': true,
  unauthorized: true,
  rejected: true,
};

/** Every meaning that a contract may give to an answer. */
export const ANSWER_MEANINGS = Object.keys(MEANINGS) as readonly AnswerMeaning[];
