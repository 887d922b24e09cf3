import { bounded, withReason } from '../time/bounded.js';
import type { Clock } from '../time/clock.js';
import { inProgress } from './ends.js';
import type { OperationRequest } from './options.js';

/**
 * Waits for a run that another caller began, no longer than the deadline of who asks. Leaves neither timer nor listener behind.
 *
 * @throws SluiceError OPERATION_IN_PROGRESS at the deadline; the signal's reason.
 */
export function waitForRun<End>(
  ended: Promise<End>,
  { provider, signal, deadlineMono = Infinity }: OperationRequest,
  clock: Clock,
  operationId: string,
): Promise<End> {
  const late = (): Error => inProgress(provider, operationId);
  return withReason(bounded(ended, clock, signal ? [signal] : [], deadlineMono - clock.monoMs(), late));
}
