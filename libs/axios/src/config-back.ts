import type { AxiosResponse, InternalAxiosRequestConfig } from 'axios';

interface Carrier {
  config?: unknown;
  request?: unknown;
  response?: AxiosResponse;
}

/**
 * Gives an error the caller's own config: that of the attempt holds what the module added (credentials, the adapter, which
 * would lead a retry of the user's past the gate).
 */
export function configBack(error: unknown, config: InternalAxiosRequestConfig, secret: boolean): void {
  if (typeof error !== 'object' || error === null) return;
  const carrier = error as Carrier;
  if (!('config' in carrier) && !('response' in carrier)) return;
  carrier.config = config;
  if (secret) hideRequest(carrier);
  if (typeof carrier.response === 'object' && carrier.response !== null) responseBack(carrier.response, config, secret);
}

export function responseBack(response: AxiosResponse, config: InternalAxiosRequestConfig, secret: boolean): void {
  response.config = config;
  if (secret) hideRequest(response);
}

/** A request's headers are those that were sent, ours among them: it stays readable, but out of dumps. */
function hideRequest(carrier: Carrier): void {
  const { request } = carrier;
  if (request === undefined) return;
  Object.defineProperty(carrier, 'request', { value: request, enumerable: false, writable: true, configurable: true });
}
