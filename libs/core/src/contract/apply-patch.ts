import { configErrorOf, type Finding, showValue } from '../errors/config-error.js';
import { defineProvider } from './define-provider.js';
import { isPlain } from './freeze.js';
import type { LimitOptions, ProviderOptions, ProviderPatch } from './options.js';
import { limitNames } from './resolve-limits.js';
import type { ProviderContract, ResolvedLimit } from './resolved.js';

const PATCHABLE = {
  limits: true,
  lanes: true,
  tenants: true,
  queue: true,
  timeouts: true,
  retry: true,
  pause: true,
  breaker: true,
  ourShare: true,
  guard: true,
  mode: true,
} satisfies Record<keyof ProviderPatch, true>;

/**
 * The contract with other numbers, lanes, time limits or mode. Sections are merged, limits are matched by name; what the
 * patch leaves out stays. What limits are counted by, and which lanes there are, may not change: used amounts and waiting
 * calls hang on it.
 *
 * @throws SluiceError CONFIG when the result would not be valid as a whole; nothing is changed then.
 */
export function applyPatch(contract: ProviderContract, patch: ProviderPatch): ProviderContract {
  const { options, name } = contract.resolved;
  if (!isPlain(patch)) refuse(name, [{ option: 'the patch', found: showValue(patch), expected: 'an object' }]);
  const foreign = Object.keys(patch).filter((key) => !Object.hasOwn(PATCHABLE, key));
  refuse(name, [...foreign.map(fixedOption), ...newLanes(contract, patch), ...oddLimits(contract, patch)]);
  const { limits = [], ...sections } = patch;
  const merged: ProviderOptions = {
    ...(merge(options, sections) as ProviderOptions),
    limits: mergeLimits(contract, limits),
  };
  const patched = defineProvider(merged);
  refuse(name, changedStructure(contract, patched));
  return patched;
}

/** @throws SluiceError CONFIG on what no other process could be told. */
export function refuseFunctions(provider: string, value: unknown, option = 'the patch'): void {
  if (typeof value === 'function') {
    refuse(provider, [{ option, found: 'a function', expected: 'what can be told to other processes' }]);
  }
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) refuseFunctions(provider, inner, `${option}.${key}`);
}

/** One patch that does what two do, one after the other. */
export function joinPatches(earlier: ProviderPatch, later: ProviderPatch): ProviderPatch {
  const { limits: before = [], ...sections } = earlier;
  const { limits: after = [], ...laterSections } = later;
  const limits = new Map<string, LimitOptions>();
  for (const list of [before, after]) {
    const names = limitNames(list);
    list.forEach((limit, index) => {
      const name = names[index]!;
      limits.set(name, merge(limits.get(name), { ...limit, name }) as LimitOptions);
    });
  }
  const merged = merge(sections, laterSections) as ProviderPatch;
  return limits.size === 0 ? merged : { ...merged, limits: [...limits.values()] };
}

function refuse(provider: string, findings: readonly Finding[]): void {
  if (findings.length > 0) throw configErrorOf(provider, findings);
}

function fixedOption(key: string): Finding {
  return {
    option: key,
    found: 'not to be changed while calls are under way',
    expected: `one of ${Object.keys(PATCHABLE).join(', ')}`,
  };
}

function newLanes({ resolved }: ProviderContract, { lanes }: ProviderPatch): readonly Finding[] {
  const known = resolved.lanes.map(({ name }) => name);
  return Object.keys(lanes ?? {})
    .filter((lane) => !known.includes(lane))
    .map((lane) => ({
      option: `lanes.${lane}`,
      found: 'a new lane',
      expected: `one that is there: ${known.join(', ')}`,
    }));
}

function oddLimits({ resolved }: ProviderContract, { limits = [] }: ProviderPatch): readonly Finding[] {
  if (!Array.isArray(limits)) return [{ option: 'limits', found: showValue(limits), expected: 'a list' }];
  const odd = limits.findIndex((limit) => !isPlain(limit));
  if (odd !== -1) return [{ option: `limits[${odd}]`, found: showValue(limits[odd]), expected: 'a limit' }];
  const known = resolved.limits.map(({ name }) => name);
  const names = limitNames(limits as readonly LimitOptions[]);
  return names.flatMap((limit, index) => {
    const option = `limits[${index}]`;
    if (!known.includes(limit)) {
      return [
        { option, found: `called ${showValue(limit)}`, expected: `the name of one that is there: ${known.join(', ')}` },
      ];
    }
    if (names.indexOf(limit) < index) {
      return [{ option, found: `called ${showValue(limit)}`, expected: 'each limit once' }];
    }
    const { kind } = resolved.limits[known.indexOf(limit)]!;
    const given: unknown = limits[index]!.kind;
    if (given === kind) return [];
    return [{ option: `${option}.kind`, found: showValue(given), expected: whole(kind, limit) }];
  });
}

/** A patch names a limit as its builder gives it, whole: half a limit would not say of which kind it is. */
function whole(kind: ResolvedLimit['kind'], limit: string): string {
  const builder = kind.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
  return `${showValue(kind)}, as limit "${limit}" is: give the whole limit, built by ${builder}({ ... })`;
}

/** What was there, with what is given put over it; objects within objects are merged. */
function merge(old: unknown, given: unknown): unknown {
  if (given === undefined) return old;
  if (!isPlain(old) || !isPlain(given)) return given;
  const merged: Record<string, unknown> = { ...old };
  for (const [key, value] of Object.entries(given)) merged[key] = merge(old[key], value);
  return merged;
}

function mergeLimits({ resolved }: ProviderContract, given: readonly LimitOptions[]): readonly LimitOptions[] {
  const names = limitNames(given);
  return resolved.options.limits.map((limit, index) => {
    const patch = given[names.indexOf(resolved.limits[index]!.name)];
    return patch === undefined ? limit : (merge(limit, { ...patch, name: limit.name }) as LimitOptions);
  });
}

function changedStructure(before: ProviderContract, after: ProviderContract): readonly Finding[] {
  return before.resolved.limits.flatMap((limit, index) => {
    const old = structureOf(limit);
    const now = structureOf(after.resolved.limits[index]!);
    return Object.keys(old)
      .filter((key) => showValue(old[key]) !== showValue(now[key]))
      .map((key) => ({
        option: `${key} of limit "${limit.name}"`,
        found: showValue(now[key]),
        expected: `${showValue(old[key])}, as before: used amounts hang on it`,
      }));
  });
}

/** What decides whose book a charge is written in. */
function structureOf(limit: ResolvedLimit): Readonly<Record<string, unknown>> {
  const { unit, countedBy, routes } = limit;
  const period = limit.kind === 'quota' ? { per: limit.per, timeZone: limit.timeZone } : {};
  return { unit, countedBy, routes, ...period };
}
