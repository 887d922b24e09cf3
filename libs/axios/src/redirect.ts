import type { AxiosResponse, InternalAxiosRequestConfig } from 'axios';
import type { Safety } from '../../core/src/index.js';
import { fullUrl } from './request-view.js';

/** What follow-redirects allows where Axios is told nothing. */
const DEFAULT_MAX_REDIRECTS = 21;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** Headers that prove who asks: never shown to another origin. Long words wherever they stand, short ones as words of their own. */
const CREDENTIALS =
  /authori[sz]ation|cookie|credential|passw(?:or)?d|passphrase|secret|session|signature|token|(?:access|api|auth)key|(?:^|[-_])(?:auth|jwt|key|pwd)(?:$|[-_])/i;
const BODY_HEADERS = /^content-/i;

export interface Redirect {
  /** The request to send next; the body goes again where it is kept. */
  readonly config: InternalAxiosRequestConfig;
  readonly keepsBody: boolean;
  readonly sameOrigin: boolean;
}

/** How many redirects a request follows. */
export function maxRedirectsOf(config: InternalAxiosRequestConfig): number {
  return config.maxRedirects ?? DEFAULT_MAX_REDIRECTS;
}

/**
 * The request that a redirect leads to, by the rules of RFC 9110 15.4 as browsers and follow-redirects apply them; null = the
 * answer is delivered as it is. Reads are followed; a write is only repeated where a repeat does no harm.
 */
export function redirectOf(
  config: InternalAxiosRequestConfig,
  response: AxiosResponse,
  safety: Safety,
  resendable: boolean,
): Redirect | null {
  if (!REDIRECTS.has(response.status)) return null;
  const location = headerOf(response.headers, 'location');
  if (location === undefined) return null;
  const from = urlOf(config);
  const to = target(location, from);
  if (from === null || to === null) return null;
  const method = (config.method ?? 'get').toLowerCase();
  const becomesGet = turnsIntoGet(response.status, method);
  if (!becomesGet && method !== 'get' && method !== 'head' && (safety === 'unkeyed' || !resendable)) return null;
  const sameOrigin = to.origin === from.origin;
  return {
    config: {
      ...config,
      url: to.href,
      baseURL: undefined,
      params: undefined,
      method: becomesGet ? 'get' : method,
      data: becomesGet ? undefined : config.data,
      headers: headersFor(config, becomesGet, sameOrigin),
      ...(sameOrigin ? {} : { auth: undefined }),
    } as InternalAxiosRequestConfig,
    keepsBody: !becomesGet,
    sameOrigin,
  };
}

/** A header of an answer, whatever the spelling of its name. */
export function headerOf(headers: unknown, name: string): string | undefined {
  if (typeof headers !== 'object' || headers === null) return undefined;
  const bag = headers as Record<string, unknown>;
  let value = bag[name];
  if (value === undefined) {
    for (const key of Object.keys(bag)) if (key.toLowerCase() === name) value = bag[key];
  }
  const first: unknown = Array.isArray(value) ? value[0] : value;
  return typeof first === 'string' ? first : undefined;
}

function turnsIntoGet(status: number, method: string): boolean {
  if (status === 303) return method !== 'get' && method !== 'head';
  return (status === 301 || status === 302) && method === 'post';
}

function headersFor(
  config: InternalAxiosRequestConfig,
  becomesGet: boolean,
  sameOrigin: boolean,
): InternalAxiosRequestConfig['headers'] {
  const headers = config.headers.concat() as InternalAxiosRequestConfig['headers'];
  const { sensitiveHeaders } = config as { sensitiveHeaders?: unknown };
  const named = new Set(
    Array.isArray(sensitiveHeaders) ? sensitiveHeaders.map((name) => String(name).toLowerCase()) : [],
  );
  for (const name of Object.keys(headers)) {
    const secret = !sameOrigin && (CREDENTIALS.test(name) || named.has(name.toLowerCase()));
    if (secret || name.toLowerCase() === 'host' || (becomesGet && BODY_HEADERS.test(name))) headers.delete(name);
  }
  return headers;
}

function urlOf(config: InternalAxiosRequestConfig): URL | null {
  // Over a unix socket the origin is only a name.
  return target(fullUrl(config), config.socketPath ? new URL('http://localhost') : null);
}

function target(text: string, base: URL | null): URL | null {
  try {
    const url = new URL(text, base ?? undefined);
    return url.protocol === 'http:' || url.protocol === 'https:' ? url : null;
  } catch {
    return null;
  }
}
