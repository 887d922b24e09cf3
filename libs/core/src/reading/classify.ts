/** Asks the contract's own function what an answer means. What makes no sense counts as a failure of the function. */
import { quietPromise } from '../errors/quiet-promise.js';
import { ANSWER_MEANINGS } from '../model/meanings.js';
import type { AnswerMeaning } from '../model/outcome.js';
import type { RequestView } from '../model/views.js';
import { answerView } from './answer-view.js';
import type { Classification, ContractReading } from './options.js';
import type { Answer } from './reading.js';

const UNKNOWN_REQUEST: RequestView = { method: '', path: '', query: {}, headers: {}, body: undefined, route: null };

/** What `classify` says, or null where it says nothing. @throws what it throws; TypeError where it gives what is no meaning. */
export function classified(
  classify: NonNullable<ContractReading['classify']>,
  answer: Answer,
  body: () => unknown,
): Classification | null {
  const { status, headers, request = UNKNOWN_REQUEST } = answer;
  const said: unknown = classify(answerView({ status, headers, request }, () => body() ?? answer.body));
  if (said === undefined) return null;
  if (quietPromise(said)) throw new TypeError('classify gave a promise; what an answer means must be known at once.');
  return checked(typeof said === 'string' ? { means: said as AnswerMeaning } : said);
}

type Check = (value: unknown) => boolean;

const isFlag: Check = (value) => typeof value === 'boolean';
const isText: Check = (value) => typeof value === 'string' && value !== '';
const CHECKS: Readonly<Record<keyof Classification, Check>> = {
  means: (value) => ANSWER_MEANINGS.includes(value as AnswerMeaning),
  limited: isFlag,
  retryable: isFlag,
  kind: isText,
  scope: isText,
  waitMs: (value) => typeof value === 'number' && value >= 0 && value < Infinity,
};

function checked(said: unknown): Classification {
  if (typeof said !== 'object' || said === null) throw new TypeError(`classify gave ${typeof said}, not a meaning.`);
  for (const [key, value] of Object.entries(said)) {
    const check = Object.hasOwn(CHECKS, key) ? CHECKS[key as keyof Classification] : undefined;
    if (value !== undefined && check?.(value) !== true) {
      throw new TypeError(`classify gave a ${key} that is none; a meaning has ${Object.keys(CHECKS).join(', ')}.`);
    }
  }
  const { means, limited, retryable } = said as Classification;
  if (means !== undefined && (limited !== undefined || retryable !== undefined)) {
    throw new TypeError('classify gave a meaning together with limited or retryable; it says both.');
  }
  return said as Classification;
}
