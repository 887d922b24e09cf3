import { types } from 'node:util';
import type { FirstBody, WritableBody } from '../../core/src/index.js';
import { type BodyHeaders, isFormData, isStream } from './request-body.js';

/** The body of one attempt, made before it is sent. */
export interface MadeBody {
  readonly data: unknown;
  readonly headers: BodyHeaders | null;
  readonly written: WritableBody;
}

const UNKNOWN: WritableBody = { bytes: null, contentType: null, repeatable: false };
const EMPTY = Buffer.alloc(0);

/**
 * What will be on the wire, before it is: forms and blobs become bytes here. The bytes of a stream cannot be known.
 *
 * @param contentType what the request itself says of its body
 */
export function madeBody(
  data: unknown,
  headers: BodyHeaders | null,
  contentType: string | null,
): MadeBody | Promise<MadeBody> {
  // prettier-ignore
  if (typeof data === 'object' && data !== null) {
    if (isFormData(data)) return encoded(new Response(native(data as FormData)), null);
    if (data instanceof Blob) return encoded(new Response(data), contentType);
    if (isStream(data)) return { data, headers, written: UNKNOWN };
  }
  const bytes = bytesOf(data);
  if (bytes === null) return { data, headers, written: UNKNOWN };
  const said = headerOf(headers) ?? contentType ?? (data instanceof URLSearchParams ? FORM : null);
  return { data, headers, written: { bytes, contentType: said, repeatable: true } };
}

/** What its first send brought. */
export function firstBody({ bytes, contentType }: FirstBody, hasLength: boolean): Omit<MadeBody, 'written'> {
  // Where there was no header, there is none: a false one keeps Axios from adding its own.
  const headers: Record<string, string | false> = { 'Content-Type': contentType ?? false };
  if (hasLength) headers['Content-Length'] = String(bytes.length);
  return { data: bytes.length === 0 ? undefined : Buffer.from(bytes), headers };
}

const FORM = 'application/x-www-form-urlencoded;charset=utf-8';

/** Null = an adapter of the user's may know what it is; we do not. */
function bytesOf(data: unknown): Uint8Array | null {
  if (data === undefined || data === null) return EMPTY;
  if (typeof data === 'string') return Buffer.from(data);
  if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  if (types.isAnyArrayBuffer(data)) return new Uint8Array(data);
  if (data instanceof URLSearchParams) return Buffer.from(data.toString());
  return null;
}

async function encoded(response: Response, contentType: string | null): Promise<MadeBody> {
  const said = response.headers.get('content-type') || contentType || 'application/octet-stream';
  const data = Buffer.from(await response.arrayBuffer());
  return { data, headers: { 'Content-Type': said }, written: { bytes: data, contentType: said, repeatable: true } };
}

/** A form of another implementation, as one of Node's own. */
function native(form: FormData): FormData {
  if (form instanceof FormData) return form;
  const copy = new FormData();
  for (const [name, value] of form as Iterable<[string, string | File]>) {
    if (typeof value === 'string') copy.append(name, value);
    else if (value instanceof Blob) copy.append(name, value, value.name);
    else throw new TypeError(`The field "${name}" of the form is neither a text nor a Blob of Node's own.`);
  }
  return copy;
}

function headerOf(headers: BodyHeaders | null): string | null {
  for (const [name, value] of Object.entries(headers ?? {})) {
    if (name.toLowerCase() === 'content-type' && typeof value === 'string') return value;
  }
  return null;
}
