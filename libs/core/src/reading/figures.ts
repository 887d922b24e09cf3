/** Gathers all figures of an answer. */
import type { Figure, Moments } from './figure.js';
import { GENERIC_POLICY } from './generic.js';
import type { ReadingPlan, TimePlan, WindowPlan } from './plan.js';
import { structuredFigures, windowOfQuota } from './structured.js';
import { ceilMs, linesOf, parseReset, type Time, untilMs } from './times.js';
import { firstCount, type OpenAnswer, smallestCount, type ValueReader } from './values.js';

/** `cost` is what the refused request would have taken from a refilling bucket; null where nothing was refused. */
export function figuresOf(
  plan: ReadingPlan,
  answer: OpenAnswer,
  moments: Moments,
  cost: number | null,
): readonly Figure[] {
  const figures: Figure[] = [];
  for (const { field, policy } of plan.fields) {
    const texts = answer.headers.get(field);
    const policies = policy === null ? undefined : answer.headers.get(policy);
    if (texts !== undefined) figures.push(...structuredFigures(texts, policies ?? [], moments));
  }
  for (const window of plan.windows) {
    if (plan.oneFamily && figures.length > 0) break;
    const figure = figureOf(window, answer, moments, cost);
    if (figure !== null) figures.push(figure);
  }
  return figures;
}

function figureOf(plan: WindowPlan, answer: OpenAnswer, moments: Moments, cost: number | null): Figure | null {
  const limit = plan.limit === null ? null : firstCount(plan.limit(answer));
  const remaining = remainingOf(plan, answer, limit);
  const perSecond = amountOf(plan.perSecond, answer);
  const after = plan.resetAfter === null ? null : timeOf(plan.resetAfter, answer, moments);
  const reset = plan.reset === null ? null : timeOf(plan.reset, answer, moments);
  const told = plan.perSecond === null || typeof plan.perSecond === 'number' ? null : perSecond;
  if (remaining === null && limit === null && reset === null && after === null && told === null) return null;

  const { alignedMs } = plan.options;
  const boundary = alignedMs === undefined ? null : (Math.floor(moments.serverMs / alignedMs) + 1) * alignedMs;
  const moment = reset ?? after ?? (boundary === null ? null : { atMs: boundary });
  const wait = after ?? moment;
  const need = perSecond === null ? 1 : (cost ?? 1);
  return {
    scope: plan.scope(answer),
    unit: plan.options.unit ?? null,
    remaining,
    limit,
    resetAtMs: moment === null ? null : 'atMs' in moment ? moment.atMs : moments.receivedMs + moment.afterMs,
    from: ((after === null ? null : plan.resetAfter) ?? (reset === null ? null : plan.reset))?.name ?? null,
    guess: (wait?.form !== undefined && plan.reset?.guesses?.[wait.form]) || null,
    waitMs: wait === null ? refillMs(need, remaining, limit, perSecond) : untilMs(wait, moments.serverMs),
    window: amountOf(plan.windowSeconds, answer) ?? windowOfQuota(policiesOf(plan, answer), limit),
    perSecond,
    kind: plan.options.kind ?? null,
    exhausted: remaining !== null && remaining < need,
  };
}

/** Where `100;w=60` may stand. */
function policiesOf(plan: WindowPlan, answer: OpenAnswer): readonly string[] {
  const behind = plan.limit?.(answer).filter((text) => text.includes(';')) ?? [];
  return [...(answer.headers.get(GENERIC_POLICY) ?? []), ...behind];
}

function remainingOf(plan: WindowPlan, answer: OpenAnswer, limit: number | null): number | null {
  if (plan.remaining !== null) return smallestCount(plan.remaining(answer));
  const used = plan.used === null ? null : firstCount(plan.used(answer));
  return used === null || limit === null ? null : Math.max(0, limit - used);
}

/** Time until `need` has been refilled; null = never, or nobody knows. */
function refillMs(need: number, remaining: number | null, limit: number | null, perSecond: number | null) {
  if (perSecond === null || perSecond <= 0 || (limit !== null && need > limit)) return null;
  return ceilMs(((need - (remaining ?? 0)) / perSecond) * 1000);
}

function amountOf(source: number | ValueReader | null, answer: OpenAnswer): number | null {
  return typeof source === 'function' ? smallestCount(source(answer)) : source;
}

function timeOf(plan: TimePlan, answer: OpenAnswer, moments: Moments): Time | null {
  for (const text of plan.read(answer).flatMap(linesOf)) {
    const time = parseReset(text, plan.as, moments.serverMs);
    if (time !== null) return time;
  }
  return null;
}
