import { afterBasePath, compilePath, isLiteral, literalKey, type PathTest } from './path-pattern.js';
import type { ResolvedContract, ResolvedRoute } from './resolved.js';

interface Pattern {
  readonly name: string;
  readonly fits: PathTest;
}

interface MethodRoutes {
  /** Templates without a parameter, by their path. */
  readonly literals: ReadonlyMap<string, string>;
  /** The others by their first segment, in contract order; those that begin with a parameter are in every list. */
  readonly patterns: ReadonlyMap<string, readonly Pattern[]>;
  /** Those that begin with a parameter. */
  readonly anywhere: readonly Pattern[];
}

/** Methods of HTTP in either spelling, and some to spare. */
const MAX_METHODS = 32;

/** By method, for each contract. */
const routers = new WeakMap<ResolvedContract, Map<string, MethodRoutes>>();

/**
 * Name of the route a request belongs to; null = none. A template without a parameter wins over one with; among those, the
 * first in the contract. Templates are read after the path of `http.baseURL`, or from the root.
 */
export function matchRoute(contract: ResolvedContract, method: string, path: string): string | null {
  if (contract.routes.length === 0) return null;
  const routes = routesOf(contract, method);
  const rest = afterBasePath(contract, path);
  return (rest === null ? null : find(routes, rest)) ?? find(routes, path);
}

function find(routes: MethodRoutes, path: string): string | null {
  const key = literalKey(path);
  const literal = routes.literals.get(key);
  if (literal !== undefined) return literal;
  for (const { name, fits } of routes.patterns.get(firstSegment(key)) ?? routes.anywhere) if (fits(path)) return name;
  return null;
}

function routesOf(contract: ResolvedContract, method: string): MethodRoutes {
  let byMethod = routers.get(contract);
  if (byMethod === undefined) routers.set(contract, (byMethod = new Map()));
  const known = byMethod.get(method);
  if (known !== undefined) return known;
  const upper = method.toUpperCase();
  const routes = compile(contract.routes.filter((route) => route.method === upper || route.method === '*'));
  if (byMethod.size < MAX_METHODS) byMethod.set(method, routes);
  return routes;
}

function compile(routes: readonly ResolvedRoute[]): MethodRoutes {
  const literals = new Map<string, string>();
  const patterns = new Map<string, Pattern[]>();
  const anywhere: Pattern[] = [];
  for (const { name, template } of routes) {
    if (isLiteral(template)) {
      if (!literals.has(literalKey(template))) literals.set(literalKey(template), name);
      continue;
    }
    const pattern = { name, fits: compilePath(template) };
    const segment = firstSegment(template.toLowerCase());
    if (!isLiteral(segment)) {
      for (const list of patterns.values()) list.push(pattern);
      anywhere.push(pattern);
      continue;
    }
    const list = patterns.get(segment);
    if (list === undefined) patterns.set(segment, [...anywhere, pattern]);
    else list.push(pattern);
  }
  return { literals, patterns, anywhere };
}

/** `/contacts` of `/contacts/42`. */
function firstSegment(path: string): string {
  const end = path.indexOf('/', 1);
  return end === -1 ? path : path.slice(0, end);
}
