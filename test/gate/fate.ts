/** What becomes of an attempt: when it reaches the provider, how it ends, what its process books. */
import type { ResolvedContract } from '../../libs/core/src/contract/resolved.js';
import type { Grant, Settle, Ticket } from '../../libs/core/src/gate/port.js';
import type { Call, Sent } from './actors.js';
import type { Arrival } from './provider-judge.js';

type Chance = () => number;

/** The attempt leaves: what the provider sees of it, and when its process will know. */
export function send(
  contract: ResolvedContract,
  chance: Chance,
  now: number,
  { grant, ticket, call }: { grant: Grant; ticket: Ticket; call: Call },
): Sent {
  const jitter = contract.guardMs * 1000;
  const way = chance();
  const at = now + (way < 0.4 ? 0 : way < 0.8 ? jitter : Math.floor(chance() * jitter));
  const works = Math.max(
    0,
    ...ticket.limits.map((i) => {
      const limit = contract.limits[i];
      return limit?.kind === 'concurrency' ? limit.worksAfterTimeoutMs * 1000 : 0;
    }),
  );
  const gaveUpAt = now + call.attemptUs;
  const fate = chance();
  let end: Settle['end'] = 'answered';
  let settleAt = Math.min(gaveUpAt, at + Math.floor(chance() ** 2 * call.attemptUs));
  let until = settleAt;
  if (fate < 0.06) {
    end = 'not-sent';
    settleAt = now + Math.floor(chance() * 200_000);
  } else if (fate < 0.15) {
    end = 'no-answer';
    settleAt = gaveUpAt;
    until = Math.max(at, gaveUpAt + works + (chance() < 0.5 ? jitter : 0));
  } else if (fate < 0.2) {
    // Never booked: its lease has to end it.
    settleAt = Infinity;
    until = Math.max(at, gaveUpAt + works + jitter);
  }
  const arrival: Arrival = { at, until, partition: ticket.partition, limits: ticket.limits, costs: call.charges };
  return { grant, ticket, call, grantedAt: now, arrival, settleAt, end };
}

/** What the process books. Where it learns that the provider counted less, the provider's own count says so too. */
export function settleOf(
  contract: ResolvedContract,
  chance: Chance,
  { grant, ticket, call, end, arrival }: Sent,
): Settle {
  const pick = <T>(from: readonly T[]): T => from[Math.floor(chance() * from.length)] as T;
  const refused = end === 'answered' && chance() < 0.03;
  const failed = end !== 'not-sent' && !refused && chance() < 0.15;
  const cheaper = end === 'answered' && !refused && chance() < 0.2;
  const trueCharges = cheaper
    ? call.charges.map((cost) => (cost > 1 ? Math.floor(chance() * (cost + 1)) : cost))
    : null;
  if (trueCharges !== null) {
    arrival.costs = trueCharges;
    arrival.announced = call.charges;
  }
  if (refused) {
    arrival.costs = ticket.limits.map((index, at) =>
      contract.limits[index]?.refusedCallsCount === false ? 0 : (call.charges[at] as number),
    );
  }
  return {
    leaseId: grant.leaseId,
    ticket,
    end,
    health: failed ? 'failure' : end === 'answered' ? 'alive' : 'none',
    refusal: refused
      ? {
          limit: chance() < 0.5 ? null : pick(ticket.limits),
          waitUs: chance() < 0.5 ? null : Math.floor(chance() * 3_000_000),
        }
      : null,
    trueCharges,
    seen: chance() < 0.05 ? [figure(contract, chance, pick(ticket.limits))] : [],
    retry: failed && call.kind === 'first' ? { afterUs: Math.floor(chance() * 1_000_000), keepUs: 0 } : null,
  };
}

/** Windows of unknown edges are told no resets: they would be believed, and these are made up. */
function figure(contract: ResolvedContract, chance: Chance, index: number): Settle['seen'][number] {
  const limit = contract.limits[index];
  const silent = chance() < 0.5 || (limit?.kind === 'fixed-window' && limit.align === 'unknown');
  const resetInUs = silent ? null : Math.floor(chance() * 10_000_000);
  return { limit: index, remaining: Math.floor(chance() * 8), resetInUs };
}
