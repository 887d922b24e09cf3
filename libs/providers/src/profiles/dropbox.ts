import { concurrency } from '../../../core/src/index.js';
import { profile } from '../profile.js';

export const DROPBOX = profile({
  name: 'dropbox',
  title: 'Dropbox',
  sources: [
    { url: 'https://developers.dropbox.com/dbx-performance-guide', checked: '2026-11-30' },
    { url: 'https://www.dropbox.com/developers/reference/data-ingress-guide', checked: '2026-11-30' },
  ],
  choices: {},
  numbers: {
    concurrent: {
      value: 8,
      what: "calls under way at once, of a user (or of a team, for the team's own calls); Dropbox publishes no number",
      unconfirmed: true,
      whole: true,
    },
  },
  contract: ({ concurrent }) => ({
    http: { baseURL: 'https://api.dropboxapi.com/2' },
    dimensions: ['user'],
    routes: {
      'list-folder': 'POST /2/files/list_folder',
      'list-more': 'POST /2/files/list_folder/continue',
      metadata: 'POST /2/files/get_metadata',
      search: 'POST /2/files/search_v2',
      download: 'POST /2/files/download',
      account: 'POST /2/users/get_current_account',
    },
    safe: ['GET *', 'HEAD *', 'OPTIONS *', 'list-folder', 'list-more', 'metadata', 'search', 'download', 'account'],
    // So that a refusal stops its user alone.
    limits: [concurrency({ name: 'user', limit: concurrent })],
    reading: {
      waits: ['retry-after', { from: { body: 'error.retry_after' }, as: 'seconds' }],
      rules: [
        {
          when: { status: 429, body: { error_summary: { matches: '^too_many_write_operations' } } },
          kind: 'lock',
          scope: 'namespace',
        },
        // The same within the error of an endpoint: `path/too_many_write_operations/..`.
        {
          when: { status: 409, body: { error_summary: { matches: '(?:^|/)too_many_write_operations' } } },
          limited: true,
          kind: 'lock',
          scope: 'namespace',
          waitMs: 1000,
        },
        { when: { status: 429 }, kind: 'rate', scope: 'user' },
      ],
    },
  }),
  notes: {
    refused: [
      '429 with `error_summary: too_many_requests/..`, as JSON or as plain text',
      '429 with `too_many_write_operations`: the namespace was locked by another write; 409 with it inside the path of the error is the same',
    ],
    told: ['`Retry-After` in seconds with every 429; `error.retry_after` in the body'],
    resend: [
      'a 429 has not been done, nor has a 409 with `too_many_write_operations`: safe to send again',
      'reads go by POST: listings, metadata, search and download may be repeated',
      'there are no keys of idempotency; `mode: update` with a `rev` keeps a file from being written twice',
    ],
    traps: [
      'refused calls count too: retries without a wait make it longer',
      'writes in one namespace (a user, a shared folder) lock each other out: batch them or do them one after the other',
      'a full number of calls a month applies to uploads of some business plans (data transport limit)',
    ],
    unconfirmed: ['how many calls Dropbox takes: unpublished', 'the body of the 409'],
  },
  webhooks: [
    {
      signatureHeader: 'x-dropbox-signature',
      signed: 'raw body, by the app secret',
      algorithm: 'hmac-sha256',
      encoding: 'hex',
      tolerance: null,
      unconfirmed: true,
    },
  ],
});
