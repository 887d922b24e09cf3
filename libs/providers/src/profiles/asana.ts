import { concurrency, slidingWindow, type RequestView } from '../../../core/src/index.js';
import { profile } from '../profile.js';

const DOCS = 'https://developers.asana.com/docs';
const READS = ['read', 'search'];
const WRITES = ['create', 'replace', 'change', 'remove'];

/** A batch counts by its actions. */
function units({ path, body }: RequestView): { requests: number; searches: number } {
  const { actions } = ((body as { readonly data?: unknown } | null | undefined)?.data ?? {}) as { actions?: unknown };
  const requests = path.endsWith('/batch') && Array.isArray(actions) ? Math.max(1, actions.length) : 1;
  return { requests, searches: 1 };
}

export const ASANA = profile({
  name: 'asana',
  title: 'Asana',
  sources: [
    { url: `${DOCS}/rate-limits`, checked: '2026-11-30' },
    { url: `${DOCS}/batch-requests`, checked: '2026-11-30' },
    { url: `${DOCS}/webhooks-guide`, checked: '2026-09-30' },
  ],
  choices: {
    plan: { values: ['free', 'paid'], value: 'paid', what: 'plan of the domain' },
  },
  numbers: {
    perMinute: { value: { by: 'plan', of: { free: 150, paid: 1_500 } }, what: 'requests a minute and token' },
    searchPerMinute: { value: 60, what: 'searches a minute and token' },
    concurrentReads: { value: 50, what: 'GETs under way at once, of a token', whole: true },
    concurrentWrites: {
      value: 15,
      what: 'POSTs, PUTs, PATCHes and DELETEs under way at once, of a token',
      whole: true,
    },
  },
  contract: ({ perMinute, searchPerMinute, concurrentReads, concurrentWrites }) => ({
    http: { baseURL: 'https://app.asana.com/api/1.0' },
    dimensions: ['token'],
    routes: {
      search: 'GET /workspaces/:workspace/tasks/search',
      read: 'GET /*path',
      create: 'POST /*path',
      replace: 'PUT /*path',
      change: 'PATCH /*path',
      remove: 'DELETE /*path',
    },
    limits: [
      slidingWindow({ name: 'minute', limit: perMinute, per: '1m' }),
      slidingWindow({ name: 'search', unit: 'searches', limit: searchPerMinute, per: '1m', routes: ['search'] }),
      concurrency({ name: 'reads', limit: concurrentReads, routes: READS }),
      concurrency({ name: 'writes', limit: concurrentWrites, routes: WRITES }),
    ],
    units,
    reading: {
      scopes: { token: 'minute' },
      rules: [{ when: { status: 429 }, scope: 'token' }],
      batch: { list: 'data[]', status: 'status_code', headers: 'headers', body: 'body' },
    },
  }),
  notes: {
    refused: ['429 for every limit: rate, concurrency and cost look alike'],
    told: ['`Retry-After` in seconds; nothing tells what is left'],
    cost: ['`POST /batch` counts as many requests as it has actions (10 at most)'],
    resend: ['a refused call has not been done, but counts: going on all the same lowers what is let through'],
    traps: [
      'a cost of what was read is taken from an unpublished quota a minute: deep reads are refused early',
      'duplication, instantiation and export: 5 jobs at once and user; they go on after the answer, so no contract can hold it',
      'the quota is looked at more often than once a minute: a minute’s worth at once may be refused',
    ],
    unconfirmed: ['that each action of a batch counts', 'that a refused call has had no effect'],
  },
  webhooks: [
    {
      signatureHeader: 'x-hook-signature',
      signed: 'raw body; the key came as `X-Hook-Secret` when the webhook was made',
      algorithm: 'hmac-sha256',
      encoding: 'hex',
      tolerance: null,
      unconfirmed: true,
    },
  ],
});
