import type { InternalAxiosRequestConfig } from 'axios';
import type { AttemptContext } from '../../core/src/index.js';
import type { DefaultAgents } from './agents.js';
import { IDENTITY } from './own-copy.js';
import type { BodyHeaders } from './request-body.js';
import type { SocketProbe } from './socket-probe.js';

type Config = InternalAxiosRequestConfig;
export type AdapterChoice = Config['adapter'];

/** One request to be sent: the caller's own config, and what of it goes out in this attempt. */
export interface Outgoing {
  readonly caller: Config;
  readonly config: Config;
  readonly adapter: AdapterChoice;
  readonly data: unknown;
  /** Headers that belong to the body. */
  readonly bodyHeaders: BodyHeaders | null;
}

export type Kind = 'http' | 'http2' | 'fetch' | 'other';

/** Which adapter Axios will take in Node: the first of the list that works there. */
export function kindOf(adapter: AdapterChoice, config: Config): Kind {
  if (adapter === undefined) return overHttp(config);
  const first = Array.isArray(adapter) ? adapter.find((one) => one !== 'xhr') : adapter;
  if (first === 'fetch') return 'fetch';
  if (first !== 'http') return 'other';
  return overHttp(config);
}

/** Over HTTP/2 Axios takes a transport of its own. */
function overHttp(config: Config): Kind {
  const { httpVersion } = config as { httpVersion?: unknown };
  return Number(httpVersion ?? 1) === 1 ? 'http' : 'http2';
}

/** What an attempt leaves out: it is ours to say, has been done, or tells Axios' own HTTP adapter nothing. */
const LEFT_OUT = new Set([
  'adapter',
  'beforeRedirect',
  'cancelToken',
  'data',
  'headers',
  'maxRedirects',
  'signal',
  'sluice',
  'timeout',
  'transformRequest',
  'transformResponse',
  'transport',
  // Every status is an answer; the user's rule judges the last one.
  'validateStatus',
  'xsrfCookieName',
  'xsrfHeaderName',
]);
/** Of these the HTTP adapter knows the defaults. */
const DEFAULTS: Readonly<Record<string, unknown>> = { maxContentLength: -1, maxBodyLength: -1 };

type Loose = Record<string, unknown>;

/** For the HTTP adapter: no more than it needs, since every key costs two merges. */
export function httpConfig(
  agents: DefaultAgents,
  { config, data }: Outgoing,
  headers: Config['headers'],
  context: AttemptContext,
  probe: SocketProbe,
): Config {
  const attempt: Loose = { adapter: 'http', headers, maxRedirects: 0, transport: probe };
  if (data !== undefined) attempt['data'] = data;
  if (context.observed) attempt['timeout'] = config.timeout;
  const given = config as unknown as Loose;
  for (const key in given) {
    const value = given[key];
    if (value === undefined || LEFT_OUT.has(key) || DEFAULTS[key] === value) continue;
    if (key === 'env' || (key === 'transitional' && !needsTransitional(value as Loose, context))) continue;
    attempt[key] = value;
  }
  attempt['httpAgent'] ??= agents.http;
  attempt['httpsAgent'] ??= agents.https;
  return attempt as unknown as Config;
}

/** The rest of it is about Axios' own timeout, and about transforms. */
function needsTransitional(transitional: Loose, context: AttemptContext): boolean {
  return context.observed || transitional['advertiseZstdAcceptEncoding'] === true;
}

/** For any other adapter. */
export function plainConfig(
  { config, adapter, data }: Outgoing,
  headers: Config['headers'],
  context: AttemptContext,
  kind: Kind,
): Config {
  const attempt: Config & { fetchOptions?: object; sluice?: unknown } = {
    ...config,
    adapter,
    data,
    headers: typeof adapter === 'function' && headers === config.headers ? copied(headers) : headers,
    transformRequest: IDENTITY as Config['transformRequest'],
    transformResponse: IDENTITY as Config['transformResponse'],
    validateStatus: null,
    maxRedirects: 0,
    timeout: context.observed ? config.timeout : 0,
    signal: context.signal,
    cancelToken: undefined,
    beforeRedirect: undefined,
    sluice: undefined,
  };
  if (kind === 'fetch') attempt.fetchOptions = { ...attempt.fetchOptions, redirect: 'manual' };
  return attempt;
}

/** Adapters write into the headers they get, so a function gets a copy; an instance makes its own. */
function copied(headers: Config['headers']): Config['headers'] {
  return headers.concat() as Config['headers'];
}

/** The caller's own headers, or a copy with those of the body and of the module. */
export function headersOf({ config, bodyHeaders }: Outgoing, context: AttemptContext): Config['headers'] {
  let added = bodyHeaders !== null;
  for (const _ in context.headers) added = true;
  return added ? (config.headers.concat(bodyHeaders ?? {}, context.headers) as Config['headers']) : config.headers;
}
