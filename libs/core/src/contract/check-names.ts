/** Names that refer to something, and names that must be told apart. */
import { type Finding, showValue } from '../errors/config-error.js';
import { didYouMean } from '../errors/nearest.js';
import type { ProviderOptions } from './options.js';
import { isLiteral, literalKey, compilePath } from './path-pattern.js';
import { isReservable } from './resolve-lanes.js';
import type { ResolvedContract, ResolvedRoute } from './resolved.js';
import { parseSafePattern } from './safety.js';

export function checkNames(options: ProviderOptions, contract: ResolvedContract): readonly Finding[] {
  const routes = contract.routes.map(({ name }) => name);
  const limits = contract.limits.map(({ name }) => name);
  const lanes = contract.lanes.map(({ name }) => name);
  const reservable = contract.limits.filter(isReservable).map(({ name }) => name);
  return [
    ...repeated('dimensions', options.dimensions),
    ...options.limits.flatMap((limit, index) => {
      const path = `limits[${index}]`;
      return [
        ...unknown(`${path}.countedBy`, limit.countedBy, 'dimensions', options.dimensions ?? []),
        ...repeated(`${path}.countedBy`, limit.countedBy),
        ...unknown(`${path}.routes`, limit.routes, 'routes', routes),
        ...(limit.routes?.length === 0
          ? [{ option: `${path}.routes`, found: '[]', expected: 'at least one route; leave it out for every request' }]
          : []),
        ...(limit.kind === 'quota' ? unknown(`${path}.reserve`, keysOf(limit.reserve), 'lanes', lanes) : []),
      ];
    }),
    ...duplicateNames(options),
    ...contract.routes.flatMap((route, index) => checkRoute(route, contract.routes.slice(0, index))),
    ...(options.safe ?? []).flatMap((entry, index) => checkSafe(entry, `safe[${index}]`, routes)),
    ...Object.entries(options.lanes ?? {}).flatMap(([lane, { reserve }]) =>
      typeof reserve === 'object'
        ? unknown(
            `lanes.${lane}.reserve`,
            keysOf(reserve),
            'provider-wide token buckets and concurrency limits',
            reservable,
          )
        : [],
    ),
    ...unknown('reading.scopes', Object.values(options.reading?.scopes ?? {}), 'limits', limits),
    ...checkAccepts(options, routes),
    ...unknown('defaultUnits', keysOf(options.defaultUnits), 'units that its limits count', [
      ...Object.keys(contract.defaultUnits),
      'requests',
    ]),
  ];
}

function keysOf(value: Readonly<Record<string, unknown>> | undefined): readonly string[] {
  return Object.keys(value ?? {});
}

/** Names that are not among the known ones. */
function unknown(
  option: string,
  names: readonly string[] | undefined,
  what: string,
  known: readonly string[],
): readonly Finding[] {
  return (names ?? [])
    .filter((name) => !known.includes(name))
    .map((name) => ({ option, found: showValue(name), expected: oneOfThe(what, known) + didYouMean(name, known) }));
}

function oneOfThe(what: string, known: readonly string[]): string {
  return `one of the ${what}: ${known.length === 0 ? 'there are none' : [...new Set(known)].join(', ')}`;
}

function repeated(option: string, names: readonly string[] | undefined): readonly Finding[] {
  return (names ?? [])
    .filter((name, index) => names!.indexOf(name) < index)
    .map((name) => ({ option, found: `${showValue(name)} twice`, expected: 'each name once' }));
}

function duplicateNames({ limits }: ProviderOptions): readonly Finding[] {
  return limits.flatMap(({ name }, index) =>
    name !== undefined && limits.findIndex((other) => other.name === name) < index
      ? [{ option: `limits[${index}].name`, found: showValue(name), expected: 'a name that no other limit has' }]
      : [],
  );
}

function checkRoute(route: ResolvedRoute, before: readonly ResolvedRoute[]): readonly Finding[] {
  const option = `routes.${route.name}`;
  const found = showValue(`${route.method} ${route.template}`.trim());
  const wrong = (expected: string): readonly Finding[] => [{ option, found, expected }];
  if (!/^(\*|[A-Z]+)$/.test(route.method) || !route.template.startsWith('/')) {
    return wrong("a method (or *) and a path: 'GET /contacts/:id'");
  }
  if (/[?#]/.test(route.template)) return wrong('a path without query and fragment');
  try {
    compilePath(route.template);
  } catch (error) {
    return wrong(`a template of path-to-regexp, such as /contacts/:id or /files/*path (${reasonOf(error)})`);
  }
  const same = before.find((other) => other.method === route.method && sameTemplate(other.template, route.template));
  return same === undefined ? [] : wrong(`a template that route "${same.name}" does not have already`);
}

function sameTemplate(one: string, other: string): boolean {
  return one === other || (isLiteral(one) && isLiteral(other) && literalKey(one) === literalKey(other));
}

function reasonOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replace(/[;:] .*$/s, '');
}

function checkSafe(entry: string, option: string, routes: readonly string[]): readonly Finding[] {
  if (routes.includes(entry) || parseSafePattern(entry) !== null) return [];
  const expected = `a method and a path ('GET *', 'POST /search'), or ${oneOfThe('routes', routes)}`;
  return [{ option, found: showValue(entry), expected }];
}

function checkAccepts({ idempotency }: ProviderOptions, routes: readonly string[]): readonly Finding[] {
  if (typeof idempotency !== 'object') return [];
  return (idempotency.accepts ?? [])
    .filter((entry) => !routes.includes(entry) && !METHODS.includes(entry.toUpperCase()))
    .map((entry) => ({
      option: 'idempotency.accepts',
      found: showValue(entry),
      expected: `a method that writes (${METHODS.join(', ')}), or ${oneOfThe('routes', routes)}`,
    }));
}

const METHODS = ['POST', 'PUT', 'PATCH', 'DELETE'];
