/** Routes of the catalogue are found whatever base URL a user gives. */
import type { ProviderOptions } from '../../core/src/index.js';

type Known = Omit<ProviderOptions, 'name'>;

/**
 * Templates of the catalogue follow the path of its own base URL (`/api/v4`). Below another, requests may have that path in them:
 * it becomes a part that may be there. A limit of a route that is not found would not be held, and nobody would hear of it.
 */
export function belowAnyBase(known: Known, baseURL: unknown): Known {
  const own = pathOf(known.http?.baseURL);
  if (own === '' || typeof baseURL !== 'string' || pathOf(baseURL).endsWith(own)) return known;
  const below = (text: string): string => text.replace(' /', ` /{${own.slice(1)}/}`);
  return {
    ...known,
    ...(known.routes === undefined ? {} : { routes: literalsFirst(known.routes, below) }),
    ...(known.safe === undefined ? {} : { safe: known.safe.map(below) }),
  };
}

/** A template without a parameter wins over one with; those that get an optional part keep that place by their order. */
function literalsFirst(
  routes: Readonly<Record<string, string>>,
  below: (text: string) => string,
): Readonly<Record<string, string>> {
  const all = Object.entries(routes);
  const isLiteral = ([, template]: readonly [string, string]): boolean => !/[:*{]/.test(template.replace(/^\*/, ''));
  const ordered = [...all.filter(isLiteral), ...all.filter((route) => !isLiteral(route))];
  return Object.fromEntries(ordered.map(([name, template]) => [name, below(template)]));
}

const pathOf = (url: string | undefined): string =>
  (url ?? '')
    .replace(/^(?:[a-z][a-z\d+.-]*:)?\/\/[^/?#]*/i, '')
    .replace(/[?#].*$/, '')
    .replace(/\/+$/, '');
