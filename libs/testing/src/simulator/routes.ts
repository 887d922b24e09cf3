import { match } from 'path-to-regexp';
import type { SimulatedAnswer } from './answer.js';
import type { SimulatedRequest } from './request.js';

/** What a handler is given besides the request. */
export interface HandlerContext {
  /** Parts of the path that the template names. */
  readonly params: Readonly<Record<string, string>>;
  /** The provider's own wall clock. */
  readonly wallMs: number;
}

/** The provider's work. A number is a bare status; anything but an answer of that shape is a mistake of the test. */
export type Handler = (request: SimulatedRequest, context: HandlerContext) => SimulatedAnswer | number;

/** Handlers by template: `{ 'GET /contacts/:id': ... }`; the first match counts. */
export type Routes = Readonly<Record<string, Handler>>;

export interface Matched {
  readonly template: string;
  readonly params: Readonly<Record<string, string>>;
  readonly handler: Handler;
}

/** The router of a provider without routes: everything is answered 200 with `{}`. */
const ANYTHING: Matched = { template: '*', params: {}, handler: () => ({ status: 200, body: {} }) };

const NOWHERE: Handler = () => ({ status: 404, body: { error: 'not found' } });

export function createRouter(routes: Routes | undefined): (request: SimulatedRequest) => Matched {
  if (routes === undefined) return () => ANYTHING;
  const compiled = Object.entries(routes).map(([template, handler]) => {
    const [method = '', path = ''] = template.split(' ');
    if (!path.startsWith('/'))
      throw new RangeError(`The simulated route "${template}" is not of the form "GET /path/:name".`);
    return { template, method: method.toUpperCase(), matchPath: match<Record<string, string>>(path), handler };
  });
  return (request) => {
    for (const { template, method, matchPath, handler } of compiled) {
      const found = method === request.method && matchPath(request.path);
      if (found) return { template, params: found.params, handler };
    }
    return { template: '*', params: {}, handler: NOWHERE };
  };
}
