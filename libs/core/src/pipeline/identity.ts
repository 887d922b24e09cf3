import type { ResolvedContract } from '../contract/resolved.js';
import type { Partition, Safety } from '../model/outcome.js';
import type { CallIdentity, CallOptions } from './call.js';
import type { CallPlan } from './call-plan.js';

/** For whom a call would be made, with the plan that tells it. */
export class PlannedIdentity implements CallIdentity {
  constructor(
    /** What the plan was made by: an `update` since then makes it out of date. */
    readonly contract: ResolvedContract,
    readonly plan: CallPlan,
    readonly reuse: Map<string, unknown> | null,
  ) {}

  get lane(): number {
    return this.plan.lane;
  }

  get tenant(): string {
    return this.plan.tenant;
  }

  get partition(): Partition {
    return this.plan.partition;
  }

  get deadlineMono(): number {
    return this.plan.deadlineMono;
  }

  get observe(): boolean {
    return this.plan.observe;
  }

  get safety(): Safety {
    return this.plan.request.safety;
  }

  get signals(): readonly AbortSignal[] {
    return this.plan.request.signals;
  }

  get options(): CallOptions {
    const { options, tenant, partition } = this.plan;
    return { ...options, tenant, partition };
  }
}
