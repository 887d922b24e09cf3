import { showValue } from '../errors/config-error.js';
import { quietPromise } from '../errors/quiet-promise.js';
import type { Units } from '../model/outcome.js';
import type { AnswerView, RequestView } from './options.js';
import type { ResolvedContract } from './resolved.js';

/** What is wrong with a cost, in words of ours: they may be told, as those of a foreign error may not. */
export class UnitsFault extends TypeError {}

/** Learns that a function of the contract, or a value given for one request, could not be used. */
export type UnitsFailure = (source: 'units' | 'settleUnits' | 'request', error: unknown) => void;

/**
 * What an attempt costs before it is sent: for every unit that a limit counts, what the request says (`override`), else what
 * the contract's `units` says, else the default. A function that throws, or figures that make no sense, are reported and
 * the default stands: an unknown cost is never 0.
 */
export function unitsOf(
  contract: ResolvedContract,
  request: RequestView,
  override: Units | undefined,
  onFailure: UnitsFailure,
): Units {
  const { units } = contract.options;
  if (units === undefined && override === undefined) return contract.defaultUnits;
  const costs: Record<string, number> = { ...contract.defaultUnits };
  if (units !== undefined) apply(contract, costs, () => units(request), 'units', onFailure);
  if (override !== undefined) apply(contract, costs, () => override, 'request', onFailure);
  return costs;
}

/**
 * What an attempt did cost, as the contract's `settleUnits` reads it from the answer; null = as charged. A unit it leaves out
 * stays as charged.
 */
export function trueUnitsOf(
  contract: ResolvedContract,
  answer: AnswerView,
  charged: Units,
  onFailure: UnitsFailure,
): Units | null {
  const { settleUnits } = contract.options;
  if (settleUnits === undefined) return null;
  const costs: Record<string, number> = { ...charged };
  return apply(contract, costs, () => settleUnits(answer), 'settleUnits', onFailure) ? costs : null;
}

/** Sets what `read` gives. All of it or, where a figure makes no sense, nothing. */
function apply(
  contract: ResolvedContract,
  costs: Record<string, number>,
  read: () => Units | undefined,
  source: Parameters<UnitsFailure>[0],
  onFailure: UnitsFailure,
): boolean {
  try {
    const given: unknown = read();
    if (given === undefined && source === 'settleUnits') return false;
    const entries = figuresOf(given);
    const uncounted: string[] = [];
    for (const [unit, cost] of entries) {
      if (Object.hasOwn(costs, unit)) costs[unit] = cost;
      else if (unit !== 'requests') uncounted.push(unit);
    }
    const untold = uncounted.filter((unit) => firstSeen(contract, source, unit));
    if (untold.length > 0) onFailure(source, new UnitsFault(uncountedText(untold, Object.keys(contract.defaultUnits))));
    return true;
  } catch (error) {
    onFailure(source, error);
    return false;
  }
}

function uncountedText(units: readonly string[], counted: readonly string[]): string {
  const what = counted.length === 0 ? 'there are none' : `they count ${counted.join(', ')}`;
  return `it names ${units.map((unit) => showValue(unit)).join(', ')}, which no limit counts: ${what}`;
}

/** What is no number may be anything, a secret too. */
const figureText = (cost: unknown): string => (typeof cost === 'number' ? String(cost) : `of type ${typeof cost}`);

/** Names may come from data; past these a contract has been told of often enough. */
const MAX_TOLD = 100;
const toldOf = new WeakMap<ResolvedContract, Set<string>>();

/** A misspelt unit is misspelt in every call: it is told once for each contract. */
function firstSeen(contract: ResolvedContract, source: string, unit: string): boolean {
  const told = toldOf.get(contract) ?? new Set<string>();
  toldOf.set(contract, told);
  const name = `${source} ${unit}`;
  if (told.has(name) || told.size >= MAX_TOLD) return false;
  told.add(name);
  return true;
}

function figuresOf(given: unknown): readonly [string, number][] {
  if (typeof given !== 'object' || given === null) {
    throw new UnitsFault(`the cost is ${given === null ? 'null' : typeof given}, not an object of figures by unit`);
  }
  if (quietPromise(given)) throw new UnitsFault('the cost is a promise; it must be known at once');
  const entries = Object.entries(given) as [string, unknown][];
  for (const [unit, cost] of entries) {
    if (typeof cost !== 'number' || !(cost >= 0 && cost < Infinity)) {
      throw new UnitsFault(`the cost of ${showValue(unit)} is ${figureText(cost)}, not a figure from 0`);
    }
  }
  return entries as [string, number][];
}
