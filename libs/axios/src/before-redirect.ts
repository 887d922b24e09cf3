import type { AxiosResponse, InternalAxiosRequestConfig } from 'axios';
import type { OwnErrors } from './own-copy.js';
import { fullUrl } from './request-view.js';

type Config = InternalAxiosRequestConfig;

/** Axios' own error where a request is redirected more often than `maxRedirects` allows. */
export async function tooManyRedirects(
  errors: () => Promise<OwnErrors>,
  caller: Config,
  request: unknown,
): Promise<Error> {
  const { AxiosError } = await errors();
  return new AxiosError('Maximum number of redirects exceeded', 'ERR_FR_TOO_MANY_REDIRECTS', caller, request);
}

/** What `beforeRedirect` gets and may change, under the names that follow-redirects uses. */
interface RedirectOptions {
  protocol: string;
  hostname: string;
  port: string;
  path: string;
  method: string;
  headers: Record<string, unknown>;
  readonly href: string;
}

/** Lets the user's `beforeRedirect` look at the next request and change it. One that throws ends the call with its error. */
export async function noticeRedirect(
  errors: () => Promise<OwnErrors>,
  caller: Config,
  from: Config,
  to: Config,
  response: AxiosResponse,
): Promise<Config> {
  const { beforeRedirect } = caller;
  if (typeof beforeRedirect !== 'function') return to;
  const url = new URL(to.url ?? '');
  const options: RedirectOptions = {
    protocol: url.protocol,
    hostname: url.hostname,
    port: url.port,
    path: `${url.pathname}${url.search}`,
    method: (to.method ?? 'get').toUpperCase(),
    headers: { ...to.headers },
    href: url.href,
  };
  const headers = { ...response.headers } as Record<string, string>;
  const sent = { ...from.headers } as unknown as Record<string, string>;
  const method = (from.method ?? 'get').toUpperCase();
  try {
    beforeRedirect(options, { headers, statusCode: response.status }, { headers: sent, url: fullUrl(from), method });
  } catch (thrown) {
    throw await redirectRefused(errors, caller, thrown);
  }
  const port = options.port ? `:${options.port}` : '';
  const changed = to.headers.concat() as Config['headers'];
  for (const name of Object.keys(changed)) if (!(name in options.headers)) changed.delete(name);
  changed.set(options.headers as never);
  return {
    ...to,
    url: `${options.protocol}//${options.hostname}${port}${options.path}`,
    method: options.method.toLowerCase(),
    headers: changed,
  };
}

async function redirectRefused(errors: () => Promise<OwnErrors>, caller: Config, thrown: unknown): Promise<Error> {
  const { AxiosError } = await errors();
  const { message = String(thrown), code } = (thrown ?? {}) as { message?: string; code?: string };
  const error = new AxiosError(message, code, caller);
  Object.defineProperty(error, 'cause', { value: thrown, enumerable: false, writable: true, configurable: true });
  return error;
}
