/** What the gate says of pauses, held against what it grants. */
import type { ResolvedContract } from '../../libs/core/src/contract/resolved.js';
import type { GateChange, Grant, Ticket } from '../../libs/core/src/gate/port.js';

export class PauseJudge {
  /** Pauses that are on, by stage: when they end, and the probe that is out. */
  private readonly pauses = new Map<string, { untilUs: number; probe: Grant['leaseId'] | null; expires: number }>();
  readonly faults: string[] = [];

  constructor(private readonly contract: ResolvedContract) {}

  /** Settles and commands come before grants in a step, so what it changed holds for what it granted. */
  changed(change: GateChange): void {
    if (change.type === 'pause-started') {
      this.pauses.set(change.stage, { untilUs: change.untilUs, probe: null, expires: 0 });
    } else if (change.type === 'pause-ended' && !this.pauses.delete(change.stage)) {
      this.faults.push(`a pause of ${change.stage} ended that was not on`);
    }
  }

  ended(leaseId: Grant['leaseId']): void {
    for (const pause of this.pauses.values()) if (pause.probe === leaseId) pause.probe = null;
  }

  /** Stages whose pause was told to have begun, and not to have ended. */
  get open(): readonly string[] {
    return [...this.pauses.keys()];
  }

  /** No call passes a pause before its end, and none while its probe is out. */
  granted(now: number, grant: Grant, ticket: Ticket): void {
    for (const stage of this.stagesOf(ticket)) {
      const pause = this.pauses.get(stage);
      if (pause === undefined) continue;
      if (now < pause.untilUs) this.faults.push(`a grant during the pause of ${stage}`);
      if (pause.probe !== null && now < pause.expires) this.faults.push(`a second probe of ${stage}`);
      pause.probe = grant.leaseId;
      pause.expires = grant.expiresAtUs;
    }
  }

  private stagesOf(ticket: Ticket): ReadonlySet<string> {
    const stages = new Set(['*', `user=${ticket.partition.user}`]);
    for (const index of ticket.limits) {
      const { countedBy = [], routes = null } = this.contract.limits[index] ?? {};
      const parts = countedBy.map((dimension) => `${dimension}=${ticket.partition[dimension]}`);
      if (routes !== null) parts.push(`route=${routes.join(',')}`);
      stages.add(parts.length === 0 ? '*' : parts.join('&'));
    }
    return stages;
  }
}
