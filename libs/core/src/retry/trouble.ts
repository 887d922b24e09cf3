import type { AnswerMeaning, Outcome, Safety } from '../model/outcome.js';

/**
 * What an attempt ran into, which is all that the retry table asks about.
 *
 * | answer                                                | trouble     |
 * |-------------------------------------------------------|-------------|
 * | 2xx, 3xx                                              | `none`      |
 * | refused for a limit: 429, and whatever is read so     | `limited`   |
 * | 429 that is about no limit: a lock                    | `locked`    |
 * | 401                                                   | `auth`      |
 * | read as retryable: 408, 425, 5xx but 501 and 505      | `failure`   |
 * | all others of 4xx and 5xx                             | `permanent` |
 * | nothing was sent                                      | `not-sent`  |
 * | sent, and no answer came                              | `no-answer` |
 *
 * Which statuses are read as retryable is the reading's to say, and a contract's to change. What a contract says that an
 * answer means goes before all of it; only so is there `overloaded`, a failure that pauses like a limit.
 */
export type Trouble =
  'none' | 'limited' | 'overloaded' | 'locked' | 'auth' | 'failure' | 'permanent' | 'not-sent' | 'no-answer';

/** What the reading of an answer adds to its status. */
export interface Heard {
  readonly limited: boolean;
  /** Whether the same request may succeed later. */
  readonly retryable: boolean;
  /** What the contract says that it means. */
  readonly means?: AnswerMeaning;
}

export function troubleOf(status: number, heard: Heard, safety: Safety): Trouble {
  if (heard.means !== undefined) return troubleMeant(heard.means, safety);
  if (heard.limited) return 'limited';
  if (status < 400) return 'none';
  if (status === 401) return 'auth';
  if (!heard.retryable) return 'permanent';
  return status === 429 ? 'locked' : 'failure';
}

function troubleMeant(means: AnswerMeaning, safety: Safety): Trouble {
  switch (means) {
    case 'succeeded':
      return 'none';
    case 'limited':
    case 'overloaded':
    case 'locked':
      return means;
    case 'failed':
      return 'failure';
    case 'key-in-use':
      // Without a key of ours there is none to wait for.
      return safety === 'keyed' ? 'locked' : 'permanent';
    case 'unauthorized':
      return 'auth';
    case 'rejected':
      return 'permanent';
  }
}

/** Code of an attempt whose answer came, but was longer than its caller takes: its client does not tell what it said. */
export const ANSWER_TOO_LARGE = 'ANSWER_TOO_LARGE';

/**
 * What an attempt without an answer ran into. A fault of our own side is healed by no retry; a bare write that left may have
 * happened, whatever ended it.
 */
export function troubleWithoutAnswer(sent: boolean, code: string | null, safety: Safety): Trouble {
  if (!sent) return code === null || isLocalFault(code) ? 'permanent' : 'not-sent';
  return safety !== 'unkeyed' && code !== null && isLocalFault(code) ? 'permanent' : 'no-answer';
}

/** Codes of Node and Axios for what cannot be sent, or taken, whoever is at the other end. */
export function isLocalFault(code: string): boolean {
  return LOCAL_FAULT.test(code);
}

const LOCAL_FAULT =
  /^(?:ERR_(?:INVALID|BAD_OPTION|BAD_REQUEST|NOT_SUPPORT|FR_MAX|DEPRECATED|ASSERTION)|ANSWER_TOO_LARGE$)/;

/** What became of the attempt. */
export function outcomeOf(trouble: Trouble, safety: Safety): Outcome {
  switch (trouble) {
    case 'none':
      return 'succeeded';
    case 'limited':
    case 'locked':
      return 'limited';
    case 'auth':
    case 'permanent':
      return 'rejected';
    case 'not-sent':
      return 'failed';
    case 'overloaded':
      return safety === 'unkeyed' ? 'unknown' : 'limited';
    case 'failure':
    case 'no-answer':
      return safety === 'unkeyed' ? 'unknown' : 'failed';
  }
}
