import { parseDuration } from '../contract/durations.js';
import { laneIndex } from '../contract/lane-index.js';
import { matchRoute } from '../contract/match-route.js';
import type { RequestView } from '../contract/options.js';
import type { ResolvedContract, ResolvedLane } from '../contract/resolved.js';
import { safetyOf } from '../contract/safety.js';
import { unitsOf } from '../contract/units.js';
import type { SluiceContext } from '../context/contexts.js';
import { configErrorOf, showValue } from '../errors/config-error.js';
import { SluiceError } from '../errors/sluice-error.js';
import { requestKey } from '../idempotency/keys.js';
import type { Partition, Safety, Units } from '../model/outcome.js';
import type { CallOptions, CallSpec } from './call.js';
import { refuseUnknownOptions } from './known-options.js';
import { routed } from './request-views.js';
import { refuseUnsendableKey } from './sendable-key.js';

/** What a call asks for, all defaults filled in from the method around it, the inbound request and the contract. */
export interface CallPlan {
  readonly lane: number;
  readonly laneName: string;
  readonly laneWaitMs: number;
  readonly observe: boolean;
  readonly tenant: string;
  readonly partition: Partition;
  readonly attemptMs: number;
  readonly deadlineMono: number;
  /** Those of the method and of the request, merged. */
  readonly options: CallOptions;
  /** `Class.method` of the guarded method around it, for messages. */
  readonly site: string | null;
  readonly request: RequestPlan;
}

/** The part of it that a followed redirect changes. */
export interface RequestPlan {
  readonly view: RequestView;
  readonly safety: Safety;
  readonly units: Units;
  /** Given for this very request; null = one of the operation's, where there is an operation. */
  readonly key: string | null;
  /** Whose giving up ends it. A client that disconnects ends reads only. */
  readonly signals: readonly AbortSignal[];
}

/** Learns that a default was taken, or that a function of the contract failed. */
export interface PlanReport {
  /** `kind`: what is told once, where the words differ from answer to answer. */
  guess(about: string, taken: string, kind?: string): void;
  hookFailed(hook: string, error: unknown): void;
}

/**
 * @throws SluiceError CONFIG on a lane that the contract does not have, on an option that no call has, on a key that the provider would not get, on an empty value of a dimension, or where nobody
 *   gave a value that one of the request's limits is counted by: a default would charge, and send, something else.
 */
export function planCall(
  contract: ResolvedContract,
  spec: CallSpec,
  context: SluiceContext,
  nowMono: number,
  report: PlanReport,
): CallPlan {
  const method = context.method?.provider === contract.name ? context.method : null;
  for (let tally = context.method?.tally ?? null; tally !== null; tally = tally.outer) {
    if (tally.provider === contract.name) tally.made = true;
  }
  const options = method === null ? spec.options : merged(method.options, spec.options);
  const lane = contract.lanes[laneIndex(contract, options.lane)] as ResolvedLane;
  const { flight } = spec;
  const own = flight === undefined ? spec.options.deadline : undefined;
  const latestMono = Math.min(
    nowMono + contract.timeouts.totalMs,
    nowMono + (own === undefined ? Infinity : parseDuration(own, 'deadline', contract.name)),
    context.method?.deadlineMono ?? Infinity,
    context.inbound?.deadlineMono ?? Infinity,
  );
  const timeoutMs = spec.timeoutMs ?? 0;
  const request = planRequest(contract, spec.request, options, spec, context, report);
  const observe = lane.mode === 'observe';
  if (!observe) {
    refuseUnknownOptions(contract, spec.options);
    refuseUnsendableKey(contract, request);
  }
  const partition = partitionOf(contract, options.partition, context, observe ? null : request.view);
  const plan: CallPlan = {
    lane: lane.index,
    laneName: lane.name,
    laneWaitMs: lane.maxWaitMs,
    observe,
    tenant: options.tenant ?? context.inbound?.tenant ?? '',
    partition,
    attemptMs: timeoutMs > 0 ? Math.min(timeoutMs, contract.timeouts.attemptMs) : contract.timeouts.attemptMs,
    deadlineMono: latestMono,
    options,
    site: method?.label ?? null,
    request,
  };
  return flight === undefined ? plan : new FlightPlan(plan, plan.request, flight);
}

/**
 * The plan of a flight, from what was planned for the caller who took off first: it goes on whatever becomes of him, in
 * nobody's context, and within the time that the provider allows a call.
 */
export function planFlight(
  contract: ResolvedContract,
  plan: CallPlan,
  { signal }: CallSpec,
  flight: NonNullable<CallSpec['flight']>,
  nowMono: number,
): CallPlan {
  const { view, safety, units, key } = plan.request;
  const request: RequestPlan = { view, safety, units, key, signals: signal === undefined ? NO_SIGNALS : [signal] };
  return new FlightPlan(plan, request, flight, nowMono + contract.timeouts.totalMs, null);
}

/** A class: of object literals with getters V8 makes slow dictionaries, which all who look into them pay for. */
class FlightPlan implements CallPlan {
  readonly laneName: string;
  readonly laneWaitMs: number;
  readonly observe: boolean;
  readonly tenant: string;
  readonly partition: Partition;
  readonly attemptMs: number;
  readonly options: CallOptions;

  constructor(
    plan: CallPlan,
    readonly request: RequestPlan,
    private readonly flight: NonNullable<CallSpec['flight']>,
    private readonly latestMono = plan.deadlineMono,
    readonly site = plan.site,
  ) {
    this.laneName = plan.laneName;
    this.laneWaitMs = plan.laneWaitMs;
    this.observe = plan.observe;
    this.tenant = plan.tenant;
    this.partition = plan.partition;
    this.attemptMs = plan.attemptMs;
    this.options = plan.options;
  }

  get lane(): number {
    return this.flight.lane();
  }

  get deadlineMono(): number {
    return Math.min(this.latestMono, this.flight.deadlineMono());
  }
}

export function planRequest(
  contract: ResolvedContract,
  request: RequestView,
  options: CallOptions,
  spec: CallSpec,
  context: SluiceContext,
  report: PlanReport,
): RequestPlan {
  const route = options.route ?? request.route ?? matchRoute(contract, request.method, request.path);
  const view = routed(request, route);
  const key = contract.idempotency === null ? null : (options.idempotencyKey ?? ownKeyOf(contract, request));
  const hasKey = key !== null || (context.method?.operation ?? null) !== null;
  const safety = safetyOf(contract, view, { safeFlag: options.safe, hasKey });
  return {
    view,
    safety,
    key,
    units: unitsOf(contract, view, options.units, (source, error) =>
      report.hookFailed(source === 'request' ? unitsHook(contract, context) : source, error),
    ),
    signals: signalsOf(spec, context, safety === 'safe'),
  };
}

/** No key of ours is sent, so a write is a bare one. */
export function withoutKey(request: RequestPlan): RequestPlan {
  return request.safety === 'keyed' ? { ...request, safety: 'unkeyed' } : request;
}

/** Who gave the units of one request, for a report that they cannot be used. */
function unitsHook({ name }: ResolvedContract, { method }: SluiceContext): string {
  return method?.provider === name && method.label && method.options.units !== undefined
    ? `${method.label} units`
    : 'units';
}

/** What the request says beats what the method says. */
function merged(outer: CallOptions, inner: CallOptions): CallOptions {
  const both: Record<string, unknown> = { ...outer };
  for (const [name, value] of Object.entries(inner)) if (value !== undefined) both[name] = value;
  if (isObject(outer.partition) && isObject(inner.partition)) {
    both['partition'] = { ...outer.partition, ...inner.partition };
  }
  return both as CallOptions;
}

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);

const NO_PARTITION: Partition = Object.freeze({});

/** `request` null = nothing is refused for a value that is missing. */
function partitionOf(
  contract: ResolvedContract,
  given: Partition | undefined,
  context: SluiceContext,
  request: RequestView | null,
): Partition {
  if (given !== undefined && !isObject(given)) {
    if (request !== null) throw noPartition(contract, given);
    return partitionOf(contract, undefined, context, request);
  }
  if (contract.dimensions.length === 0) return NO_PARTITION;
  const inbound = context.inbound?.partition ?? NO_PARTITION;
  const partition: Record<string, string> = {};
  for (const dimension of contract.dimensions) {
    const value: unknown = given !== undefined && dimension in given ? given[dimension] : inbound[dimension];
    if (value === undefined && !(given !== undefined && dimension in given)) {
      if (request !== null) refuseIfNeeded(contract, dimension, request, context, { ...inbound, ...given });
    } else if (typeof value === 'string' && value !== '') {
      partition[dimension] = value;
    } else if (request !== null) {
      const found = value === '' ? 'empty' : `of type ${typeof value}`;
      throw configErrorOf(contract.name, [
        { option: `partition.${dimension}`, found, expected: 'a text that is not empty' },
      ]);
    }
  }
  return partition;
}

/** The value is not shown: it may be personal. */
function noPartition({ name, dimensions }: ResolvedContract, given: unknown): SluiceError {
  const found = given === null ? 'null' : Array.isArray(given) ? 'a list' : `of type ${typeof given}`;
  const by = dimensions.map((dimension) => `${dimension}: ...`).join(', ');
  const expected = `values by dimension${by === '' ? '' : `: { ${by} }`}; nothing was sent`;
  return configErrorOf(name, [{ option: 'partition', found, expected }]);
}

function refuseIfNeeded(
  { name, limits, dimensions }: ResolvedContract,
  dimension: string,
  { route }: RequestView,
  { method }: SluiceContext,
  given: Partition,
): void {
  const counting = limits.find(
    ({ countedBy, routes }) =>
      countedBy.includes(dimension) && (routes === null || (route !== null && routes.includes(route))),
  );
  if (counting === undefined) return;
  const strangers = Object.keys(given).filter((key) => !dimensions.includes(key));
  const unknown =
    strangers.length === 0
      ? ''
      : ` Given was ${strangers.map((key) => showValue(key)).join(', ')}, which is no dimension.`;
  const site = method?.provider === name ? (method.label ?? null) : null;
  throw new SluiceError({
    code: 'CONFIG',
    provider: name,
    message:
      `Provider "${name}": no value for dimension "${dimension}", needed by limit "${counting.name}"; nothing was sent.${unknown} ` +
      `Give \`partition: { ${dimension}: ... }\` ${site === null ? 'in @Throttled or run()' : `in @Throttled on ${site}`}, as \`sluice.partition\` ` +
      'of the request, or for all calls of an inbound request as `inbound.partition` of forRoot.',
  });
}

/**
 * The key that all attempts of a keyed call send. Made once per call, in the order the calls of an operation begin: it tells
 * its requests apart.
 */
export function keyOf({ options, request }: CallPlan, context: SluiceContext): string | null {
  if (request.safety !== 'keyed') return null;
  if (request.key !== null) return request.key;
  const operation = context.method?.operation ?? null;
  const { method, route, path } = request.view;
  return operation === null ? null : requestKey(operation, { step: options.step ?? null, method, route, path });
}

/** A key that the caller has put into the header himself. */
function ownKeyOf({ idempotency }: ResolvedContract, { headers }: RequestView): string | null {
  const wanted = idempotency?.header?.toLowerCase();
  if (wanted === undefined) return null;
  for (const [name, value] of Object.entries(headers)) {
    if (name.toLowerCase() === wanted && typeof value === 'string' && value !== '') return value;
  }
  return null;
}

function signalsOf(spec: CallSpec, context: SluiceContext, safe: boolean): readonly AbortSignal[] {
  const method = context.method?.signal ?? null;
  const disconnected = safe ? (context.inbound?.disconnected ?? null) : null;
  if (method === null && disconnected === null) return spec.signal === undefined ? NO_SIGNALS : [spec.signal];
  const all = new Set<AbortSignal>();
  for (const signal of [spec.signal ?? null, method, disconnected]) if (signal !== null) all.add(signal);
  return [...all];
}

const NO_SIGNALS: readonly AbortSignal[] = [];
