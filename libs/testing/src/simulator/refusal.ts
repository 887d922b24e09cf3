import type { SimulatedAnswer } from './answer.js';
import type { LimitView } from './judge.js';
import { millisOf } from './limits/counter.js';
import type { SimulatedRequest } from './request.js';

/** How the provider says no and tells what is left. */
export interface RefusalOptions {
  /** Default: 429. */
  readonly status?: number;
  /** Form of `Retry-After`. Default: `seconds`. */
  readonly retryAfter?: 'seconds' | 'date' | 'none';
  /** Default: `{ error: 'rate limited' }`. */
  readonly body?: unknown;
}

/** What quota headers are made of. */
export interface QuotaView {
  /** The limits that apply, as they stand after this request. */
  readonly limits: readonly LimitView[];
  /** The tightest: the one with the smallest share left. Undefined where no limit applies. */
  readonly tightest: LimitView | undefined;
  /** The provider's wall clock, as its `Date` header tells it. */
  readonly wallMs: number;
}

/** Gives the body of an answer in place of `body`; `view` is as the limits stand when it leaves. */
export type QuotaBody = (body: unknown, view: QuotaView, request: SimulatedRequest) => unknown;

/**
 * Headers of every answer that was judged. `x-ratelimit`: limit, remaining, reset in epoch seconds; `x-ratelimit-date`: the
 * reset as an ISO date; `ratelimit`: the three IETF headers of draft 06, reset in seconds; `ratelimit-list`: the structured
 * `RateLimit` and `RateLimit-Policy` of later drafts.
 */
export type QuotaHeaders =
  | 'none'
  | 'x-ratelimit'
  | 'x-ratelimit-date'
  | 'ratelimit'
  | 'ratelimit-list'
  | ((view: QuotaView) => Readonly<Record<string, string>>);

const S_MS = 1_000;

/** The refusal of a request that would fit after `waitMs`; null = the provider does not know. */
export function refusal(options: RefusalOptions, waitMs: number | null, wallMs: number): SimulatedAnswer {
  const { status = 429, retryAfter = 'seconds', body = { error: 'rate limited' } } = options;
  const headers: Record<string, string> = {};
  if (waitMs !== null && retryAfter === 'seconds') headers['retry-after'] = String(Math.ceil(waitMs / S_MS));
  if (waitMs !== null && retryAfter === 'date') headers['retry-after'] = httpDate(wallMs + waitMs);
  return { status, headers, body };
}

export const quotaView = (limits: readonly LimitView[], wallMs: number): QuotaView => ({
  limits,
  tightest: tightestOf(limits),
  wallMs,
});

export function quotaHeaders(
  style: QuotaHeaders,
  limits: readonly LimitView[],
  wallMs: number,
): Readonly<Record<string, string>> {
  const view = quotaView(limits, wallMs);
  const { tightest } = view;
  if (typeof style === 'function') return style(view);
  if (style === 'none' || tightest === undefined) return {};
  const { limit, remaining } = tightest;
  const resetMs = tightest.resetUs === null ? null : millisOf(tightest.resetUs);
  const inSeconds = resetMs === null ? null : Math.ceil(resetMs / S_MS);
  switch (style) {
    case 'x-ratelimit':
      return three(
        'x-ratelimit-',
        limit,
        remaining,
        resetMs === null ? null : String(Math.ceil((wallMs + resetMs) / S_MS)),
      );
    case 'x-ratelimit-date':
      return three('x-ratelimit-', limit, remaining, resetMs === null ? null : isoSeconds(wallMs + resetMs));
    case 'ratelimit':
      return three('ratelimit-', limit, remaining, inSeconds === null ? null : String(inSeconds));
    case 'ratelimit-list':
      return { ratelimit: limits.map(listItem).join(', '), 'ratelimit-policy': limits.map(policyItem).join(', ') };
  }
}

/** A date as HTTP writes it: whole seconds, never earlier than meant. */
export const httpDate = (wallMs: number): string => new Date(Math.ceil(wallMs / S_MS) * S_MS).toUTCString();

const isoSeconds = (wallMs: number): string =>
  new Date(Math.ceil(wallMs / S_MS) * S_MS).toISOString().replace('.000Z', '+00:00');

function three(prefix: string, limit: number, remaining: number, reset: string | null): Record<string, string> {
  const headers = { [`${prefix}limit`]: String(limit), [`${prefix}remaining`]: String(remaining) };
  return reset === null ? headers : { ...headers, [`${prefix}reset`]: reset };
}

function listItem({ name, remaining, resetUs }: LimitView): string {
  return `"${name}";r=${remaining}${resetUs === null ? '' : `;t=${Math.ceil(millisOf(resetUs) / S_MS)}`}`;
}

function policyItem({ name, limit, periodMs }: LimitView): string {
  return `"${name}";q=${limit}${periodMs === null ? '' : `;w=${Math.ceil(periodMs / S_MS)}`}`;
}

function tightestOf(limits: readonly LimitView[]): LimitView | undefined {
  const share = ({ remaining, limit }: LimitView): number => remaining / limit;
  return limits.reduce<LimitView | undefined>((a, b) => (a === undefined || share(b) < share(a) ? b : a), undefined);
}
