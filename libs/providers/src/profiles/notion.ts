import { slidingWindow } from '../../../core/src/index.js';
import type { Rules } from '../fields.js';
import { profile } from '../profile.js';

const DOCS = 'https://developers.notion.com/reference';

const limited = (reason: string) => ({ status: 429, body: { 'additional_data.rate_limit_reason': reason } });

const RULES: Rules = [
  { when: limited('public_api_request_blocked'), retryable: false, kind: 'permission', scope: 'blocked' },
  { when: limited('public_api_space_request_rate_limit'), kind: 'rate', scope: 'workspace' },
  { when: limited('public_api_endpoint_rate_limit'), kind: 'rate', scope: 'endpoint' },
  { when: { status: 429 }, kind: 'rate', scope: 'connection' },
  { when: { status: 529 }, means: 'overloaded' },
  // The change was saved and only its answer failed.
  {
    when: { status: 503, body: { 'additional_data.retry_guidance[]': { matches: 'do not repeat the write' } } },
    means: 'succeeded',
  },
];

export const NOTION = profile({
  name: 'notion',
  title: 'Notion',
  sources: [
    { url: `${DOCS}/request-limits`, checked: '2026-11-30' },
    { url: `${DOCS}/webhooks`, checked: '2026-09-30' },
  ],
  choices: {
    plan: {
      values: ['standard', 'business'],
      value: 'standard',
      what: 'plan of the workspace: `business` is Business or Enterprise',
    },
  },
  numbers: {
    perMinute: {
      value: { by: 'plan', of: { standard: 180, business: 600 } },
      what: 'requests in a window of 60 seconds, of a connection',
    },
  },
  contract: ({ perMinute }) => ({
    http: { baseURL: 'https://api.notion.com/v1' },
    dimensions: ['connection'],
    limits: [slidingWindow({ name: 'minute', limit: perMinute, per: '1m' })],
    safe: ['GET *', 'HEAD *', 'OPTIONS *', 'POST /search', 'POST /databases/:id/query', 'POST /data_sources/:id/query'],
    reading: {
      scopes: { connection: 'minute' },
      waits: ['retry-after', { from: { body: 'additional_data.retry_after' }, as: 'seconds' }],
      rules: RULES,
    },
  }),
  notes: {
    refused: [
      '429 `rate_limited`; `additional_data.rate_limit_reason` names the limit: `public_api_request_rate_limit` of the connection, `public_api_space_request_rate_limit` of the workspace, `public_api_endpoint_rate_limit` of the endpoint',
      '529 `service_overload`: Notion is overloaded, whoever asks',
    ],
    told: ['`Retry-After` in whole seconds, and `additional_data.retry_after` as a text; nothing tells what is left'],
    resend: [
      'a 429 has not been done; `public_api_request_blocked` never again: access was restricted',
      'a write may be saved and answered with 503: where `additional_data.retry_guidance` says so it is taken as done; `committed_resource_id` names what was made',
      '500, 502, 503, 504: reads and deletions only',
    ],
    traps: [
      'the limit of the workspace is shared by all its connections, unpublished, and its wait may be longer than a minute',
      'at most 1,000 blocks and 500 KB in a request, 100 elements in an array',
    ],
    unconfirmed: ['that a 529 has had no effect: writes are repeated only where that is safe'],
  },
  webhooks: [
    {
      signatureHeader: 'x-notion-signature',
      signed: 'raw body; the header has `sha256=` before it, the key is the verification token',
      algorithm: 'hmac-sha256',
      encoding: 'hex',
      tolerance: null,
      unconfirmed: true,
    },
  ],
});
