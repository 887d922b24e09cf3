/** Tickets as the script reads them: each with the stages that it crosses, which the process works out once. */
import {
  CEILING_CHARGE,
  errorName,
  type GateChange,
  hashValue,
  PERMIT_CHARGE,
  quietPromise,
  type ResolvedContract,
  stageKey,
  type Template,
  templatesOf,
  type Ticket,
} from '../../core/src/index.js';

export class Tickets {
  private readonly templates: readonly Template[];
  private readonly known = new WeakMap<Ticket, string>();
  private failures: GateChange[] = [];

  constructor(private readonly contract: ResolvedContract) {
    this.templates = templatesOf(contract);
  }

  /** Key, lane, tenant, its weight, stages (set, name, positions of charges), partition. */
  write(ticket: Ticket): string {
    let written = this.known.get(ticket);
    if (written === undefined) {
      const { key, lane, partition } = ticket;
      const tenant = ticket.tenant === '' ? '' : hashValue(this.contract.name, 'tenant', ticket.tenant);
      const stages = this.stages({ ...ticket, tenant });
      written = JSON.stringify([key, lane, tenant, this.weightOf(ticket.tenant), stages, partition]);
      this.known.set(ticket, written);
    }
    return written;
  }

  private stages(ticket: Ticket): readonly unknown[] {
    return this.templates.flatMap((template, index) => {
      const key = stageKey(template, ticket);
      return key === null ? [] : [[index, key, this.positions(template, ticket)]];
    });
  }

  private positions(template: Template, ticket: Ticket): readonly number[] {
    if (template.ceilingOf >= 0) return [CEILING_CHARGE];
    if (template.shareOf >= 0) return [PERMIT_CHARGE];
    return template.limits.map((index) =>
      this.contract.limits[index]?.kind === 'concurrency' ? PERMIT_CHARGE : ticket.limits.indexOf(index),
    );
  }

  private weightOf(tenant: string): number {
    const { weight } = this.contract.tenants;
    if (weight === null || tenant === '') return 1;
    try {
      const given: unknown = weight(tenant);
      if (typeof given === 'number' && given > 0 && given < Infinity) return given;
      quietPromise(given);
      this.failed('RangeError');
    } catch (error) {
      this.failed(errorName(error));
    }
    return 1;
  }

  private failed(error: string): void {
    this.failures.push({ type: 'hook-failed', hook: 'tenants.weight', error });
  }

  /** What went wrong since it was last told. */
  takeFailures(): readonly GateChange[] {
    const { failures } = this;
    if (failures.length > 0) this.failures = [];
    return failures;
  }
}
