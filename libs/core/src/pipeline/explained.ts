/** What `answer` says of the result or the error of a guarded function. */
import { quietPromise } from '../errors/quiet-promise.js';
import type { HeaderBag } from '../model/outcome.js';
import type { ExplainedAnswer } from './runtime.js';

export interface Explanation {
  readonly status: number;
  readonly headers: HeaderBag;
  readonly body: unknown;
}

/** @throws TypeError where it makes no sense: taken for an answer, a write that may have happened would count as refused. */
export function explanationOf(said: ExplainedAnswer): Explanation {
  if (quietPromise(said)) throw new TypeError('answer gave a promise; what it reads must be told at once.');
  const { status, headers, body } = said;
  if (!Number.isInteger(status) || status < 100 || status > 999) {
    throw new TypeError('answer gave a status that is no whole number from 100 to 999.');
  }
  return { status, headers: bagOf(headers), body };
}

/** SDKs on fetch give its `Headers`, of which nothing can be read by name. */
function bagOf(headers: ExplainedAnswer['headers'] | null): HeaderBag {
  if (headers === undefined || headers === null) return {};
  return Symbol.iterator in headers
    ? Object.fromEntries(headers as Iterable<readonly [string, string]>)
    : (headers as HeaderBag);
}
