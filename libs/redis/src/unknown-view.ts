import type { GateView, ResolvedContract } from '../../core/src/index.js';

/** While nobody can be asked. */
export function unknownView({ name, limits, breaker }: ResolvedContract): GateView {
  return {
    provider: name,
    limits: limits.map((limit) => ({ name: limit.name, kind: limit.kind, used: null, capacity: limit.limit })),
    partitions: 0,
    leases: 0,
    tickets: 0,
    pauses: [],
    breaker: breaker === null ? 'off' : 'closed',
    budget: null,
    fleet: null,
  };
}
