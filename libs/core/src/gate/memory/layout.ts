/** Which stages a ticket crosses, and which of its charges each of their accounts takes. */
import type { ResolvedContract } from '../../contract/resolved.js';
import type { Partition } from '../../model/outcome.js';
import type { Head, Ticket } from '../port.js';

/** Name of the stage that counts the whole provider. */
export const WHOLE = '*';

/** A set that something is counted by. Its values make stages of it. */
export interface Template {
  /** Prefix of the stages' names; '' but for what is not counted by dimensions. */
  readonly label: string;
  readonly dimensions: readonly string[];
  readonly routes: readonly string[] | null;
  /** Indices of limits. */
  readonly limits: readonly number[];
  /** A lane's ceiling: the lane's index; a tenant's share: the index of the concurrency limit; else -1. */
  readonly ceilingOf: number;
  readonly shareOf: number;
}

/** Positions of charges that are not among `head.charges`. */
export const CEILING_CHARGE = -1;
export const PERMIT_CHARGE = -2;

export function chargeOf(head: Pick<Head, 'charges' | 'kind'>, position: number): number {
  if (position >= 0) return head.charges[position] as number;
  return position === CEILING_CHARGE && head.kind !== 'first' ? 0 : 1;
}

/** The sets of a contract: more dimensions first, then in the contract's order; what is made from lanes and tenants; the whole provider last. */
export function templatesOf(contract: ResolvedContract): Template[] {
  const found = new Map<
    string,
    { dimensions: readonly string[]; routes: readonly string[] | null; limits: number[] }
  >();
  contract.limits.forEach((limit, index) => {
    const name = `${limit.countedBy.join('&')}|${limit.routes?.join(',') ?? ''}`;
    const template = found.get(name);
    if (template === undefined) {
      found.set(name, { dimensions: limit.countedBy, routes: limit.routes, limits: [index] });
    } else template.limits.push(index);
  });
  const plain = { label: '', ceilingOf: -1, shareOf: -1 };
  const sets: Template[] = [...found.values()].map((set) => ({ ...plain, ...set }));
  const width = (set: Template): number => set.dimensions.length + (set.routes === null ? 0 : 1);
  const whole = sets.find((set) => width(set) === 0) ?? { ...plain, dimensions: [], routes: null, limits: [] };
  const parts = sets.filter((set) => set !== whole).sort((a, b) => width(b) - width(a));
  return [...parts, ...ceilings(contract), ...shares(contract), whole];
}

function ceilings(contract: ResolvedContract): Template[] {
  return contract.lanes
    .filter((lane) => lane.ceiling !== null)
    .map((lane) => ({
      label: `ceiling:${lane.name}`,
      dimensions: [],
      routes: null,
      limits: [],
      ceilingOf: lane.index,
      shareOf: -1,
    }));
}

function shares(contract: ResolvedContract): Template[] {
  if (contract.tenants.maxShare >= 1) return [];
  return contract.limits.flatMap((limit, index) =>
    limit.kind === 'concurrency'
      ? [
          {
            label: `share:${limit.name}`,
            dimensions: limit.countedBy,
            routes: limit.routes,
            limits: [],
            ceilingOf: -1,
            shareOf: index,
          },
        ]
      : [],
  );
}

/** The stage of a template that a ticket crosses; null = it does not. */
export function stageKey(template: Template, ticket: Ticket): string | null {
  if (template.ceilingOf >= 0) return template.ceilingOf === ticket.lane ? template.label : null;
  if (template.shareOf >= 0) {
    if (ticket.tenant === '' || !ticket.limits.includes(template.shareOf)) return null;
    return `${template.label}:${partitionKey(template, ticket)}:${ticket.tenant}`;
  }
  const whole = template.dimensions.length === 0 && template.routes === null;
  if (whole) return WHOLE;
  const crossed =
    template.limits.length > 0
      ? ticket.limits.includes(template.limits[0] as number)
      : template.dimensions.every((dimension) => ticket.partition[dimension] !== undefined);
  return crossed ? partitionKey(template, ticket) : null;
}

/**
 * What a stage's key says it is counted by, its values hashed. `routes` null = all routes. Null = the key of no such stage: the
 * whole provider, a lane's ceiling, a tenant's share.
 */
export function partitionOf(key: string): { readonly partition: Partition; readonly routes: string | null } | null {
  const parts = key.split('&').map((part) => part.split('='));
  if (parts.some((part) => part.length !== 2)) return null;
  const { route = null, ...partition } = Object.fromEntries(parts) as Record<string, string>;
  return { partition, routes: route };
}

function partitionKey({ dimensions, routes }: Template, ticket: Pick<Ticket, 'partition'>): string {
  const parts = dimensions.map((dimension) => `${dimension}=${ticket.partition[dimension] ?? ''}`);
  if (routes !== null) parts.push(`route=${routes.join(',')}`);
  return parts.join('&');
}
