import type { InternalAxiosRequestConfig } from 'axios';
import { configError, type Random, withinAttempt } from '../../core/src/index.js';

/** Headers that belong to the very bytes of a body; false = it has none of that name. */
export type BodyHeaders = Readonly<Record<string, string | false>>;

/** Gives the body of one attempt; the same bytes every time. */
export interface BodySource {
  /** False = it can be read once only. */
  readonly resendable: boolean;
  readonly headers: BodyHeaders | null;
  next(): unknown;
}

/** The package form-data, or what behaves like it. */
interface FormStream {
  pipe(target: unknown): unknown;
  getBuffer(): Buffer;
  getHeaders(): Record<string, string>;
}

/**
 * The body has been transformed once, by the user's own transforms. What remains is what Axios would serialise anew for each
 * attempt: forms get their boundary here, those of form-data become a buffer.
 */
export function bodySource(config: InternalAxiosRequestConfig, random: Random, owner: object): BodySource {
  const factory = config.sluice?.body;
  // The attempt holds a permit while the body is made.
  if (factory !== undefined) return { resendable: true, headers: null, next: () => withinAttempt(owner, factory) };
  const data: unknown = config.data;
  if (typeof data !== 'object' || data === null || Buffer.isBuffer(data)) return once(data, true);
  if (isFormStream(data)) return fromFormStream(data);
  if (isStream(data)) return once(data, false);
  return once(data, true, isFormData(data) ? boundary(config, random) : null);
}

function once(data: unknown, resendable: boolean, headers: BodySource['headers'] = null): BodySource {
  return { resendable, headers, next: () => data };
}

function fromFormStream(form: FormStream): BodySource {
  try {
    return once(form.getBuffer(), true, form.getHeaders());
  } catch {
    // One of its parts is a stream.
    return once(form, false);
  }
}

function boundary(config: InternalAxiosRequestConfig, random: Random): BodySource['headers'] {
  if (/boundary=/i.test(String(config.headers.get('Content-Type') ?? ''))) return null;
  const digits = Array.from({ length: 24 }, () => Math.floor(random.next() * 36).toString(36)).join('');
  return { 'Content-Type': `multipart/form-data; boundary=sluice-boundary-${digits}` };
}

function isFormStream(data: object): data is FormStream {
  const form = data as Partial<FormStream>;
  return (
    typeof form.pipe === 'function' && typeof form.getBuffer === 'function' && typeof form.getHeaders === 'function'
  );
}

export function isStream(data: object): boolean {
  const stream = data as { pipe?: unknown; getReader?: unknown };
  return typeof stream.pipe === 'function' || typeof stream.getReader === 'function';
}

export function isFormData(data: object): boolean {
  return (data as { [Symbol.toStringTag]?: unknown })[Symbol.toStringTag] === 'FormData';
}

/**
 * The body with fields of ours in it, such as an idempotency key.
 *
 * @throws SluiceError CONFIG when the body is not a JSON object.
 */
export function withFields(provider: string, data: unknown, fields: Readonly<Record<string, string>>): unknown {
  for (const _ in fields) return JSON.stringify({ ...jsonObject(provider, data), ...fields });
  return data;
}

function jsonObject(provider: string, data: unknown): object {
  try {
    const parsed: unknown = typeof data === 'string' ? JSON.parse(data) : undefined;
    if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return parsed;
  } catch {
    // Told below, without the body.
  }
  throw configError(
    provider,
    'idempotency.bodyField',
    'set',
    'a JSON object as the body of every write that carries it',
  );
}
