import { fixedWindow, slidingWindow } from '../../../core/src/index.js';
import { family } from '../fields.js';
import { profile } from '../profile.js';

const DOCS = 'https://docs.gitlab.com';

const ROUTES = {
  search: 'GET /search',
  'project-search': 'GET /projects/:id{/-}/search',
  'group-search': 'GET /groups/:id{/-}/search',
  notes: 'POST /projects/:id/:kind/:iid/notes',
  discussions: 'POST /projects/:id/:kind/:iid/discussions',
  'discussion-notes': 'POST /projects/:id/:kind/:iid/discussions/:discussion/notes',
  issues: 'POST /projects/:id/issues',
  groups: 'GET /groups',
  projects: 'GET /projects',
};
const SEARCHES = ['search', 'project-search', 'group-search'];
const NOTES = ['notes', 'discussions', 'discussion-notes'];

export const GITLAB = profile({
  name: 'gitlab',
  title: 'GitLab',
  sources: [
    { url: `${DOCS}/user/gitlab_com/rate_limits/`, checked: '2026-11-30' },
    { url: `${DOCS}/administration/settings/user_and_ip_rate_limits/`, checked: '2026-11-30' },
    { url: 'https://gitlab.com/gitlab-org/gitlab/-/merge_requests/230944', checked: '2026-11-30' },
  ],
  choices: {},
  numbers: {
    perMinute: { value: 2_000, what: 'API requests a minute and user, on GitLab.com' },
    searchPerMinute: { value: 100, what: 'searches a minute and user' },
    notesPerMinute: { value: 60, what: 'notes on issues and merge requests, a minute and user' },
    issuesPerMinute: { value: 200, what: 'issues created, a minute and user' },
    groupsPerMinute: { value: 50, what: 'lists of groups, a minute and user' },
    projectsPerTenMinutes: { value: 2_000, what: 'lists of projects, in ten minutes, of a user' },
  },
  contract: (n) => ({
    http: { baseURL: 'https://gitlab.com/api/v4' },
    dimensions: ['user'],
    routes: ROUTES,
    limits: [
      fixedWindow({ name: 'minute', limit: n.perMinute, per: '1m' }),
      slidingWindow({ name: 'search', limit: n.searchPerMinute, per: '1m', routes: SEARCHES }),
      slidingWindow({ name: 'notes', limit: n.notesPerMinute, per: '1m', routes: NOTES }),
      slidingWindow({ name: 'issues', limit: n.issuesPerMinute, per: '1m', routes: ['issues'] }),
      slidingWindow({ name: 'groups', limit: n.groupsPerMinute, per: '1m', routes: ['groups'] }),
      slidingWindow({ name: 'projects', limit: n.projectsPerTenMinutes, per: '10m', routes: ['projects'] }),
    ],
    graphql: true,
    reading: {
      scopes: { throttle_authenticated_api: 'minute' },
      windows: [
        { ...family('ratelimit', { from: 'ratelimit-name' }), reset: { from: 'ratelimit-reset', as: 'epoch-seconds' } },
      ],
      rules: [
        // The application's own limits are in no header: what is told is about another one, or nothing is. The route tells which.
        { when: { status: 429, remaining: 'some' }, kind: 'rate', scope: 'application' },
        {
          when: { status: 429, headers: { 'ratelimit-name': { present: false } } },
          kind: 'rate',
          scope: 'application',
        },
      ],
    },
  }),
  notes: {
    refused: ['429, plain text, by default `Retry later`'],
    told: [
      '`RateLimit-Limit`, `-Observed`, `-Remaining`: requests, scaled to a minute where the period is another; `-Name`: which throttle',
      '`RateLimit-Reset`: seconds since 1970, not from now as the IETF field of that name',
      'on a 429: `Retry-After` in seconds, `RateLimit-ResetTime` as a date',
    ],
    resend: [
      'a 429 has not been done: safe to send again',
      'to create projects and groups may wait a day: `Retry-After` up to 86,400',
    ],
    traps: [
      'limits of the application (issues, notes, pipelines, projects, groups, users) are in no header: a 429 with requests left is normal',
      'limits by plan are announced, not in effect: 5,000 / 15,000 / 25,000 an hour, 100 / 1,250 / 2,000 a minute for Free / Premium / Ultimate',
      'an own instance has no limits by default; switched on: 7,200 an hour and user. Give `perMinute` and `http.baseURL`',
      'without a token: 500 a minute and IP address; all traffic of an IP address: 2,000 a minute',
      'pipelines: 25 a minute for one project, user and commit',
    ],
    unconfirmed: ['how old a webhook may be: five minutes is what Standard Webhooks recommends'],
  },
  webhooks: [
    {
      signatureHeader: 'webhook-signature',
      timestampHeader: 'webhook-timestamp',
      signed: 'webhook-id.webhook-timestamp.body; the header has `v1,` before it',
      algorithm: 'hmac-sha256',
      encoding: 'base64',
      tolerance: '5m',
      unconfirmed: true,
    },
  ],
});
