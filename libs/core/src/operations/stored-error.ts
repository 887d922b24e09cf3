/** An error as it may be kept: who reads the store learns what went wrong, and no credential. */
import { redact } from './redact.js';

export interface StoredError {
  readonly name: string;
  readonly message: string;
  /** Of a `SluiceError` or of the network: `ATTEMPT_TIMEOUT`, `ECONNRESET`. */
  readonly code: string | null;
  /** The answer's, where there was one. */
  readonly status: number | null;
  /** The answer's body, shortened. */
  readonly body: string | null;
}

/** A stored error is under 8 KB, whatever it was made of. */
export const MAX_ERROR_BYTES = 8_000;
const MAX_MESSAGE = 1_000;
const MAX_WORD = 200;

/** What may be kept of an error: redacted and shortened. Safe to apply again. */
export function storableError(error: StoredError): StoredError {
  const kept = {
    name: shorten(redact(error.name), MAX_WORD),
    message: shorten(redact(error.message), MAX_MESSAGE),
    code: error.code === null ? null : shorten(redact(error.code), MAX_WORD),
    status: error.status,
    body: null,
  };
  if (error.body === null) return kept;
  // What is cut first is not read: a body may be as long as it likes.
  const body = redact(error.body.slice(0, MAX_ERROR_BYTES * 2));
  return { ...kept, body: beginningOf(body, MAX_ERROR_BYTES - jsonBytes({ ...kept, body: '' })) };
}

function shorten(text: string, max: number): string {
  return text.length > max ? `${text.slice(0, max - 3)}...` : text;
}

/** The longest beginning of a text whose JSON takes at most `maxBytes`. */
function beginningOf(text: string, maxBytes: number): string {
  if (jsonBytes(text) - 2 <= maxBytes) return text;
  let low = 0;
  let high = Math.min(text.length, maxBytes);
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (jsonBytes(`${text.slice(0, middle)}...`) - 2 <= maxBytes) low = middle;
    else high = middle - 1;
  }
  return `${text.slice(0, low)}...`;
}

const jsonBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));
