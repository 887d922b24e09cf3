import { slidingWindow } from '../../../core/src/index.js';
import { profile } from '../profile.js';

const GUIDES = 'https://github.com/box/developer.box.com/blob/main/content/guides';

export const BOX = profile({
  name: 'box',
  title: 'Box',
  sources: [
    { url: `${GUIDES}/api-calls/permissions-and-errors/rate-limits.md`, checked: '2026-11-30' },
    { url: 'https://developer.box.com/guides/webhooks/v2/signatures-v2/', checked: '2026-09-30' },
  ],
  choices: {},
  numbers: {
    perMinute: { value: 1_000, what: 'calls a minute and user' },
    uploadsPerMinute: { value: 240, what: 'uploads a minute and user' },
    searchesPerSecond: { value: 6, what: 'searches a second and user' },
    searchesPerMinute: { value: 60, what: 'searches a minute and user' },
    enterpriseSearchesPerSecond: { value: 12, what: 'searches a second and enterprise' },
  },
  contract: ({
    perMinute,
    uploadsPerMinute,
    searchesPerSecond,
    searchesPerMinute,
    enterpriseSearchesPerSecond: enterpriseSearches,
  }) => ({
    http: { baseURL: 'https://api.box.com/2.0' },
    dimensions: ['user', 'enterprise'],
    routes: {
      search: 'GET /2.0/search',
      // Uploads go to https://upload.box.com.
      upload: 'POST /api/2.0/files/content',
      'upload-version': 'POST /api/2.0/files/:file/content',
    },
    limits: [
      slidingWindow({ name: 'minute', limit: perMinute, per: '1m', countedBy: ['user'] }),
      slidingWindow({
        name: 'upload',
        limit: uploadsPerMinute,
        per: '1m',
        countedBy: ['user'],
        routes: ['upload', 'upload-version'],
      }),
      slidingWindow({
        name: 'search-second',
        limit: searchesPerSecond,
        per: '1s',
        countedBy: ['user'],
        routes: ['search'],
      }),
      slidingWindow({
        name: 'search-minute',
        limit: searchesPerMinute,
        per: '1m',
        countedBy: ['user'],
        routes: ['search'],
      }),
      slidingWindow({
        name: 'enterprise-search',
        limit: enterpriseSearches,
        per: '1s',
        countedBy: ['enterprise'],
        routes: ['search'],
      }),
    ],
    reading: { rules: [{ when: { status: 429 }, kind: 'rate', scope: 'user' }] },
  }),
  notes: {
    refused: ['429 with `code: rate_limit_exceeded`; which limit it was is not told'],
    told: ['`Retry-After` in seconds; no figures of what is left'],
    resend: [
      'a 429 has not been done: safe to send again',
      'there are no keys of idempotency; `If-Match` with an `etag` keeps a change from being made twice',
    ],
    traps: [
      'a search needs `enterprise` in its partition, all other calls need `user` alone',
      'a refused search pauses the searches of its user, a refused upload his uploads',
      'calls a month and enterprise are limited by licence; Box throttles where they are used up',
    ],
    unconfirmed: ['whether uploads and searches count against the 1,000 a minute too; here they do'],
  },
  webhooks: [
    {
      signatureHeader: 'box-signature-primary',
      timestampHeader: 'box-delivery-timestamp',
      signed: 'body + timestamp (ISO 8601); `box-signature-secondary` by the second key is as good',
      algorithm: 'hmac-sha256',
      encoding: 'base64',
      tolerance: '10m',
    },
  ],
});
