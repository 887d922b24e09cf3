import { encodePayload } from './payload.js';
import { harmlessHeaders } from './redact.js';
import type { OperationWatch } from './watch.js';

/** What an HTTP client gives, Axios above all: methods often return it as it is. */
interface ResponseLike {
  readonly status: number;
  readonly statusText?: unknown;
  readonly headers: object;
  readonly data: unknown;
  readonly config: object;
}

/** What has happened has happened, whether or not its result can be kept: null = it cannot, which is told. */
export function keptResult(watch: OperationWatch, provider: string, what: string, value: unknown): string | null {
  try {
    return encodeResult(provider, what, value);
  } catch (error) {
    watch.failed(provider, 'result', error);
    return null;
  }
}

/**
 * A result as it is kept. Of a client's response what is data: status, headers without credentials, and body; neither its
 * request nor its config, which hold sockets and credentials.
 *
 * @param what Names the method in the error.
 * @throws SluiceError CONFIG where it is no plain data.
 */
export function encodeResult(provider: string, what: string, value: unknown): string {
  if (!isResponse(value)) return encodePayload(provider, what, value);
  const { status, statusText, headers, data } = value;
  return encodePayload(provider, what, { status, statusText, headers: harmlessHeaders(headers), data });
}

function isResponse(value: unknown): value is ResponseLike {
  if (typeof value !== 'object' || value === null) return false;
  const { status, headers, config } = value as Partial<ResponseLike>;
  const isMade = (part: unknown): boolean => typeof part === 'object' && part !== null;
  return typeof status === 'number' && isMade(headers) && 'data' in value && isMade(config) && 'headers' in config!;
}
