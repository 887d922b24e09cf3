/** What does not go together: each figure may be right by itself. */
import ms from 'ms';
import { type Finding, showValue } from '../errors/config-error.js';
import { rateKept } from './guard-loss.js';
import type { LaneOptions, ProviderOptions } from './options.js';
import { isProviderWide, isReservable, lanesOf } from './resolve-lanes.js';
import type { ResolvedContract, ResolvedLane, ResolvedLimit } from './resolved.js';

/** The least share of its rate that a limit must keep when the guard is taken off: below it the guard is the limit. */
const LEAST_KEPT = 0.1;

export function checkSense(options: ProviderOptions, contract: ResolvedContract): readonly Finding[] {
  return [
    ...checkTimes(options, contract),
    ...checkLanes(options, contract),
    ...contract.limits.flatMap((limit, index) => [
      ...checkCapacity(contract, limit, `limits[${index}]`, options),
      ...checkGuard(contract, limit, options),
    ]),
    ...checkIdempotency(options),
  ];
}

function checkTimes({ timeouts, retry, pause }: ProviderOptions, contract: ResolvedContract): readonly Finding[] {
  const { connectMs, attemptMs, totalMs } = contract.timeouts;
  const { baseDelayMs, maxDelayMs, maxWaitMs } = contract.retry;
  const { initialMs, maxMs } = contract.pause;
  return [
    ...atMost('timeouts.connect', timeouts?.connect, connectMs, 'timeouts.attempt', attemptMs),
    ...atMost('timeouts.attempt', timeouts?.attempt, attemptMs, 'timeouts.total', totalMs),
    ...atMost('retry.maxWait', retry?.maxWait, maxWaitMs, 'timeouts.total', totalMs),
    ...atMost('retry.baseDelay', retry?.baseDelay, baseDelayMs, 'retry.maxDelay', maxDelayMs),
    ...atMost('pause.initial', pause?.initial, initialMs, 'pause.max', maxMs),
  ];
}

function atMost(option: string, given: unknown, valueMs: number, other: string, mostMs: number): readonly Finding[] {
  if (valueMs <= mostMs) return [];
  return [{ option, found: showValue(given ?? ms(valueMs)), expected: `at most ${other}, which is ${ms(mostMs)}` }];
}

function checkLanes(options: ProviderOptions, contract: ResolvedContract): readonly Finding[] {
  const lanes = lanesOf(options);
  const findings: Finding[] = [];
  if (lanes.length === 0)
    findings.push({ option: 'lanes', found: '{}', expected: 'at least one lane, or none of this option' });
  for (const [name] of lanes) {
    // An object puts such keys first, whatever order they were written in.
    if (/^(0|[1-9]\d*)$/.test(name)) {
      findings.push({
        option: `lanes.${name}`,
        found: 'a number as a name',
        expected: 'a word: the order of numbers would be lost',
      });
    }
  }
  const defaults = lanes.filter(([, lane]) => lane.default === true).map(([name]) => name);
  if (defaults.length > 1) {
    findings.push({
      option: 'lanes',
      found: `without a clear default (${defaults.join(', ')})`,
      expected: 'default: true in one lane at most',
    });
  }
  return [...findings, ...checkGuarantees(lanes, contract), ...checkPlainReserves(lanes, contract)];
}

type Lanes = readonly (readonly [string, LaneOptions])[];

function checkGuarantees(lanes: Lanes, { limits }: ResolvedContract): readonly Finding[] {
  const given = lanes.filter(([, lane]) => (lane.guarantee ?? 0) > 0);
  const sum = given.reduce((total, [, lane]) => total + lane.guarantee!, 0);
  if (sum > 1 + 1e-9) {
    const terms = given.map(([name, lane]) => `${name} ${lane.guarantee}`).join(' + ');
    return [{ option: 'lanes', found: `guaranteed ${terms}`, expected: 'guarantees of at most 1 (100 %) together' }];
  }
  if (given.length > 0 && !limits.some((limit) => isProviderWide(limit) && limit.kind !== 'concurrency')) {
    const option = `lanes.${given[0]![0]}.guarantee`;
    return [
      {
        option,
        found: String(given[0]![1].guarantee),
        expected: 'a provider-wide rate (countedBy: [], no routes) to give a share of',
      },
    ];
  }
  return [];
}

function checkPlainReserves(lanes: Lanes, { limits }: ResolvedContract): readonly Finding[] {
  if (limits.some(isReservable)) return [];
  return lanes
    .filter(([, { reserve }]) => typeof reserve === 'number' && reserve > 0)
    .map(([name, { reserve }]) => ({
      option: `lanes.${name}.reserve`,
      found: String(reserve),
      expected: 'a provider-wide token bucket or concurrency limit (countedBy: [], no routes) to reserve from',
    }));
}

/** Whether each lane can start a call of the default cost at all. */
function checkCapacity(
  contract: ResolvedContract,
  limit: ResolvedLimit,
  path: string,
  options: ProviderOptions,
): readonly Finding[] {
  const cost = limit.kind === 'concurrency' ? 1 : contract.defaultUnits[limit.unit]!;
  const capacity = limit.kind === 'token-bucket' ? limit.burst : limit.limit;
  const scaled = contract.options.ourShare === undefined ? '' : ` after ourShare ${options.ourShare}`;
  if (limit.kind === 'concurrency' && limit.unit !== 'requests') {
    return [
      {
        option: `${path}.unit`,
        found: showValue(limit.unit),
        expected: 'none: what is under way is counted in requests',
      },
    ];
  }
  if (cost > capacity) {
    const figure = limit.kind === 'token-bucket' ? 'burst' : 'limit';
    const what = limit.kind === 'concurrency' ? 'one request' : `a call of the default cost, ${cost} ${limit.unit}`;
    return [{ option: `${path}.${figure}`, found: `${capacity}${scaled}`, expected: `room for ${what}` }];
  }
  return contract.lanes.flatMap((lane) => {
    const left = capacity - reservedByOthers(contract.lanes, lane, limit, capacity);
    if (left + 1e-9 >= cost) return [];
    const option = limit.kind === 'quota' ? `${path}.reserve` : `the reserves of limit "${limit.name}"`;
    return [
      {
        option,
        found: `${capacity - left} of ${capacity}${scaled}`,
        expected: `less, so that lane "${lane.name}" can start a call of the default cost, ${cost}`,
      },
    ];
  });
}

function reservedByOthers(
  lanes: readonly ResolvedLane[],
  lane: ResolvedLane,
  limit: ResolvedLimit,
  capacity: number,
): number {
  return lanes
    .filter((other) => other.index !== lane.index)
    .map((other) =>
      limit.kind === 'quota' ? capacity * limit.reserveByLane[other.index]! : (other.reserve[limit.name] ?? 0),
    )
    .reduce((sum, reserve) => sum + reserve, 0);
}

function checkGuard(contract: ResolvedContract, limit: ResolvedLimit, options: ProviderOptions): readonly Finding[] {
  const kept = rateKept(contract, limit);
  if (kept >= LEAST_KEPT) return [];
  const found = showValue(options.guard ?? '100ms');
  const percent = (kept * 100).toFixed(1);
  return [
    {
      option: 'guard',
      found,
      expected: `a guard that leaves limit "${limit.name}" at least a tenth of its rate; this one leaves ${percent} %`,
    },
  ];
}

function checkIdempotency({ idempotency }: ProviderOptions): readonly Finding[] {
  if (typeof idempotency !== 'object' || idempotency.header === undefined || idempotency.bodyField === undefined)
    return [];
  return [
    {
      option: 'idempotency.bodyField',
      found: showValue(idempotency.bodyField),
      expected: 'not to be given together with idempotency.header',
    },
  ];
}
