/** Which ticket a call belongs to, and what it is charged: pure functions of the contract and the request. */
import { LRUCache } from 'lru-cache';
import type { ResolvedContract } from '../../contract/resolved.js';
import { configError } from '../../errors/config-error.js';
import type { AttemptKind, Partition, Units } from '../../model/outcome.js';
import type { Ticket } from '../port.js';
import { hashValue } from './hashing.js';

/** Tickets whose hashes are kept at hand; each is some 500 bytes. */
const KEPT_TICKETS = 2_000;

/** Tickets that are found by their tenant alone, by lane and route class. */
const PLAIN_TICKETS = 500;

/** All routes that the same limits apply to. */
interface RouteClass {
  readonly id: string;
  /** Indices into `contract.limits`. */
  readonly limits: readonly number[];
  /** Dimensions that these limits are counted by, in the contract's order. */
  readonly dimensions: readonly string[];
  readonly defaultCharges: readonly number[];
  /** Where nothing is counted by a dimension, by lane: the tickets of the tenants that called of late. */
  readonly plain: (Map<string, Ticket> | undefined)[];
}

export interface TicketRequest {
  readonly lane: number;
  readonly tenant: string;
  readonly partition: Partition;
  readonly route: string | null;
  readonly kind: AttemptKind;
  readonly place: string | null;
}

/** Tickets of retries, beside the one of all other calls: what the retry budget holds up must hold up nobody else. */
interface RetryTickets {
  readonly placed: Ticket;
  readonly bare: Ticket;
}

/** The tickets of one contract. */
export class TicketBook {
  private readonly classes = new Map<string, RouteClass>();
  private readonly byRoute = new Map<string | null, RouteClass>();
  private readonly retries = new WeakMap<Ticket, RetryTickets>();
  private readonly tickets = new LRUCache<string, Ticket>({ max: KEPT_TICKETS });

  constructor(private readonly contract: ResolvedContract) {
    this.byRoute.set(null, this.classFor(null));
    for (const route of contract.routes) this.byRoute.set(route.name, this.classFor(route.name));
  }

  /**
   * The ticket of a request.
   *
   * @throws SluiceError CONFIG when a limit is counted by a dimension whose value nobody gave.
   */
  ticketOf(request: TicketRequest): Ticket {
    const ticket = this.commonTicketOf(request);
    if (request.kind !== 'retry') return ticket;
    let own = this.retries.get(ticket);
    if (own === undefined) {
      own = { placed: { ...ticket, key: `${ticket.key}|retry` }, bare: { ...ticket, key: `${ticket.key}|bare-retry` } };
      this.retries.set(ticket, own);
    }
    return request.place === null ? own.bare : own.placed;
  }

  private commonTicketOf(request: TicketRequest): Ticket {
    const routeClass = this.classOf(request.route);
    if (routeClass.dimensions.length > 0) return this.countedTicketOf(routeClass, request);
    const plain = (routeClass.plain[request.lane] ??= new Map());
    let ticket = plain.get(request.tenant);
    if (ticket === undefined) {
      ticket = this.countedTicketOf(routeClass, request);
      if (plain.size >= PLAIN_TICKETS) plain.clear();
      plain.set(request.tenant, ticket);
    }
    return ticket;
  }

  private countedTicketOf(routeClass: RouteClass, request: TicketRequest): Ticket {
    let seen = `${request.lane}|${routeClass.id}|${request.tenant.length}:${request.tenant}`;
    for (const dimension of routeClass.dimensions) {
      const value = this.valueOf(request.partition, dimension);
      seen += `|${value.length}:${value}`;
    }
    let ticket = this.tickets.get(seen);
    if (ticket === undefined) {
      ticket = this.build(routeClass, request);
      this.tickets.set(seen, ticket);
    }
    return ticket;
  }

  /** What an attempt costs, by position in `ticket.limits`. A cost that is not a number of at least 0 counts as not given. */
  chargesOf(route: string | null, units: Units): readonly number[] {
    const routeClass = this.classOf(route);
    if (units === this.contract.defaultUnits) return routeClass.defaultCharges;
    let charges: number[] | null = null;
    for (let position = 0; position < routeClass.limits.length; position += 1) {
      const limit = this.contract.limits[routeClass.limits[position] as number];
      if (limit === undefined || limit.kind === 'concurrency') continue;
      const given = units[limit.unit];
      if (!isCost(given) || given === routeClass.defaultCharges[position]) continue;
      charges ??= [...routeClass.defaultCharges];
      charges[position] = given;
    }
    return charges ?? routeClass.defaultCharges;
  }

  /** Hashed values of the named dimensions of a partition that limits may be counted by. */
  hashed(partition: Partition): Partition {
    const hashes: Record<string, string> = {};
    for (const dimension of this.contract.dimensions) {
      if (hasValue(partition, dimension)) hashes[dimension] = this.hash(dimension, String(partition[dimension]));
    }
    return hashes;
  }

  private build(routeClass: RouteClass, request: TicketRequest): Ticket {
    const partition: Record<string, string> = {};
    let key = `${request.lane}|${routeClass.id}|${request.tenant === '' ? '' : this.hash('tenant', request.tenant)}`;
    for (const dimension of routeClass.dimensions) {
      const hash = this.hash(dimension, this.valueOf(request.partition, dimension));
      partition[dimension] = hash;
      key += `|${hash}`;
    }
    return { key, lane: request.lane, tenant: request.tenant, partition, limits: routeClass.limits };
  }

  private classOf(route: string | null): RouteClass {
    return this.byRoute.get(route) ?? (this.byRoute.get(null) as RouteClass);
  }

  private classFor(route: string | null): RouteClass {
    const { limits, dimensions, defaultUnits } = this.contract;
    const indices: number[] = [];
    limits.forEach((limit, index) => {
      if (limit.routes === null || (route !== null && limit.routes.includes(route))) indices.push(index);
    });
    const id = indices.join('.');
    let routeClass = this.classes.get(id);
    if (routeClass === undefined) {
      const counted = new Set(indices.flatMap((index) => limits[index]?.countedBy ?? []));
      routeClass = {
        id,
        limits: indices,
        dimensions: dimensions.filter((dimension) => counted.has(dimension)),
        defaultCharges: indices.map((index) => {
          const limit = limits[index];
          return limit === undefined || limit.kind === 'concurrency' ? 1 : (defaultUnits[limit.unit] ?? 1);
        }),
        plain: [],
      };
      this.classes.set(id, routeClass);
    }
    return routeClass;
  }

  private valueOf(partition: Partition, dimension: string): string {
    if (hasValue(partition, dimension)) return String(partition[dimension]);
    throw configError(
      this.contract.name,
      `partition.${dimension}`,
      undefined,
      `a value for each dimension that a limit of this request is counted by; give it in the call's "partition"`,
    );
  }

  private hash(dimension: string, value: string): string {
    return hashValue(this.contract.name, dimension, value);
  }
}

function hasValue(partition: Partition, dimension: string): boolean {
  if (!Object.hasOwn(partition, dimension)) return false;
  const value: unknown = partition[dimension];
  return (typeof value === 'string' && value !== '') || typeof value === 'number';
}

function isCost(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value < Infinity;
}
