/** Which limits of a contract the figures of an answer are about. Figures that are about none in particular are shown, never applied. */
import type { ResolvedContract, ResolvedLimit } from '../contract/resolved.js';
import type { Reading, ReadingPart } from './reading.js';
import { OVERFLOW_MS } from './times.js';

/** What the provider says is left of a limit. */
export interface LimitSeen {
  readonly limitName: string;
  readonly remaining: number | null;
  /** Time from the answer to the reset, in ms, where it tells. */
  readonly resetInMs: number | null;
}

const NOTHING: readonly LimitSeen[] = [];

type Figure = Pick<ReadingPart, 'scope' | 'unit' | 'remaining' | 'window' | 'resetInMs' | 'resetGuess'>;

/**
 * The figures of a reading by limit. A scope means what `reading.scopes` says. Where the contract names no scopes, or the
 * figure has none, it is about the only limit that counts its unit (and has its window, if it tells one); of several, about none.
 * `route` is the name of the request's route: limits of other routes are out of the question.
 */
export function readingToSeen(
  contract: ResolvedContract,
  reading: Reading,
  route: string | null = null,
): readonly LimitSeen[] {
  const figures = figuresOf(reading);
  if (figures.length === 0) return NOTHING;
  const seen = new Map<string, LimitSeen | null>();
  for (const figure of figures) {
    const limitName = limitOf(contract, figure, route);
    if (limitName === null) continue;
    const { remaining } = figure;
    // Two figures for one limit contradict each other: neither is applied.
    const resetInMs = believedReset(contract, figure);
    seen.set(limitName, seen.has(limitName) ? null : { limitName, remaining, resetInMs });
  }
  return [...seen.values()].filter((each) => each !== null);
}

function believedReset({ pause }: ResolvedContract, { resetInMs, resetGuess }: Figure): number | null {
  if (resetInMs === undefined) return null;
  const guessed = resetGuess !== undefined || resetInMs > OVERFLOW_MS;
  return guessed && pause.maxGuessMs !== null ? Math.min(resetInMs, pause.maxGuessMs) : resetInMs;
}

/** Name of the limit that refused the request, where the answer tells; null = none in particular. */
export function refusingLimit(
  contract: ResolvedContract,
  reading: Reading,
  route: string | null = null,
): string | null {
  if (!reading.limited) return null;
  const named = mapped(contract, reading.scope, route);
  if (named !== null) return named;
  const exhausted = figuresOf(reading).filter((figure) => figure.remaining === 0);
  return exhausted.length === 1 ? limitOf(contract, exhausted[0]!, route) : null;
}

function figuresOf(reading: Reading): readonly Figure[] {
  const figures: readonly Figure[] = reading.parts?.filter((part) => part.id === undefined) ?? [];
  const all = figures.length > 0 ? figures : [reading];
  return all.filter((figure) => figure.remaining !== null || figure.resetInMs !== undefined);
}

function limitOf(contract: ResolvedContract, figure: Figure, route: string | null): string | null {
  const { scopes } = contract.reading;
  if (scopes !== undefined && figure.scope !== null) return mapped(contract, figure.scope, route);
  const candidates = contract.limits.filter((limit) => applies(limit, route) && fits(limit, figure));
  return candidates.length === 1 ? candidates[0]!.name : null;
}

function mapped(contract: ResolvedContract, scope: string | null, route: string | null): string | null {
  const { scopes } = contract.reading;
  if (scope === null || scopes === undefined || !Object.hasOwn(scopes, scope)) return null;
  const limit = contract.limits.find((each) => each.name === scopes[scope]);
  return limit !== undefined && applies(limit, route) ? limit.name : null;
}

function applies(limit: ResolvedLimit, route: string | null): boolean {
  return limit.routes === null || (route !== null && limit.routes.includes(route));
}

function fits(limit: ResolvedLimit, figure: Figure): boolean {
  if (limit.kind === 'concurrency' || limit.unit !== (figure.unit ?? 'requests')) return false;
  if (figure.window === undefined) return true;
  if (limit.kind === 'quota') return limit.per === 'day' && figure.window === 86_400;
  return limit.perMs === figure.window * 1000;
}
