import { type ProviderContract, readAnswer } from '../../libs/core/src/index.js';
import { matchRoute } from '../../libs/core/src/contract/match-route.js';
import { readingToSeen, refusingLimit } from '../../libs/core/src/reading/seen.js';
import {
  anthropic,
  auth0,
  kong,
  okta,
  openai,
  oracleAccessGovernance,
  prisjakt,
  strava,
  x,
} from '../../libs/providers/src/index.js';
import { fixedWindow, slidingWindow } from '../../libs/core/src/index.js';

const receivedAt = new Date('2026-11-30T12:00:00Z');
const EPOCH = receivedAt.getTime() / 1000;

type Headers = Readonly<Record<string, string>>;

/** What is left of which limit, as an answer to this call tells. */
function seen({ resolved }: ProviderContract, call: string, headers: Headers, status = 200): Record<string, unknown> {
  const [method, path] = call.split(' ') as [string, string];
  const reading = readAnswer({ resolved } as ProviderContract, { status, headers, receivedAt });
  const route = matchRoute(resolved, method, path);
  const found = readingToSeen(resolved, reading, route).map(({ limitName, remaining }) => [limitName, remaining]);
  const refused = refusingLimit(resolved, reading, route);
  return { ...Object.fromEntries(found), ...(refused === null ? {} : { refused }) };
}

const family = (prefix: string, limit: number, left: number): Headers => ({
  [`${prefix}-limit`]: `${limit}`,
  [`${prefix}-remaining`]: `${left}`,
  [`${prefix}-reset`]: `${EPOCH + 30}`,
});

describe('a figure without a name is about the limit of the endpoint that was called', () => {
  it.each([
    ['GET /api/v1/users', 'users'],
    ['POST /api/v1/users', 'users'],
    ['GET /api/v1/users/00u1', 'user'],
    ['PUT /api/v1/users/00u1', 'user-write'],
    ['GET /api/v1/users/00u1/groups', 'others'],
    ['GET /api/v1/apps/0oa1', 'app'],
    ['GET /api/v1/apps/0oa1/users', 'apps'],
    ['POST /api/v1/groups', 'groups'],
    ['GET /api/v1/logs', 'logs'],
    ['GET /api/v1/policies', 'others'],
  ])('at Okta: %s tells of %s', (call, limit) => {
    expect(seen(okta(), call, family('x-rate-limit', 600, 598))).toEqual({ [limit]: 598 });
  });

  it('at Okta a refusal for calls under way names that limit, and leaves the others', () => {
    expect(seen(okta(), 'GET /api/v1/users', family('x-rate-limit', 0, 0), 429)).toMatchObject({
      refused: 'concurrent',
    });
  });

  it.each([
    ['free', 'GET /api/v2/users', 'management'],
    ['free', 'POST /oauth/token', 'authentication'],
    ['essentials', 'GET /api/v2/users/auth0|1', 'users-read'],
    ['essentials', 'PATCH /api/v2/users/auth0|1', 'users-write'],
    ['essentials', 'GET /api/v2/logs', 'logs'],
    ['essentials', 'GET /api/v2/users/auth0|1/roles', 'management'],
  ] as const)('at Auth0 with the plan %s: %s tells of %s', (plan, call, limit) => {
    const contract = auth0({ plan });
    expect(seen(contract, call, family('x-ratelimit', 50, 7))).toEqual({ [limit]: 7 });
    // A quota of access tokens is no figure of calls.
    const tokens = { 'auth0-client-quota-limit': 'b=per_hour;q=100;r=0;t=924' };
    expect(seen(contract, call, tokens)).toEqual({});
    expect(seen(contract, call, { ...tokens, ...family('x-ratelimit', 50, 7) })).toEqual({ [limit]: 7 });
  });

  it.each([
    ['GET /2/tweets/search/recent', 'search'],
    ['GET /2/tweets', 'lookup'],
    ['GET /2/tweets/20', 'post'],
    ['GET /2/users/by', 'users-by'],
    ['GET /2/users/12', 'user'],
    ['GET /2/users/12/tweets', 'timeline'],
    ['POST /2/users/12/likes', 'like'],
    ['POST /2/dm_conversations/with/12/messages', 'message'],
  ])('at X: %s tells of %s', (call, limit) => {
    expect(seen(x(), call, family('x-rate-limit', 300, 299))).toEqual({ [limit]: 299 });
  });

  it('at X a new post tells of the day of the app as well, and an unknown endpoint of nothing', () => {
    const headers = { ...family('x-rate-limit', 100, 98), 'x-app-limit-24hour-remaining': '9000' };
    expect(seen(x(), 'POST /2/tweets', headers)).toEqual({ 'post-create': 98, 'app-day': 9_000 });
    expect(seen(x(), 'GET /2/lists/5', family('x-rate-limit', 75, 74))).toEqual({});
  });
});

describe('figures with names are about the limits that count the call', () => {
  const both = {
    'x-ratelimit-limit': '200,2000',
    'x-ratelimit-usage': '20,300',
    'x-readratelimit-limit': '100,1000',
    'x-readratelimit-usage': '10,100',
  };

  it('at Strava a read counts for all four, an upload for two', () => {
    const uploaded = { 'quarter-hour': 180, day: 1_700 };
    expect(seen(strava(), 'POST /api/v3/uploads', both)).toEqual(uploaded);
    expect(seen(strava(), 'GET /api/v3/athlete', both)).toEqual({
      ...uploaded,
      'read-quarter-hour': 90,
      'read-day': 900,
    });
  });

  it('at Oracle reads and writes are told apart on every answer', () => {
    const headers = { 'requestlimit-default-remaining': '179', 'requestlimit-write-remaining': '59' };
    expect(seen(oracleAccessGovernance(), 'GET /access-governance/users', headers)).toEqual({ read: 179 });
    expect(seen(oracleAccessGovernance(), 'POST /access-governance/users', headers)).toEqual({ write: 59 });
  });

  it('at OpenAI and Anthropic each unit has its own, and what is told besides slows nothing down', () => {
    expect(
      seen(openai(), 'POST /v1/responses', {
        'x-ratelimit-remaining-requests': '59',
        'x-ratelimit-remaining-tokens': '900',
        'x-ratelimit-remaining-project-tokens': '3',
      }),
    ).toEqual({ requests: 59, tokens: 900 });
    expect(
      seen(anthropic(), 'POST /v1/messages', {
        'anthropic-ratelimit-input-tokens-remaining': '1000',
        'anthropic-ratelimit-output-tokens-remaining': '2000',
        'anthropic-ratelimit-tokens-remaining': '0',
      }),
    ).toEqual({ 'input-tokens': 1_000, 'output-tokens': 2_000 });
  });
});

describe('where the numbers are those of somebody else, a limit that is given is found by the length of its window', () => {
  it('behind Kong', () => {
    const contract = kong({
      limits: [
        fixedWindow({ name: 'mine', limit: 100, per: '1m', align: 'clock' }),
        fixedWindow({ name: 'daily', limit: 5_000, per: '1d', align: 'clock' }),
      ],
    });
    const headers = {
      'x-ratelimit-remaining-minute': '40',
      'x-ratelimit-remaining-hour': '90',
      'x-ratelimit-remaining-day': '3000',
    };
    expect(seen(contract, 'GET /any', headers)).toEqual({ mine: 40, daily: 3_000 });
  });

  it('at Prisjakt', () => {
    const contract = prisjakt({ limits: [slidingWindow({ name: 'hour', limit: 10_000, per: '1h' })] });
    expect(seen(contract, 'GET /any', { 'x-rate-limit-remaining': '12' })).toEqual({ hour: 12 });
  });
});
