import { defineProvider, type Duration, fixedWindow, type ProviderContract } from 'nestjs-sluice';

export interface VimeoContractOptions {
  readonly baseURL: string;
  /** Other options of Axios, such as an agent. */
  readonly http?: Readonly<Record<string, unknown>>;
  /** Calls a user has in each window; the number depends on the plan. Default: 100. */
  readonly limit?: number;
  /** Default: `1m`, Vimeo's window. */
  readonly window?: Duration;
  /** Longest wait for a window to begin anew. Default: `61s`: a whole window, and a second for rounding. */
  readonly maxWait?: Duration;
}

/** The name of the limit, to which the figures of the headers are mapped. */
const WINDOW = 'window';

/**
 * Vimeo counts the calls of each user of an app in windows of 60 s, and tells in `X-RateLimit-Reset` the date of the next.
 * Source: developer.vimeo.com/guidelines/rate-limiting.
 */
export function vimeoContract({
  baseURL,
  http,
  limit = 100,
  window = '1m',
  maxWait = '61s',
}: VimeoContractOptions): ProviderContract {
  return defineProvider({
    name: 'vimeo',
    http: { ...http, baseURL },
    dimensions: ['user'],
    limits: [fixedWindow({ name: WINDOW, limit, per: window, countedBy: ['user'] })],
    routes: { me: 'GET /me', user: 'GET /users/:id', videos: 'GET /users/:id/videos', token: 'DELETE /tokens' },
    // Taking back a token twice is as good as once.
    safe: ['GET *', 'token'],
    reading: {
      windows: [
        {
          scope: 'app+user',
          limit: 'x-ratelimit-limit',
          remaining: 'x-ratelimit-remaining',
          reset: 'x-ratelimit-reset',
        },
      ],
      scopes: { 'app+user': WINDOW },
    },
    queue: { maxWait },
    retry: { maxAttempts: 3, throttled: { maxAttempts: 3 }, maxWait },
  });
}
