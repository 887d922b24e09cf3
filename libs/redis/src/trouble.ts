/** What a failure of Redis is called: one word, for events and health. Its text may hold an address or a key, and is told to nobody. */

/** Redis did not answer within the gate's time. */
export class SilenceError extends Error {
  override readonly name = 'SilenceError';

  constructor(limitMs: number) {
    super(`Redis did not answer within ${limitMs} ms.`);
  }
}

/** The client has had no connection to Redis for the gate's time. */
export class UnconnectedError extends Error {
  override readonly name = 'UnconnectedError';

  constructor(limitMs: number) {
    super(`The client had no connection to Redis for ${limitMs} ms.`);
  }
}

/** First word of an error that Redis itself answered with, such as BUSY or READONLY; null = it is none. */
export function replyWord(error: unknown): string | null {
  if (!(error instanceof Error) || error.name !== 'ReplyError') return null;
  return /^[A-Z]+\b/.exec(error.message)?.[0] ?? 'ERR';
}

export function isMissingScript(error: unknown): boolean {
  return replyWord(error) === 'NOSCRIPT';
}

export function troubleWord(error: unknown): string {
  if (error instanceof SilenceError) return 'SILENT';
  if (error instanceof UnconnectedError) return 'UNCONNECTED';
  const word = replyWord(error);
  if (word !== null) return word;
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown };
  return typeof code === 'string' ? code : typeof name === 'string' ? name : 'UNKNOWN';
}
