import type { HeaderBag } from './outcome.js';

/** A request as the contract's functions see it. */
export interface RequestView {
  readonly method: string;
  /** Path without origin and query. */
  readonly path: string;
  readonly query: Readonly<Record<string, unknown>>;
  readonly headers: HeaderBag;
  readonly body: unknown;
  /** Name of the matched route, or null. */
  readonly route: string | null;
}

/** An answer as the contract's functions see it. A body that came as JSON is parsed. */
export interface AnswerView {
  readonly status: number;
  readonly headers: HeaderBag;
  readonly body: unknown;
  readonly request: RequestView;
}
