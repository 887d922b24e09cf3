import { isSluiceError, SluiceError } from '../errors/sluice-error.js';
import { type WhoLooks, whatNow } from '../errors/unknown-outcome.js';

/** Whether an error leaves open if the operation happened: nobody knows, or it must not be sent again for that reason. */
export function endedUnknown(error: unknown): boolean {
  if (isSluiceError(error, 'OUTCOME_UNKNOWN')) return true;
  if (typeof error !== 'object' || error === null) return false;
  return (error as { sluice?: { reason?: unknown } | null }).sluice?.reason === 'unsafe';
}

export function conflict(provider: string, operationId: string): SluiceError {
  return new SluiceError({
    code: 'IDEMPOTENCY_CONFLICT',
    provider,
    operationId,
    message:
      `Provider "${provider}": the idempotency key of operation ${operationId} was used with other arguments; nothing was sent. ` +
      'Give another key to another operation, or the same arguments to the same.',
  });
}

export function stillUnknown(provider: string, operationId: string, cause: unknown, who: WhoLooks): SluiceError {
  return new SluiceError({
    code: 'OUTCOME_UNKNOWN',
    provider,
    operationId,
    message:
      `Provider "${provider}": operation ${operationId} may have happened in an earlier run; nothing was sent again. ` +
      whatNow(who),
    cause,
  });
}

export function inProgress(provider: string, operationId: string): SluiceError {
  return new SluiceError({
    code: 'OPERATION_IN_PROGRESS',
    provider,
    operationId,
    message:
      `Provider "${provider}": the deadline passed while operation ${operationId} was under way for another caller. ` +
      'Ask again with the same key: it will not be sent twice.',
  });
}

export function waitsForItself(provider: string, operationId: string): SluiceError {
  return new SluiceError({
    code: 'CONFIG',
    provider,
    operationId,
    message:
      `Provider "${provider}": operation ${operationId} asks for itself while it is under way, and would wait for ever. ` +
      'Give what it calls another key, or no key of its own.',
  });
}

export function full(provider: string, operationId: string, maxEntries: number): SluiceError {
  return new SluiceError({
    code: 'QUEUE_FULL',
    provider,
    operationId,
    message:
      `Provider "${provider}": ${maxEntries} idempotent operations are under way or of unknown outcome, as many as may be remembered; nothing was sent. ` +
      'Try again when some have ended, or settle the unknown ones.',
  });
}
