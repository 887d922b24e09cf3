import type { ProviderOptions } from './options.js';
import type { ResolvedRoute } from './resolved.js';

/** `'get  /contacts/:id'` is `GET` and `/contacts/:id`. */
export function splitTemplate(text: string): { readonly method: string; readonly template: string } {
  const space = text.search(/\s/);
  if (space === -1) return { method: '', template: text };
  return { method: text.slice(0, space).toUpperCase(), template: text.slice(space).trim() };
}

export function resolveRoutes({ routes = {} }: ProviderOptions): readonly ResolvedRoute[] {
  return Object.entries(routes).map(([name, text]) => ({ name, ...splitTemplate(text) }));
}
