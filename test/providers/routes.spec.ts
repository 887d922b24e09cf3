import { matchRoute } from '../../libs/core/src/contract/match-route.js';
import { type ProviderContract, readAnswer } from '../../libs/core/src/index.js';
import { readingToSeen, refusingLimit } from '../../libs/core/src/reading/seen.js';
import { box, discord, google, hubspot, msgraph, pipedrive, slack, zendesk } from '../../libs/providers/src/index.js';

/** Names of the limits that a request is charged to. */
function limitsOf({ resolved }: ProviderContract, text: string): string[] {
  const [method = '', path = ''] = text.split(' ');
  const route = matchRoute(resolved, method, path);
  return resolved.limits
    .filter(({ routes }) => routes === null || (route !== null && routes.includes(route)))
    .map(({ name }) => name);
}

describe('which limits a request is charged to', () => {
  const app = hubspot();
  const account = zendesk();
  const graph = msgraph();
  const bot = discord();
  const DIRECTORY = ['app', 'directory', 'directory-app', 'directory-writes', 'directory-app-writes'];

  it.each<[string, string, ProviderContract, string[]]>([
    ['hubspot', 'POST /crm/v3/objects/contacts/search', app, ['ten-secondly', 'search', 'daily']],
    ['hubspot', 'GET /crm/v3/objects/contacts/1', app, ['ten-secondly', 'daily']],
    ['hubspot', 'GET /crm/v3/objects/contacts/1', hubspot({ app: 'public' }), ['ten-secondly']],
    ['zendesk', 'GET /api/v2/tickets/1.json', account, ['minute']],
    ['zendesk', 'PUT /api/v2/tickets/1.json', account, ['minute', 'update']],
    ['zendesk', 'GET /api/v2/incremental/tickets.json', account, ['minute', 'export']],
    ['zendesk', 'GET /api/v2/incremental/tickets/cursor.json', account, ['minute', 'cursor-export']],
    ['pipedrive', 'GET /api/v2/persons/search', pipedrive(), ['burst', 'search', 'day']],
    ['pipedrive', 'GET /v1/deals/search', pipedrive(), ['burst', 'search', 'day']],
    ['pipedrive', 'GET /v1/deals/1', pipedrive(), ['burst', 'day']],
    ['box', 'GET /2.0/search', box(), ['minute', 'search-second', 'search-minute', 'enterprise-search']],
    ['box', 'POST /api/2.0/files/content', box(), ['minute', 'upload']],
    ['box', 'GET /2.0/files/1', box(), ['minute']],
    ['slack', 'POST /api/chat.postMessage', slack(), ['chat.postMessage']],
    ['slack', 'GET /api/conversations.list', slack(), ['conversations.list']],
    ['slack', 'POST /api/admin.users.list', slack(), ['other']],
    ['discord', 'POST /api/v10/channels/1/messages', bot, ['global', 'message']],
    ['discord', 'GET /api/v10/channels/1/messages', bot, ['global', 'channel']],
    ['discord', 'GET /api/v10/guilds/1', bot, ['global', 'guild']],
    ['discord', 'POST /api/v10/webhooks/1/token', bot, ['global', 'webhook']],
    ['discord', 'GET /api/v10/users/@me', bot, ['global']],
    ['msgraph', 'GET /v1.0/users', graph, DIRECTORY],
    ['msgraph', 'GET /beta/users/1/memberOf', graph, DIRECTORY],
    ['msgraph', 'GET /v1.0/me/messages/1', graph, ['app', 'mailbox', 'mailbox-concurrent']],
    ['msgraph', 'POST /v1.0/users/1/sendMail', graph, ['app', 'mailbox', 'mailbox-concurrent']],
    ['msgraph', 'GET /v1.0/users/1/drive/root/children', graph, ['app']],
    ['msgraph', 'GET /v1.0/sites/root', graph, ['app']],
  ])('%s: %s', (_, text, contract, limits) => {
    expect(limitsOf(contract, text)).toEqual(limits);
  });
});

describe('what an answer is applied to', () => {
  const receivedAt = new Date('2026-11-30T12:00:00Z');
  type Given = { status: number; headers?: Record<string, string>; body?: unknown };
  const read = (contract: ProviderContract, text: string, { status, headers = {}, body }: Given) => {
    const [method = '', path = ''] = text.split(' ');
    const reading = readAnswer(contract, { status, headers, body, receivedAt });
    const route = matchRoute(contract.resolved, method, path);
    return {
      refused: refusingLimit(contract.resolved, reading, route),
      seen: readingToSeen(contract.resolved, reading, route).map(({ limitName, remaining }) => [limitName, remaining]),
    };
  };
  const bucket = { 'x-ratelimit-bucket': 'a', 'x-ratelimit-limit': '5', 'x-ratelimit-remaining': '0' };
  const reset = { 'x-ratelimit-reset-after': '4' };

  it('Discord: the figures of a bucket lower the limit of the route alone, a refusal stops that route of that channel', () => {
    const contract = discord();
    const message = 'POST /api/v10/channels/1/messages';
    const answer = { headers: { ...bucket, ...reset } };
    expect(read(contract, message, { status: 200, ...answer })).toEqual({ refused: null, seen: [['message', 0]] });
    expect(read(contract, 'GET /api/v10/guilds/1', { status: 200, ...answer }).seen).toEqual([['guild', 0]]);
    expect(read(contract, 'GET /api/v10/users/@me', { status: 200, ...answer }).seen).toEqual([]);
    expect(read(contract, message, { status: 429, ...answer }).refused).toBe(null);
    const global = { 'retry-after': '1', 'x-ratelimit-scope': 'global' };
    expect(read(contract, message, { status: 429, headers: global }).refused).toBe('global');
  });

  it('HubSpot: a refused search stops searches, the ten seconds and the day stop all', () => {
    const contract = hubspot();
    const search = 'POST /crm/v3/objects/contacts/search';
    expect(read(contract, search, { status: 429 }).refused).toBe('search');
    const refusal = (policyName: string) => ({ status: 429, body: { errorType: 'RATE_LIMIT', policyName } });
    expect(read(contract, search, refusal('TEN_SECONDLY_ROLLING')).refused).toBe('ten-secondly');
    expect(read(contract, search, refusal('DAILY')).refused).toBe('daily');
  });

  it('Zendesk: an endpoint at its limit stops the endpoint, and the account is told once', () => {
    const headers = {
      'x-rate-limit': '700',
      'x-rate-limit-remaining': '650',
      'ratelimit-remaining': '650',
      'zendesk-ratelimit-incremental-exports': 'total=10; remaining=9; resets=2',
    };
    const update = 'PUT /api/v2/tickets/1';
    expect(read(zendesk(), update, { status: 429, headers })).toEqual({ refused: null, seen: [['minute', 650]] });
    const spent = { ...headers, 'x-rate-limit-remaining': '0' };
    expect(read(zendesk(), update, { status: 429, headers: spent }).refused).toBe('minute');
  });

  it('Google: a user at his limit stops alone; the project stops all, where it is Gmail that says so', () => {
    const refusal = (reason: string) => ({ status: 403, body: { error: { errors: [{ reason }] } } });
    expect(read(google(), 'GET /drive/v3/files', refusal('userRateLimitExceeded')).refused).toBe('user-minute');
    expect(read(google(), 'GET /drive/v3/files', refusal('rateLimitExceeded')).refused).toBe(null);
    const mail = google({ api: 'gmail' });
    expect(read(mail, 'GET /gmail/v1/users/me/labels', refusal('rateLimitExceeded')).refused).toBe('project-minute');
  });

  it('Pipedrive: the two seconds and the day are told apart', () => {
    const headers = {
      'x-ratelimit-limit': '40',
      'x-ratelimit-remaining': '39',
      'x-ratelimit-reset': '2',
      'x-daily-ratelimit-token-limit': '60000',
      'x-daily-ratelimit-token-remaining': '0',
    };
    expect(read(pipedrive(), 'GET /api/v2/deals', { status: 429, headers })).toEqual({
      refused: 'day',
      seen: [
        ['burst', 39],
        ['day', 0],
      ],
    });
  });
});

it('what only reads is safe at Slack, by whichever method, and nothing else', () => {
  const { safe } = slack().resolved;
  expect(safe).toEqual(expect.arrayContaining(['conversations.history', 'users.list', 'search.messages', 'auth.test']));
  const writing =
    /post|update|delete|add|remove|set[A-Z]|create|invite|join|kick|open|publish|push|archive|rename|mark/;
  expect(safe.filter((method) => writing.test(method))).toEqual([]);
});
