import { decodePayload, encodePayload } from '../operations/payload.js';
import { explanationOf } from './explained.js';
import type { AttemptContext, AttemptEnd, AttemptResult, Call, CallSpec, Recordable, StopReason } from './call.js';
import type { RunOptions } from './runtime.js';

/** How a guarded function ended: what the caller is given once the call is over. */
type Ended<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: unknown };

/** Errors by which a system tells that the network failed; whether something had been sent before is not known. */
const NETWORK_CODES = /^(E(CONN|TIMEDOUT|PIPE|HOST|NET|AI_AGAIN|NOTFOUND|PROTO)|UND_ERR)/;

/** What a guarded function looks like to the contract: a write of no particular method, unless it says more. */
export function specOf<T>(options: RunOptions<T>): CallSpec {
  const { signal, method = '', path = '', answer: _, ...rest } = options;
  return {
    request: { method, path, query: {}, headers: {}, body: undefined, route: null },
    options: rest,
    ...(signal === undefined ? {} : { signal }),
  };
}

/** Drives a call whose attempts are runs of `fn`, to its end. */
export async function runCall<T>(
  call: Call,
  fn: (context: AttemptContext) => Promise<T> | T,
  options: RunOptions<T>,
  hookFailed: (hook: string, error: unknown) => void,
): Promise<T> {
  const send = async (context: AttemptContext): Promise<AttemptResult> => {
    let ended: Ended<T>;
    try {
      ended = { ok: true, value: await fn(context) };
    } catch (error) {
      ended = { ok: false, error };
    }
    return explained(ended, options, hookFailed);
  };
  const recorded = call.isRecorded ? { recordable: recordableOf<T>(call.provider, hookFailed) } : undefined;
  for (;;) {
    let end: AttemptEnd | null = await call.attempt(send, recorded);
    if (end.decision === 'retry') end = await call.backoff();
    if (end !== null) return finish(call, end);
  }
}

/** A function has no body to write down. Its result is kept where it is plain data. */
function recordableOf<T>(provider: string, hookFailed: (hook: string, error: unknown) => void): Recordable {
  return {
    body: () => ({ bytes: null, contentType: null, repeatable: true }),
    keep: ({ value }) => {
      const ended = value as Ended<T>;
      if (!ended.ok) return null;
      try {
        return encodePayload(provider, 'the result', ended.value);
      } catch (error) {
        hookFailed('stored result', error);
        return null;
      }
    },
    restore: (status, kept) => ({ type: 'answered', status, headers: {}, value: restoredEnd(kept) }),
  };
}

function restoredEnd(kept: string): Ended<unknown> {
  return { ok: true, value: decodePayload(kept) };
}

/** A result without an explanation is a success; an error without one tells nothing, not even whether something was sent. */
function explained<T>(
  ended: Ended<T>,
  { answer }: RunOptions<T>,
  hookFailed: (hook: string, error: unknown) => void,
): AttemptResult {
  try {
    const said = ended.ok ? answer?.(ended.value, undefined) : answer?.(undefined, ended.error);
    if (said !== undefined) return { type: 'answered', ...explanationOf(said), value: ended };
  } catch (error) {
    hookFailed('answer', error);
  }
  if (ended.ok) return { type: 'answered', status: 200, headers: {}, value: ended };
  return { type: 'failed', sent: true, error: ended.error, code: networkCode(ended.error) };
}

function networkCode(error: unknown): string | null {
  const code: unknown = typeof error === 'object' && error !== null ? (error as { code?: unknown }).code : undefined;
  return typeof code === 'string' && NETWORK_CODES.test(code) ? code : null;
}

function finish<T>(call: Call, end: AttemptEnd): T {
  if (end.decision === 'deliver') {
    const ended = end.result.value as Ended<T>;
    if (ended.ok) return ended.value;
    throw told(ended.error, call, end.reason, end.retryAt);
  }
  if (end.decision === 'retry') throw new Error('A call cannot end in a retry.');
  if (end.cancelled) throw end.error;
  const last = end.lastAnswer?.value as Ended<T> | undefined;
  throw last !== undefined && !last.ok
    ? told(last.error, call, end.reason, end.retryAt)
    : told(end.error, call, end.reason, end.retryAt);
}

/** The SDK's own error, with `error.sluice` where it takes it. */
function told(error: unknown, call: Call, reason: StopReason | null, retryAt: Date | null): unknown {
  if (reason === null || typeof error !== 'object' || error === null || !Object.isExtensible(error)) return error;
  const { provider, attempts, operationId } = call;
  Object.defineProperty(error, 'sluice', {
    value: { provider, reason, attempts, retryAt, operationId },
    configurable: true,
    enumerable: false,
    writable: true,
  });
  return error;
}
