/** The contract as the script reads it: what its rules need, in microseconds and microseconds' rates. */
import { createHash } from 'node:crypto';
import {
  calendarPeriod,
  ceilingBucket,
  guaranteedBy,
  type ResolvedContract,
  type ResolvedLimit,
  type Template,
  templatesOf,
} from '../../core/src/index.js';

const US = 1000;
/** A lane that has lost its ceiling since the template was made starts what it likes. */
const NO_CEILING = { burst: 1, rate: 0 };

/** A written contract must be written anew at this moment: the edges of its calendar periods are known up to there only. */
export interface WrittenContract {
  readonly text: string;
  readonly goodUntilUs: number;
}

/** How the script names a set of dimensions and routes. What no route narrows is named by its dimensions alone. */
export function setName({ label, dimensions, routes }: Template): string {
  const name = dimensions.join('&');
  return label === '' && routes === null ? name : `${label}|${name}|${routes?.join(',') ?? ''}`;
}

export function writeContract(contract: ResolvedContract, nowUs: number): WrittenContract {
  const templates = templatesOf(contract);
  const settings = {
    structure: digest(structureOf(contract, templates)),
    guardUs: contract.guardMs * US,
    flushAfterUs: contract.pause.flushAfterMs * US,
    maxHintUs: contract.pause.maxHintMs * US,
    wholeSet: setName(templates[templates.length - 1] as Template),
    ttlMs: ttlMs(contract),
    limits: contract.limits.map(({ kind, refusedCallsCount }) => ({ kind, refusedAreFree: !refusedCallsCount })),
    templates: templates.map((template) => ({
      set: setName(template),
      limits: template.limits,
      books: booksOf(template, contract),
    })),
    pause: {
      initialUs: contract.pause.initialMs * US,
      factor: contract.pause.factor,
      maxUs: contract.pause.maxMs * US,
    },
    breaker: breakerOf(contract),
    budget: contract.retry.budget && { ratio: contract.retry.budget.ratio, floor: contract.retry.budget.floor },
    guarantees: guaranteedBy(contract),
  };
  const hash = digest(settings);
  const { edges, goodUntilUs } = edgesOf(contract, nowUs);
  return { text: textOf({ ...settings, hash, edges }), goodUntilUs };
}

/** What is null is not there. */
function textOf(settings: object): string {
  return JSON.stringify(settings, (_, value: unknown) => (value === null ? undefined : value));
}

function digest(settings: object): string {
  return createHash('sha1').update(textOf(settings)).digest('hex').slice(0, 16);
}

/** All of a contract that stages, lines and plans hang on. */
function structureOf({ limits, lanes }: ResolvedContract, templates: readonly Template[]): object {
  return [
    limits.map(({ name, kind, unit }) => [name, kind, unit]),
    lanes.map(({ name }) => name),
    templates.map((template) => [setName(template), template.limits]),
  ];
}

type BookSettings = Readonly<Record<string, unknown>> & { readonly kind: string; readonly name: string };

function booksOf(template: Template, contract: ResolvedContract): BookSettings[] {
  if (template.ceilingOf >= 0) {
    const ceiling = contract.lanes[template.ceilingOf]?.ceiling;
    const { burst, rate } = ceiling ? ceilingBucket(ceiling) : NO_CEILING;
    return [{ kind: 'ceiling', name: template.label, limit: -1, burst, rate, guardUs: 0 }];
  }
  if (template.shareOf >= 0) {
    const limit = contract.limits[template.shareOf];
    const permits = limit?.kind === 'concurrency' ? limit.limit : 1;
    const capacity = Math.max(1, Math.ceil(contract.tenants.maxShare * permits));
    return [{ kind: 'tenant-share', name: template.label, limit: -1, capacity, worksAfterUs: 0 }];
  }
  const whole = template.dimensions.length === 0 && template.routes === null;
  return template.limits.map((index) => bookOf(contract.limits[index] as ResolvedLimit, index, contract, whole));
}

function bookOf(limit: ResolvedLimit, index: number, contract: ResolvedContract, whole: boolean): BookSettings {
  const guardUs = contract.guardMs * US;
  const common = { kind: limit.kind, name: limit.name, limit: index };
  const kept = contract.lanes.map((lane) => lane.reserve[limit.name] ?? 0);
  const reserves = whole && kept.some((amount) => amount > 0) ? { reserves: kept } : {};
  switch (limit.kind) {
    case 'token-bucket':
      return { ...common, burst: limit.burst, rate: limit.limit / (limit.perMs * US), guardUs, ...reserves };
    case 'sliding-window':
      return { ...common, capacity: limit.limit, spanUs: limit.perMs * US + guardUs };
    case 'fixed-window':
      return {
        ...common,
        capacity: limit.limit,
        lengthUs: limit.perMs * US,
        guardUs,
        aligned: limit.align === 'clock',
      };
    case 'concurrency':
      return { ...common, capacity: limit.limit, worksAfterUs: limit.worksAfterTimeoutMs * US, ...reserves };
    case 'quota': {
      const shares = contract.lanes.map((lane) => (limit.reserveByLane[lane.index] ?? 0) * limit.limit);
      return { ...common, capacity: limit.limit, zone: zoneOf(limit, contract), guardUs, reserves: shares };
    }
  }
}

type Quota = Extract<ResolvedLimit, { kind: 'quota' }>;

function zoneOf({ per, timeZone }: Quota, contract: ResolvedContract): string {
  return `${per} ${timeZone} ${contract.guardMs * US}`;
}

/** By zone, the moments at which its periods begin, from the one before the present to three ahead: calendars are not for Lua. */
function edgesOf(contract: ResolvedContract, nowUs: number): { edges: object; goodUntilUs: number } {
  const edges: Record<string, readonly number[]> = {};
  let goodUntilUs = Infinity;
  for (const limit of contract.limits) {
    if (limit.kind !== 'quota') continue;
    const present = calendarPeriod(nowUs, limit.per, limit.timeZone);
    const before = calendarPeriod(present.startUs - 1, limit.per, limit.timeZone);
    const next = calendarPeriod(present.endUs, limit.per, limit.timeZone);
    const afterNext = calendarPeriod(next.endUs, limit.per, limit.timeZone);
    edges[zoneOf(limit, contract)] = [before.startUs, present.startUs, present.endUs, next.endUs, afterNext.endUs];
    goodUntilUs = Math.min(goodUntilUs, present.endUs);
  }
  return { edges, goodUntilUs };
}

function breakerOf({ breaker }: ResolvedContract): object | null {
  if (breaker === null) return null;
  const { consecutiveFailures, failureRate, probeEveryMs, whileOpen } = breaker;
  return {
    consecutiveFailures,
    failureRate: failureRate && {
      share: failureRate.share,
      minVolume: failureRate.minVolume,
      perUs: failureRate.perMs * US,
    },
    probeEveryUs: probeEveryMs * US,
    refuses: whileOpen === 'refuse',
  };
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** A bucket may take longer to refill than Redis can count. */
const MOST_TTL_MS = 36_500 * DAY_MS;

/** How long a key that nobody writes is kept: until all that it may hold is over. */
function ttlMs({ limits, timeouts, pause, guardMs }: ResolvedContract): number {
  const longest = limits.map((limit) => {
    if (limit.kind === 'quota') return (limit.per === 'day' ? 2 : 32) * DAY_MS;
    if (limit.kind === 'concurrency') return 2 * limit.worksAfterTimeoutMs;
    const refillMs = limit.kind === 'token-bucket' ? (limit.burst / limit.limit) * limit.perMs : limit.perMs;
    return 2 * (refillMs + guardMs);
  });
  const paused = Math.max(pause.maxHintMs, pause.maxMs) + pause.flushAfterMs;
  const all = Math.max(HOUR_MS, 2 * (timeouts.attemptMs + guardMs), paused, ...longest);
  return Math.ceil(Math.min(MOST_TTL_MS, all));
}
