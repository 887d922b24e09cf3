/** What the standards say, one test for each of their rules: RFC 9110, RFC 6585, and the IETF's RateLimit fields in all generations. */
import type { HeaderBag } from '../model/outcome.js';
import { readWith } from './read-answer.js';

const NOW = new Date('2026-03-10T12:00:00Z');
const read = (headers: HeaderBag, status = 429, body?: unknown) =>
  readWith(undefined, { status, headers, body, receivedAt: NOW });
const seconds = (count: number) => new Date(NOW.getTime() + count * 1000);

describe('RFC 9110 10.2.3, Retry-After', () => {
  it.each([
    ['delay-seconds', '90'],
    ['IMF-fixdate', 'Tue, 10 Mar 2026 12:01:30 GMT'],
    ['rfc850-date', 'Tuesday, 10-Mar-26 12:01:30 GMT'],
    ['asctime-date', 'Tue Mar 10 12:01:30 2026'],
  ])('%s is read', (_form, value) => {
    expect(read({ 'Retry-After': value })).toMatchObject({ waitMs: 90_000, retryAt: seconds(90) });
  });

  it('the day of an asctime-date is padded with a space, and names UTC', () => {
    const at = new Date('2026-11-06T08:00:00Z');
    const headers = { 'Retry-After': 'Fri Nov  6 08:00:30 2026' };
    expect(readWith(undefined, { status: 429, headers, receivedAt: at }).waitMs).toBe(30_000);
  });

  it('a two-digit year more than 50 years ahead is of the century before', () => {
    expect(read({ 'Retry-After': 'Sunday, 06-Nov-77 08:49:37 GMT' }).waitMs).toBe(0);
    expect(read({ 'Retry-After': 'Friday, 06-Nov-76 08:49:37 GMT' }).waitMs).toBeGreaterThan(0);
  });

  it('it may come with a 503, a redirect and a 413 too', () => {
    for (const status of [503, 301, 413]) expect(read({ 'Retry-After': '5' }, status).waitMs).toBe(5000);
  });
});

describe('RFC 6585 4, 429', () => {
  it('is a refusal that may go again, with and without Retry-After', () => {
    expect(read({ 'Retry-After': '5' })).toMatchObject({ limited: true, retryable: true, waitMs: 5000 });
    expect(read({})).toMatchObject({ limited: true, retryable: true, waitMs: null });
  });
});

describe('the RateLimit fields of the IETF', () => {
  const LEFT = { remaining: 0, limit: 100, window: 60, waitMs: 30_000, resetAt: seconds(30) };

  it.each<[string, HeaderBag]>([
    [
      'drafts 0 to 3: three fields, policies behind the limit',
      { 'RateLimit-Limit': '100, 100;w=60', 'RateLimit-Remaining': '0', 'RateLimit-Reset': '30' },
    ],
    [
      'drafts 4 to 6: three fields and the policies',
      { 'RateLimit-Limit': '100', 'RateLimit-Remaining': '0', 'RateLimit-Reset': '30', 'RateLimit-Policy': '10;w=1, 100;w=60' },
    ],
    ['draft 7: a dictionary', { RateLimit: 'limit=100, remaining=0, reset=30', 'RateLimit-Policy': '10;w=1, 100;w=60' }],
    ['drafts 8 to 11: lists', { RateLimit: '"m";r=0;t=30', 'RateLimit-Policy': '"s";q=10;w=1, "m";q=100;w=60' }],
    ['lists over several lines', { RateLimit: ['"m";r=0;t=30', '"s";r=9;t=1'], 'RateLimit-Policy': ['"s";q=10;w=1', '"m";q=100;w=60'] }],
  ])('%s', (_draft, headers) => {
    expect(read(headers)).toMatchObject({ limited: true, ...LEFT });
    expect(read(headers, 200)).toMatchObject({ limited: false, ...LEFT });
  }); // prettier-ignore

  it('a unit of the policy is told with its figure, and requests where it names none', () => {
    const headers = {
      RateLimit: '"b";r=5;t=9, "r";r=7;t=9',
      'RateLimit-Policy': '"b";q=100;qu="content-bytes", "r";q=100',
    };
    const { parts } = read(headers, 200);
    expect(parts?.map(({ scope, unit, remaining }) => [scope, unit, remaining])).toEqual([['b', 'content-bytes', 5], ['r', undefined, 7]]); // prettier-ignore
  });

  it('a partition key, and parameters of vendors, change nothing', () => {
    const pk = 'pk=:dHJpYWwxMjEzMjM=:';
    const headers = { RateLimit: `"m";r=0;t=30;${pk};acme-x=1`, 'RateLimit-Policy': `"m";q=100;w=60;${pk};acme-y="z"` };
    expect(read(headers)).toMatchObject({ ...LEFT, scope: 'm' });
  });

  it('a policy of a name that two partitions share is one of each key', () => {
    const headers = {
      RateLimit: '"m";r=0;t=30;pk=:YQ==:, "m";r=5;t=30;pk=:Yg==:',
      'RateLimit-Policy': '"m";q=100;w=60;pk=:YQ==:, "m";q=50;w=10;pk=:Yg==:',
    };
    expect(read(headers).parts).toMatchObject([{ limit: 100, window: 60 }, { limit: 50, window: 10 }]); // prettier-ignore
  });

  it('Retry-After goes before t', () => {
    expect(read({ 'Retry-After': '20', RateLimit: '"m";r=0;t=40' }).waitMs).toBe(20_000);
  });

  it('what is malformed is ignored as a whole, and a cached answer says nothing', () => {
    for (const field of ['"m";r=0;t=1.5', '"m";t=5', '"m";r=-1', '"m";r=0;t=5, ;', '"m";r=0;t=5,', 'm"']) {
      expect(read({ RateLimit: field })).toMatchObject({ waitMs: null, remaining: null });
    }
    expect(read({ Age: '5', RateLimit: '"m";r=0;t=5' }).remaining).toBeNull();
  });

  it('no figure makes a refusal of an answer that is none', () => {
    expect(read({ RateLimit: '"m";r=0;t=5' }, 200)).toMatchObject({ limited: false, kind: 'none' });
  });
});

describe('the problem types of the IETF', () => {
  const problem = (type: string, status: number, headers: HeaderBag = {}) =>
    read({ 'Content-Type': 'application/problem+json', ...headers }, status, {
      type: `https://iana.org/assignments/http-problem-types#${type}`,
      'violated-policies': ['daily', 'bandwidth'],
    });

  it('quota-exceeded is a refusal for a quota', () => {
    expect(problem('quota-exceeded', 429)).toMatchObject({
      limited: true,
      kind: 'quota',
      scope: 'daily',
      waitMs: null,
    });
  });

  it('temporary-reduced-capacity is an overload, and no refusal', () => {
    const reading = problem('temporary-reduced-capacity', 503, { 'Retry-After': '9' });
    expect(reading).toMatchObject({ limited: false, kind: 'overload', scope: 'daily', waitMs: 9000 });
  });

  it('abnormal-usage-detected is a refusal for abuse', () => {
    expect(problem('abnormal-usage-detected', 429)).toMatchObject({
      limited: true,
      retryable: true,
      kind: 'abuse',
      scope: 'daily',
    });
  });

  it('the violated policy is the one whose figures are shown', () => {
    const headers = {
      RateLimit: '"burst";r=0;t=1, "daily";r=0;t=500',
      'RateLimit-Policy': '"burst";q=5;w=1, "daily";q=1000;w=86400',
    };
    expect(problem('quota-exceeded', 429, headers)).toMatchObject({ scope: 'daily', limit: 1000, waitMs: 500_000 });
  });

  it('the same body as a text says the same', () => {
    const body =
      '{"type":"https://iana.org/assignments/http-problem-types#quota-exceeded","violated-policies":["daily"]}';
    expect(read({}, 429, body)).toMatchObject({ kind: 'quota', scope: 'daily' });
  });
});
