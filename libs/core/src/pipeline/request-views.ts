import type { RequestView } from '../contract/options.js';
import type { HeaderBag } from '../model/outcome.js';
import type { FirstBody } from './call.js';

/** A request as it was given, with its route. What the client works out only when it is looked at stays so. */
export function routed(request: RequestView, route: string | null): RequestView {
  return route === request.route ? request : new Derived(request, route, request.headers);
}

/** A request with the headers that this attempt adds. */
export function withHeaders(request: RequestView, added: Readonly<Record<string, string>>): RequestView {
  return new Derived(request, request.route, { ...request.headers, ...added });
}

/** A request with the body of its first send. */
export function withBody(request: RequestView, { bytes, contentType }: FirstBody): RequestView {
  const { method, path, query, headers, route } = request;
  return { method, path, query, headers, route, body: readable(Buffer.from(bytes), contentType ?? '') };
}

/** As the client shows it: what JSON says, a text, or bytes. */
function readable(bytes: Buffer, contentType: string): unknown {
  if (bytes.length === 0) return undefined;
  if (!/json|^text\/|x-www-form-urlencoded/i.test(contentType)) return bytes;
  const text = bytes.toString('utf8');
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

class Derived implements RequestView {
  constructor(
    private readonly source: RequestView,
    readonly route: string | null,
    readonly headers: HeaderBag,
  ) {}

  get method(): string {
    return this.source.method;
  }

  get path(): string {
    return this.source.path;
  }

  get query(): RequestView['query'] {
    return this.source.query;
  }

  get body(): unknown {
    return this.source.body;
  }
}
