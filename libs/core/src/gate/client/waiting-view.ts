import type { ResolvedContract } from '../../contract/resolved.js';
import type { AdmissionView } from '../admission.js';
import type { Lines } from './lines.js';
import { waitersOf } from './renewal.js';

/** What is to be seen of those who wait in this process. */
export function waitingView(
  lines: Lines,
  { lanes }: ResolvedContract,
  nowMono: number,
): Pick<AdmissionView, 'waiting' | 'oldestMs' | 'waitingByLane'> {
  const { places } = lines;
  const oldest = waitersOf(lines).find((waiter) => waiter.seated);
  return {
    waiting: places.waiting,
    oldestMs: oldest === undefined ? null : nowMono - oldest.arrivedMono,
    waitingByLane: Object.fromEntries(lanes.map(({ name, index }) => [name, places.inLane(index)])),
  };
}
