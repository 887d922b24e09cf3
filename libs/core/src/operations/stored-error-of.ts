import { MAX_ERROR_BYTES, storableError, type StoredError } from './stored-error.js';

/** An answer's body is looked at up to so many characters. */
const MAX_READ = MAX_ERROR_BYTES * 2;

/**
 * What may be kept of anything that was thrown: redacted, and under 8 KB. An error with an answer (`error.response`, as
 * Axios has it) keeps the answer's status and body. Never throws.
 */
export function storedErrorOf(error: unknown): StoredError {
  const answer = field(error, 'response');
  return storableError({
    name: text(field(error, 'name')) ?? (error instanceof Error ? 'Error' : typeof error),
    message: text(field(error, 'message')) ?? text(error) ?? 'Something other than an error was thrown.',
    code: text(field(error, 'code')),
    status: status(field(answer, 'status')) ?? status(field(error, 'status')),
    body: bodyText(field(answer, 'data') ?? field(answer, 'body')),
  });
}

function field(of: unknown, name: string): unknown {
  if (typeof of !== 'object' || of === null) return undefined;
  try {
    return (of as Record<string, unknown>)[name];
  } catch {
    return undefined;
  }
}

const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);
const status = (value: unknown): number | null => (Number.isInteger(value) ? (value as number) : null);

/** A body as text; null for a stream, or for what cannot be written down. */
function bodyText(body: unknown): string | null {
  if (body === undefined || body === null) return null;
  if (typeof body === 'string') return body;
  if (ArrayBuffer.isView(body)) {
    return Buffer.from(body.buffer, body.byteOffset, Math.min(body.byteLength, MAX_READ)).toString();
  }
  if (body instanceof ArrayBuffer) return Buffer.from(body, 0, Math.min(body.byteLength, MAX_READ)).toString();
  if (typeof field(body, 'pipe') === 'function') return null;
  try {
    return JSON.stringify(body) ?? null;
  } catch {
    return null;
  }
}
