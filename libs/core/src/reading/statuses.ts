import type { AnswerMeaning } from '../model/outcome.js';
import type { ReadingKind } from './reading.js';

export interface StatusMeaning {
  readonly limited: boolean;
  readonly retryable: boolean;
  readonly kind: ReadingKind;
  /** A new try must wait, however long. */
  readonly waits: boolean;
}

const DONE: StatusMeaning = { limited: false, retryable: true, kind: 'none', waits: false };
const FAILED: StatusMeaning = { limited: false, retryable: true, kind: 'none', waits: true };
const FINAL: StatusMeaning = { limited: false, retryable: false, kind: 'none', waits: true };

const REFUSED: StatusMeaning = { limited: true, retryable: true, kind: 'rate', waits: true };

/** What a status means where nothing else is known. `told` = the answer tells a wait. */
export function meaningOf(status: number, told: boolean): StatusMeaning {
  if (status === 429) return REFUSED;
  if (status >= 200 && status < 300) return status === 202 && told ? { ...DONE, kind: 'poll' } : DONE;
  if (status >= 300 && status < 400) return status === 304 ? DONE : { ...DONE, kind: 'redirect' };
  if (status === 401) return { ...FINAL, kind: 'auth' };
  if (status === 403) return { ...FINAL, kind: 'permission' };
  if (status === 408 || status === 425 || (status === 413 && told)) return FAILED;
  if (status === 503 || status === 529) return { ...FAILED, kind: 'overload' };
  if (status === 501 || status === 505) return FINAL;
  return status >= 500 && status < 600 ? FAILED : FINAL;
}

/** What a contract says that the answer means, in place of what its status does. */
export function meaningSaid(means: AnswerMeaning, status: StatusMeaning): StatusMeaning {
  switch (means) {
    case 'succeeded':
      return DONE;
    case 'limited':
      return REFUSED;
    case 'overloaded':
      return { ...FAILED, kind: 'overload' };
    case 'failed':
      return status.retryable && status.waits && !status.limited ? status : FAILED;
    case 'locked':
    case 'key-in-use':
      return { ...FAILED, kind: 'lock' };
    case 'unauthorized':
      return { ...FINAL, kind: 'auth' };
    case 'rejected':
      return status.retryable ? FINAL : status;
  }
}
