/** A request as it reached the simulated provider. */
export interface SimulatedRequest {
  /** In capitals. */
  readonly method: string;
  /** Path without query. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** Names in small letters. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body as it came; `''` where there was none. */
  readonly text: string;
  /** The body, parsed where it is JSON; undefined where there was none. */
  readonly body: unknown;
}

export interface RawRequest {
  readonly method: string;
  /** Path with query, as in the request line. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

export function toRequest(raw: RawRequest): SimulatedRequest {
  const url = new URL(raw.target, 'http://provider.invalid');
  return {
    method: raw.method.toUpperCase(),
    path: url.pathname,
    query: Object.fromEntries(url.searchParams),
    headers: raw.headers,
    text: raw.text,
    body: raw.text === '' ? undefined : parsed(raw.text),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
