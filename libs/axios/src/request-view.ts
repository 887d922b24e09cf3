import type { InternalAxiosRequestConfig } from 'axios';
import type { HeaderBag, RequestView } from '../../core/src/index.js';

const ABSOLUTE = /^([a-z][a-z\d+\-.]*:)?\/\//i;

/** The request as the contract's functions see it. Query and body are worked out only where somebody looks. */
export function requestView(config: InternalAxiosRequestConfig, full: string = fullUrl(config)): RequestView {
  return new ConfigView(config, full);
}

/** A class: of object literals with getters V8 makes slow dictionaries, which all who look into them pay for. */
class ConfigView implements RequestView {
  readonly method: string;
  readonly path: string;
  readonly headers: HeaderBag;
  readonly route: null = null;
  readonly #config: InternalAxiosRequestConfig;
  readonly #full: string;
  #body: { readonly value: unknown } | null = null;

  constructor(config: InternalAxiosRequestConfig, full: string) {
    this.method = (config.method ?? 'get').toUpperCase();
    this.path = pathOf(full);
    this.headers = config.headers as unknown as HeaderBag;
    this.#config = config;
    this.#full = full;
  }

  get query(): RequestView['query'] {
    return queryOf(this.#full, this.#config.params);
  }

  get body(): unknown {
    return (this.#body ??= { value: readBody(this.#config) }).value;
  }
}

/** As Axios builds it, without `params`. */
export function fullUrl(config: InternalAxiosRequestConfig): string {
  const url = config.url ?? '';
  const { baseURL } = config;
  if (!baseURL) return url;
  // Most are so: one slash between the two.
  if (isPlainPath(url) && !baseURL.endsWith('/')) return baseURL + url;
  if (ABSOLUTE.test(url) && config.allowAbsoluteUrls !== false) return url;
  return url === '' ? baseURL : `${baseURL.replace(/\/?\/$/, '')}/${url.replace(/^\/+/, '')}`;
}

/** One slash, not two: a path and no host. */
function isPlainPath(url: string): boolean {
  return url.startsWith('/') && !url.startsWith('//');
}

function pathOf(full: string): string {
  const scheme = full.indexOf('//');
  let start = 0;
  if (scheme !== -1 && ABSOLUTE.test(full)) {
    start = full.indexOf('/', scheme + 2);
    if (start === -1) return '/';
  }
  const path = full.slice(start, endOfPath(full, start));
  if (REWRITTEN.test(path)) return asSent(path);
  return path.startsWith('/') ? path : `/${path}`;
}

function endOfPath(full: string, start: number): number {
  const query = full.indexOf('?', start);
  const fragment = full.indexOf('#', start);
  if (query === -1) return fragment === -1 ? full.length : fragment;
  return fragment === -1 ? query : Math.min(query, fragment);
}

/** Steps up or aside, backslashes, white space, escapes: what leaves is another text than what was given. */
const REWRITTEN = /[\\\s%]|\/\./;
/** Letters, digits and marks that mean the same without their escape (RFC 3986, 2.3). */
const NEEDLESS = /%(?:2[de]|3\d|[46][1-9a-f]|[57][\da]|5f|7e)/gi;

/** The path of the request line, by which the provider judges: limits, routes and safety go by no other. */
function asSent(path: string): string {
  try {
    const { pathname } = new URL(
      path.startsWith('/') || path.startsWith('\\') ? `http://localhost${path}` : `http://localhost/${path}`,
    );
    return pathname.replace(NEEDLESS, (escape) => decodeURIComponent(escape));
  } catch {
    return path.startsWith('/') ? path : `/${path}`;
  }
}

function queryOf(full: string, params: unknown): Readonly<Record<string, unknown>> {
  const mark = full.indexOf('?');
  const own = mark === -1 ? {} : Object.fromEntries(new URLSearchParams(full.slice(mark + 1).split('#', 1)[0]));
  if (params instanceof URLSearchParams) return { ...own, ...Object.fromEntries(params) };
  return typeof params === 'object' && params !== null ? { ...own, ...params } : own;
}

/** The object that was serialised, where it was one. */
function readBody(config: InternalAxiosRequestConfig): unknown {
  const data: unknown = config.data;
  if (typeof data !== 'string') return data;
  return parseJson(data, String(config.headers?.get?.('Content-Type') ?? '')) ?? data;
}

/** Undefined where the text is no JSON. */
export function parseJson(text: string, contentType: string): unknown {
  const first = text.trimStart()[0];
  if (!/[/+]json\b/i.test(contentType) && first !== '{' && first !== '[') return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
