import { SluiceError } from '../errors/sluice-error.js';
import { type WhoLooks, whatNow } from '../errors/unknown-outcome.js';
import type { Clock } from '../time/clock.js';
import { dateOf } from '../time/dates.js';

/** It is stored, and a worker goes on with it. */
export function deferred(
  provider: string,
  operationId: string,
  retryAfterMs: number | null,
  clock: Clock,
  cause?: unknown,
): SluiceError {
  return new SluiceError({
    code: 'DEFERRED',
    provider,
    operationId,
    retryAt: retryAfterMs === null ? null : dateOf(clock.wallMs() + retryAfterMs),
    retryAfterMs,
    message:
      `Provider "${provider}": operation ${operationId} cannot be done now; it is stored and will be done later. ` +
      'Ask again with the same key, or look it up by its id.',
    cause,
  });
}

export function outcomeUnknown(provider: string, operationId: string, cause: unknown, who: WhoLooks): SluiceError {
  return new SluiceError({
    code: 'OUTCOME_UNKNOWN',
    provider,
    operationId,
    message:
      `Provider "${provider}": a write of operation ${operationId} left, and nobody knows whether it happened. ` +
      whatNow(who),
    cause,
  });
}

export function discardedBefore(provider: string, operationId: string): SluiceError {
  return new SluiceError({
    code: 'IDEMPOTENCY_CONFLICT',
    provider,
    operationId,
    message:
      `Provider "${provider}": operation ${operationId} was discarded by an operator; nothing was sent. ` +
      'Give another key to what is to be done all the same.',
  });
}

export function resultNotKept(provider: string, operationId: string): SluiceError {
  return new SluiceError({
    code: 'PAYLOAD_TOO_LARGE',
    provider,
    operationId,
    message:
      `Provider "${provider}": operation ${operationId} is done, and its result could not be kept: it was too large or no plain data. ` +
      'Nothing was sent again. Return less from the method, as plain data.',
  });
}
