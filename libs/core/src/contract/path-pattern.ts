import { pathToRegexp } from 'path-to-regexp';
import type { ResolvedContract } from './resolved.js';

/** Tells whether a path fits a template. */
export type PathTest = (path: string) => boolean;

/**
 * Compiles a template of path-to-regexp: `/contacts/:id`, `/files/*path`, `/v1{/admin}/users`. Case and a slash at the end
 * do not matter: where it is doubtful what a provider counts, more is counted rather than less.
 *
 * @throws TypeError when it cannot be read as a template.
 */
export function compilePath(template: string): PathTest {
  const { regexp } = pathToRegexp(template);
  return (path) => regexp.test(path);
}

/** Whether a template stands for one path only. */
export function isLiteral(template: string): boolean {
  return !/[:*{}\\()[\]+?!]/.test(template);
}

/** A path as literal templates are compared with it. */
export function literalKey(path: string): string {
  const lower = path.toLowerCase();
  return lower.length > 1 && lower.endsWith('/') ? lower.slice(0, -1) : lower;
}

/** Path of each contract's base URL, without the slash at its end; '' = none. */
const basePaths = new WeakMap<ResolvedContract, string>();

/** What follows the path of `http.baseURL`, against which templates are written; null where it has none or the path does not begin with it. */
export function afterBasePath(contract: ResolvedContract, path: string): string | null {
  let base = basePaths.get(contract);
  if (base === undefined) basePaths.set(contract, (base = pathOf(contract.options.http?.baseURL)));
  return base !== '' && path.startsWith(`${base}/`) ? path.slice(base.length) : null;
}

function pathOf(baseURL: string | undefined): string {
  if (baseURL === undefined) return '';
  const path = baseURL.replace(/^([a-z][a-z\d+.-]*:)?\/\/[^/?#]*/i, '').replace(/[?#].*$/, '');
  return path.replace(/\/+$/, '');
}
