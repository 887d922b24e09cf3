/** What a GraphQL request asks for, as far as its cost depends on it. */
import type { RequestView } from '../../core/src/index.js';

/** Whether its document has a mutation; what cannot be read counts as one. */
export function mutates({ body }: RequestView): boolean {
  const query: unknown =
    typeof body === 'object' && body !== null ? (body as { readonly query?: unknown }).query : body;
  return typeof query !== 'string' || /(?:^|[\s}])mutation\b/.test(query);
}
