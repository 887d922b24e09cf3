import type { AdmissionRequest } from '../gate/admission.js';
import type { AttemptKind } from '../model/outcome.js';
import type { CallPlan, RequestPlan } from './call-plan.js';

/** What differs from attempt to attempt. */
interface Asking {
  readonly kind: AttemptKind;
  readonly deadlineMono: number;
  readonly maxWaitMs: number;
  readonly place: string | null;
  readonly arrivedMono?: number | undefined;
  readonly observe: boolean;
  readonly signal: AbortSignal | undefined;
}

/** Less is left than any answer takes. */
const LEAST_NEED_MS = 1;

/** A bare write needs its whole attempt timeout: one that is cut short may have happened. */
export function needMs(plan: CallPlan, { safety }: RequestPlan): number {
  return safety === 'unkeyed' ? plan.attemptMs : LEAST_NEED_MS;
}

export function admissionRequest(plan: CallPlan, request: RequestPlan, asking: Asking): AdmissionRequest {
  return {
    lane: plan.lane,
    tenant: plan.tenant,
    partition: plan.partition,
    route: request.view.route,
    units: request.units,
    safety: request.safety,
    attemptMs: plan.attemptMs,
    needMs: asking.observe ? 0 : needMs(plan, request),
    kind: asking.kind,
    deadlineMono: asking.deadlineMono,
    maxWaitMs: asking.maxWaitMs,
    place: asking.place,
    arrivedMono: asking.arrivedMono,
    observe: asking.observe,
    signal: asking.signal,
  };
}
