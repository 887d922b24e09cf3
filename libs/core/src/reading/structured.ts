/** The IETF `RateLimit` field in its drafts: a List of policies (draft 8 to 10), or a Dictionary (draft 7). */
import { type Dictionary, type List, type Parameters, parseDictionary, parseList, Token } from 'structured-headers';
import type { Figure, Moments } from './figure.js';

interface Policy {
  readonly name: string | null;
  readonly quota: number | null;
  readonly windowSeconds: number | null;
  readonly unit: string | null;
  /** Its partition key; null = none. */
  readonly key: string | null;
}

const FIELD = 'ratelimit';

/** Longer fields say nothing: to parse them takes the most time of all headers. */
const MAX_TEXT = 2048;

/** A field of which any member is malformed says nothing. */
export function structuredFigures(
  field: readonly string[],
  policyField: readonly string[],
  moments: Moments,
): readonly Figure[] {
  const policies = readPolicies(policyField);
  const list = attempt(parseList, field);
  if (list !== null) return fromList(list, policies, moments);
  const dictionary = attempt(parseDictionary, field);
  return dictionary === null ? [] : fromDictionary(dictionary, policies, moments);
}

/** The window, in seconds, of the policy with this quota, as `100;w=60` gives it: in its own field, or behind the limit as in drafts 0 to 3. */
export function windowOfQuota(policyField: readonly string[], quota: number | null): number | null {
  if (quota === null || policyField.length === 0) return null;
  return (
    readPolicies(policyField).find(({ quota: of, windowSeconds }) => of === quota && windowSeconds !== null)
      ?.windowSeconds ?? null
  );
}

function fromList(list: List, policies: readonly Policy[], moments: Moments): readonly Figure[] {
  const figures: Figure[] = [];
  for (const [value, parameters] of list) {
    const name = nameOf(value);
    const remaining = count(parameters, 'r');
    if (name === null || remaining === null || (parameters.has('t') && count(parameters, 't') === null)) return [];
    const key = keyOf(parameters);
    const named = policies.filter((each) => each.name === name);
    const policy = named.find((each) => each.key === key) ?? named[0];
    figures.push(figureOf(name, remaining, count(parameters, 't'), policy?.quota ?? null, policy, moments));
  }
  return figures;
}

function fromDictionary(dictionary: Dictionary, policies: readonly Policy[], moments: Moments): readonly Figure[] {
  const valueOf = (key: string): number | null => nonNegative(dictionary.get(key)?.[0]);
  const remaining = valueOf('remaining');
  if (remaining === null || (dictionary.has('reset') && valueOf('reset') === null)) return [];
  const limit = valueOf('limit');
  const policy = policies.find((each) => each.quota === limit);
  return [figureOf(null, remaining, valueOf('reset'), limit, policy, moments)];
}

function figureOf(
  scope: string | null,
  remaining: number,
  afterSeconds: number | null,
  limit: number | null,
  policy: Policy | undefined,
  moments: Moments,
): Figure {
  const waitMs = afterSeconds === null ? null : Math.min(afterSeconds * 1000, Number.MAX_SAFE_INTEGER);
  return {
    scope,
    unit: policy?.unit ?? null,
    remaining,
    limit,
    resetAtMs: waitMs === null ? null : moments.receivedMs + waitMs,
    waitMs,
    from: FIELD,
    guess: null,
    window: policy?.windowSeconds ?? null,
    perSecond: null,
    kind: null,
    exhausted: remaining < 1,
  };
}

function readPolicies(field: readonly string[]): readonly Policy[] {
  const list = attempt(parseList, field);
  return (list ?? []).map(([value, parameters]) => ({
    name: nameOf(value),
    quota: typeof value === 'number' ? nonNegative(value) : count(parameters, 'q'),
    windowSeconds: count(parameters, 'w'),
    unit: nameOf(parameters.get('qu')),
    key: keyOf(parameters),
  }));
}

function nameOf(value: unknown): string | null {
  return typeof value === 'string' ? value : value instanceof Token ? value.toString() : null;
}

function keyOf(parameters: Parameters): string | null {
  const key = parameters.get('pk');
  return key instanceof ArrayBuffer ? Buffer.from(key).toString('base64') : null;
}

function count(parameters: Parameters, key: string): number | null {
  return nonNegative(parameters.get(key));
}

function nonNegative(value: unknown): number | null {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 ? value : null;
}

function attempt<T>(parse: (text: string) => T, field: readonly string[]): T | null {
  const text = field.join(', ');
  if (text.length > MAX_TEXT) return null;
  try {
    return parse(text);
  } catch {
    return null;
  }
}
