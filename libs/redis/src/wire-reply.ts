/** Reads what the script answers: lists in the order of lua/state.lua, `false` for what is not there. */
import {
  capacityOf,
  type Denial,
  type GateChange,
  type GateView,
  type Grant,
  type ResolvedContract,
  type SettleReply,
  type Wait,
  type WaitCause,
} from '../../core/src/index.js';
import type { FleetReply } from './step-codec.js';

type List = readonly unknown[];

const orNull = <T>(value: unknown): T | null => (value === false ? null : (value as T));

export function readReply(value: unknown): FleetReply {
  const [nowUs, seq, grants, waits, denials, settles, changes, wake, processes, bornUs, previous] = value as [
    number,
    number,
    (List | number)[],
    List[],
    List[],
    (List | number)[],
    List[],
    string[],
    number,
    number,
    number | false,
  ];
  return {
    nowUs,
    seq,
    grants: readGrants(grants),
    waits: waits.map(readWait),
    denials: denials.map(readDenial),
    settles: settles.map(readSettle),
    changes: changes.map(readChange),
    wake,
    processes,
    bornUs,
    previousStep: orNull(previous),
  };
}

function readGrant([ticketKey, headId, seq, expiresAtUs, probe, probesBreaker, cause, waitUs, limit]: List): Grant {
  return {
    ticketKey: ticketKey as string,
    headId: headId as number,
    leaseId: seq as number,
    seq: seq as number,
    expiresAtUs: expiresAtUs as number,
    probe: probe as boolean,
    probesBreaker: probesBreaker as boolean,
    shadow: cause === false ? null : { cause: cause as WaitCause, limit: orNull(limit), waitUs: orNull(waitUs) },
  };
}

function readWait([ticketKey, pollAtUs, cause, limit, estimateUs, certainUs]: List): Wait {
  return {
    ticketKey: ticketKey as string,
    pollAtUs: pollAtUs as number,
    cause: cause as WaitCause,
    limit: orNull(limit),
    estimateUs: estimateUs as number,
    certainUs: certainUs as number,
  };
}

function readDenial([ticketKey, headId, reason, retryAtUs, limit]: List): Denial {
  return {
    ticketKey: ticketKey as string,
    headId: headId as number,
    reason: reason as Denial['reason'],
    retryAtUs: orNull(retryAtUs),
    limit: orNull(limit),
  };
}

/** A number alone is a head that was granted as the one before it, by the next number. */
function readGrants(written: readonly (List | number)[]): Grant[] {
  const grants: Grant[] = [];
  for (const one of written) {
    const before = grants[grants.length - 1];
    if (typeof one !== 'number') grants.push(readGrant(one));
    else if (before !== undefined) {
      const seq = before.seq + 1;
      grants.push({ ...before, headId: one, leaseId: seq, seq });
    }
  }
  return grants;
}

/** A number alone is a lease of which nothing is to be told. */
function readSettle(written: List | number): SettleReply {
  if (typeof written === 'number') return { leaseId: written, stale: false, place: null };
  const [leaseId, stale, place] = written;
  return { leaseId: leaseId as number, stale: stale as boolean, place: orNull(place) };
}

function readChange(change: List): GateChange {
  const [type, a, b, c, d] = change as [unknown, never, never, never, never];
  switch (type) {
    case 'pause-started':
      return { type, stage: a, untilUs: b, step: c, hinted: d };
    case 'pause-ended':
      return { type, stage: a, lastedUs: b };
    case 'breaker-opened':
      return { type, untilUs: a };
    case 'breaker-closed':
      return { type };
    case 'quota-seen':
      return { type, limit: a, remaining: orNull(b), applied: c };
    case 'edges-contradicted':
      return { type, limit: a };
    default:
      throw new TypeError(`The script tells of no ${String(type)}.`);
  }
}

/** Partitions, leases, tickets; used amounts and capacities of provider-wide limits by index; pauses; breaker; budget. */
export function readView({ name, limits, lanes }: ResolvedContract, value: unknown): GateView {
  const [partitions, leases, tickets, accounts, pauses, breaker, budget, lines, processes] = value as [
    number,
    number,
    number,
    [number, number, number][],
    [string, number, number, number][],
    GateView['breaker'],
    [number, number, number] | false,
    [number, string, number, number][],
    number,
  ];
  const byLimit = new Map(accounts.map(([limit, used, capacity]) => [limit, { used, capacity }]));
  return {
    provider: name,
    limits: limits.map((limit, index) => {
      const account = byLimit.get(index);
      const { used, capacity } = account ?? { used: null, capacity: capacityOf(limit) };
      return { name: limit.name, kind: limit.kind, used, capacity };
    }),
    partitions,
    leases,
    tickets,
    pauses: pauses.map(([stage, untilUs, step, lastedUs]) => ({
      stage,
      untilMs: untilUs / 1000,
      step,
      lastedMs: lastedUs / 1000,
    })),
    breaker,
    budget: budget === false ? null : { firstsLastMinute: budget[0], retriesLastMinute: budget[1], places: budget[2] },
    fleet: {
      processes,
      lines: lines.map(([lane, tenant, waiting, active]) => ({
        lane: lanes[lane]?.name ?? String(lane),
        tenant: tenant === '' ? null : tenant,
        waiting,
        active,
      })),
    },
  };
}
