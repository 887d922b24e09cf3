import type { Safety } from '../model/outcome.js';
import { selectsQuery } from './graphql-query.js';
import type { RequestView } from './options.js';
import { afterBasePath, compilePath, type PathTest } from './path-pattern.js';
import type { ResolvedContract } from './resolved.js';
import { splitTemplate } from './resolve-routes.js';

interface SafePattern {
  /** Upper case; '*' = any. */
  readonly method: string;
  /** Null = every path. */
  readonly fits: PathTest | null;
}

interface SafeList {
  readonly routes: ReadonlySet<string>;
  readonly patterns: readonly SafePattern[];
}

const lists = new WeakMap<ResolvedContract, SafeList>();

/** `'GET *'`, `'POST /search'` or `'* /ping'`, compiled; null where the text is no such pattern. */
export function parseSafePattern(text: string): SafePattern | null {
  const { method, template } = splitTemplate(text);
  if (!/^(\*|[A-Z]+)$/.test(method)) return null;
  if (template === '*') return { method, fits: null };
  if (!template.startsWith('/')) return null;
  try {
    return { method, fits: compilePath(template) };
  } catch {
    return null;
  }
}

export interface SafetyHints {
  /** What the caller says: `true` = may be repeated without harm, `false` = may not, whatever the contract lists. */
  readonly safeFlag?: boolean | undefined;
  /** Whether there is an idempotency key to send. */
  readonly hasKey: boolean;
}

/** Whether a request may be repeated without harm. What is not certainly safe is a write. */
export function safetyOf(contract: ResolvedContract, request: RequestView, hints: SafetyHints): Safety {
  if (hints.safeFlag ?? isListedSafe(contract, request)) return 'safe';
  return hints.hasKey && acceptsKey(contract, request) ? 'keyed' : 'unkeyed';
}

/** Whether the provider honours an idempotency key on this request. */
export function acceptsKey(contract: ResolvedContract, request: RequestView): boolean {
  if (contract.idempotency === null) return false;
  const { accepts } = contract.idempotency;
  if (accepts === null) return !isListedSafe(contract, request);
  if (request.route !== null && accepts.includes(request.route)) return true;
  const method = request.method.toUpperCase();
  return accepts.some((entry) => entry.toUpperCase() === method);
}

/** Whether the contract lists a request as safe. */
export function isListedSafe(contract: ResolvedContract, request: RequestView): boolean {
  const list = listOf(contract);
  if (request.route !== null && list.routes.has(request.route)) return true;
  const method = request.method.toUpperCase();
  const rest = afterBasePath(contract, request.path);
  for (const pattern of list.patterns) {
    if (pattern.method !== method && pattern.method !== '*') continue;
    if (pattern.fits === null || pattern.fits(request.path)) return true;
    if (rest !== null && pattern.fits(rest)) return true;
  }
  return contract.graphql && method === 'POST' && selectsQuery(request);
}

function listOf(contract: ResolvedContract): SafeList {
  let list = lists.get(contract);
  if (list === undefined) {
    const names = new Set(contract.routes.map(({ name }) => name));
    list = {
      routes: new Set(contract.safe.filter((entry) => names.has(entry))),
      patterns: contract.safe.map(parseSafePattern).filter((pattern) => pattern !== null),
    };
    lists.set(contract, list);
  }
  return list;
}
