import type { SimulatedAnswer } from './answer.js';
import { ConcurrencyCounter } from './limits/concurrency.js';
import { type Counter, type Instant, microsOf } from './limits/counter.js';
import type { SimulatedLimit } from './limits/options.js';
import { Penalised } from './limits/penalty.js';
import { SlidingWindowCounter } from './limits/sliding-window.js';
import { TokenBucketCounter } from './limits/token-bucket.js';
import { calendarWindows, clockWindows, firstCallWindows, WindowCounter } from './limits/window-counter.js';
import type { SimulatedRequest } from './request.js';

/** What one limit says after a request was judged. */
export interface LimitView {
  readonly name: string;
  readonly kind: SimulatedLimit['kind'];
  readonly limit: number;
  readonly periodMs: number | null;
  readonly remaining: number;
  readonly resetUs: number | null;
}

export interface Judgement {
  /** Name of the limit that refused, the one with the longest wait where several did; null = admitted. */
  readonly limitedBy: string | null;
  /** Until the request would fit, as far as the provider knows. */
  readonly waitUs: number | null;
  /** Every limit that applies, as it stands after this request. */
  readonly limits: readonly LimitView[];
  /** Charges what an admitted request turned out to cost, when its answer leaves. */
  readonly settle: (answer: SimulatedAnswer, now: Instant) => void;
  /** Every limit that applies, as it stands at a later moment. */
  readonly view: (now: Instant) => readonly LimitView[];
  /** Ends the request: gives its concurrency back. Calling it again does nothing. */
  readonly release: () => void;
}

interface Charged {
  readonly limit: SimulatedLimit;
  readonly name: string;
  readonly counter: Counter;
  readonly cost: number;
  readonly waitUs: number | null;
}

/** Decides whether a request is within every limit. One that is not is charged nowhere, except where refused calls count. */
export class Judge {
  private readonly counters: Map<string, Counter>[];

  constructor(private readonly limits: readonly SimulatedLimit[]) {
    limits.forEach(checkLimit);
    this.counters = limits.map(() => new Map());
  }

  judge(request: SimulatedRequest, now: Instant): Judgement {
    const charged = this.chargesOf(request, now);
    const refusals = charged.filter((entry) => entry.waitUs !== 0);
    const admitted = refusals.length === 0;
    const corrections: ((answer: SimulatedAnswer, later: Instant) => void)[] = [];
    for (const { limit, counter, cost } of charged) {
      if (!admitted && (limit.refusedCalls !== 'count' || limit.kind === 'concurrency')) continue;
      const correct = counter.charge(now, cost);
      const { actualCost } = limit;
      if (!admitted || actualCost === undefined) continue;
      corrections.push((answer, later) => correct(later, wholeCost(limit, actualCost(request, answer))));
    }
    for (const { counter } of refusals) if (counter instanceof Penalised) counter.refused(now);
    const decisive = refusals.reduce<Charged | null>((a, b) => (a === null || longer(b, a) ? b : a), null);
    const view = (later: Instant): LimitView[] => charged.map((entry) => viewOf(entry, later));
    return {
      limitedBy: decisive?.name ?? null,
      waitUs: decisive?.waitUs ?? null,
      limits: view(now),
      settle: (answer, later) => corrections.forEach((correct) => correct(answer, later)),
      view,
      release: admitted ? releaserOf(charged) : () => undefined,
    };
  }

  private chargesOf(request: SimulatedRequest, now: Instant): Charged[] {
    const charged: Charged[] = [];
    this.limits.forEach((limit, i) => {
      if (limit.applies?.(request) === false) return;
      const cost = wholeCost(limit, limit.cost?.(request) ?? 1);
      const counter = this.counterOf(i, limit, limit.partition?.(request) ?? '');
      charged.push({ limit, name: nameOf(limit), counter, cost, waitUs: counter.waitUs(now, cost) });
    });
    return charged;
  }

  private counterOf(index: number, limit: SimulatedLimit, partition: string): Counter {
    const counters = this.counters[index] as Map<string, Counter>;
    let counter = counters.get(partition);
    if (counter === undefined) {
      counter = createCounter(limit);
      counters.set(partition, counter);
    }
    return counter;
  }
}

const nameOf = (limit: SimulatedLimit): string => limit.name ?? limit.kind;

/** An unknown wait is the longest. */
const longer = (a: Charged, b: Charged): boolean => (a.waitUs ?? Infinity) > (b.waitUs ?? Infinity);

function wholeCost(limit: SimulatedLimit, cost: number): number {
  if (Number.isSafeInteger(cost) && cost >= 0) return cost;
  throw new RangeError(`The simulated limit "${nameOf(limit)}" was given a cost of ${cost}: it needs a whole number.`);
}

function createCounter(limit: SimulatedLimit): Counter {
  const { penaltyMs = 0 } = limit;
  const counter = plainCounter(limit);
  return penaltyMs === 0 ? counter : new Penalised(counter, microsOf(penaltyMs));
}

function plainCounter(limit: SimulatedLimit): Counter {
  switch (limit.kind) {
    case 'token-bucket':
      return new TokenBucketCounter(limit.burst, limit.limit, microsOf(limit.perMs));
    case 'sliding-window':
      return new SlidingWindowCounter(limit.limit, microsOf(limit.perMs));
    case 'fixed-window': {
      const perUs = microsOf(limit.perMs);
      return new WindowCounter(limit.limit, limit.align === 'clock' ? clockWindows(perUs) : firstCallWindows(perUs));
    }
    case 'concurrency':
      return new ConcurrencyCounter(limit.limit);
    case 'quota':
      return new WindowCounter(limit.limit, calendarWindows(limit.per));
  }
}

const DAY_MS = 86_400_000;

function periodMsOf(limit: SimulatedLimit): number | null {
  if (limit.kind === 'concurrency') return null;
  if (limit.kind === 'quota') return limit.per === 'day' ? DAY_MS : null;
  return limit.perMs;
}

function viewOf({ limit, name, counter }: Charged, now: Instant): LimitView {
  return {
    name,
    kind: limit.kind,
    limit: limit.kind === 'token-bucket' ? limit.burst : limit.limit,
    periodMs: periodMsOf(limit),
    remaining: counter.remaining(now),
    resetUs: counter.resetUs(now),
  };
}

function releaserOf(charged: readonly Charged[]): () => void {
  let held = true;
  return () => {
    if (!held) return;
    held = false;
    for (const { counter, cost } of charged) counter.giveBack?.(cost);
  };
}

function checkLimit(limit: SimulatedLimit): void {
  const figures = Object.entries(limit).filter(([key]) => ['burst', 'limit', 'perMs'].includes(key));
  for (const [key, value] of figures) {
    if (Number.isSafeInteger(value) && (value as number) > 0) continue;
    throw new RangeError(
      `The simulated limit "${nameOf(limit)}" needs a whole number above 0 as ${key}, not ${String(value)}.`,
    );
  }
}
