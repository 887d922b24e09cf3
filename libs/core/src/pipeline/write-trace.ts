import type { SluiceContext } from '../context/contexts.js';
import type { Outcome, Safety } from '../model/outcome.js';
import type { CallEnv } from './call-env.js';
import type { CallPlan } from './call-plan.js';

/** What a write means for those around it: reads of its partition may be out of date, its operation is open. */
export class WriteTrace {
  constructor(
    private readonly callId: string,
    private readonly env: CallEnv,
    private readonly plan: CallPlan,
    private readonly context: SluiceContext,
  ) {}

  /** It leaves. */
  left(safety: Safety): void {
    if (safety === 'safe') return;
    this.context.method?.operation?.unsettled?.add(this.callId);
    this.forgetReads();
  }

  /** It is over: what was read meanwhile may be of before. */
  ended(safety: Safety, outcome: Outcome): void {
    if (safety === 'safe') return;
    if (outcome !== 'unknown') this.context.method?.operation?.unsettled?.delete(this.callId);
    this.forgetReads();
  }

  private forgetReads(): void {
    this.env.demand.wrote(this.plan.partition, this.context.inbound?.reuse ?? null);
  }
}
