/** Answers that no provider should send, drawn from a seed; and what must hold of their readings. */
import type { Answer, Reading, ReadingPart } from '../../libs/core/src/reading/reading.js';

export type Chance = () => number;

const FIELDS = ['limit', 'remaining', 'reset', 'reset-after', 'used', 'bucket', 'resource', 'nearlimit', 'scope'];
const PREFIXES = [
  'ratelimit',
  'x-ratelimit',
  'X-RateLimit',
  'x-rate-limit',
  'x-quota',
  'x-app',
  'anthropic-ratelimit-tokens',
];
const NAMES = [
  'retry-after', 'Retry-After', 'retry-after-ms', 'date', 'age', 'content-type', 'RateLimit', 'ratelimit', 'ratelimit-policy',
  'x-ratelimit-remaining-tokens', 'x-ratelimit-reset-requests', 'sforce-limit-info', 'x-shopify-shop-api-call-limit',
  'x-minlimit-remaining', 'x-rate-limit-problem', 'x-ms-throttle-scope', 'stripe-rate-limited-reason', 'beta-ratelimit',
  'x-hubspot-ratelimit-daily-remaining', 'zendesk-ratelimit-incremental-exports', '__proto__', 'constructor', '',
]; // prettier-ignore
const KEYS = [
  'message', 'error', 'errors', 'code', 'type', 'reason', 'extensions', 'cost', 'details', 'data', 'rateLimit', 'status',
  'retry_after', 'retryDelay', 'responses', 'id', 'headers', 'body', 'violated-policies', 'throttleStatus', 'restoreRate',
  'currentlyAvailable', 'maximumAvailable', 'requestedQueryCost', 'actualQueryCost', 'ok', 'errorCode', '__proto__', 'toString',
]; // prettier-ignore
const WORDS = [
  'THROTTLED', 'RATELIMITED', 'RATE_LIMITED', 'rateLimitExceeded', 'ratelimited', 'insufficient_quota', 'quotaExceeded',
  'secondary rate limit', 'REQUEST_LIMIT_EXCEEDED', 'concurrency', 'DAILY', 'retry after 34s', 'true', 'null', 'application/json',
  'https://iana.org/assignments/http-problem-types#quota-exceeded', '#abnormal-usage-detected', '#temporary-reduced-capacity',
]; // prettier-ignore
const NUMBERS = [
  '0', '-0', '-1', '1', '60', '3600', '1.5', '.5', '1e5', '1e309', '0x10', 'NaN', 'Infinity', '-Infinity', '1773144060', '1773144060000',
  '1773144060.5', '100000000', '9007199254740991', '9007199254740993', '99999999999999999', '0.0000000000000001', '１２０', '+5', '1,000',
]; // prettier-ignore
const TIMES = [
  'Tue, 10 Mar 2026 12:01:00 GMT', 'Tuesday, 10-Mar-26 12:01:00 GMT', 'Tue Mar 10 12:01:00 2026', 'Tue, 31 Feb 2026 12:00:00 GMT',
  '0001-01-01T00:00:00Z', '9999-12-31T23:59:60+23:59', '2026-03-10T12:01:00', '6m0s', '1h1m1s', '9999999999h', '1µs', 's', '34s',
  'Tue Mar 10 2026 12:01:00 GMT+0200 (x)', 'Tue, 10 Mar 0000 12:00:00 GMT',
]; // prettier-ignore
const STRUCTURES = [
  '"a";r=0;t=60', '"a";r=0;t=999999999999999', '"a";r=5;t=1, "b";r=0;t=9;pk=:aGk=:', 'limit=10, remaining=0, reset=5', '"a";q=10;w=60;qu="tokens"',
  '10;w=1, 50;w=60', '"a";r=0;t=30.5', '"a"', ':aGk:', '40/40', '40/0', '/', 'api-usage=5/10; per-app-api-usage=1/2(appName=x)', 'total=5; remaining=0; resets=9',
]; // prettier-ignore
const HOSTILE = [
  '1',
  '0, ',
  '/1',
  'a',
  '1h',
  ' ',
  '"',
  '\\',
  ';',
  '[',
  '{"a":',
  'api-usage=',
  '(((((',
  'Retry-After: 1\r\n',
  '\u0000',
  '\ud800',
];

const LONG_PARTS: readonly ((index: number, key: string) => string)[] = [
  (index) => `"k${index}":1`,
  (_index, key) => `"${key}":1`,
  (_index, key) => `"${key}":[{"code":"\\n"}]`,
  (_index, key) => `"${key.replace(/[a-z]/, (letter) => `\\u00${letter.charCodeAt(0).toString(16)}`)}":"é"`,
  () => '"":0',
  () => '1',
  () => '[]',
  () => '[[[[[[[[]]]]]]]]',
  () => '"\\\\"',
  () => ' ',
  () => '"日本"',
  (index, key) => `{"id":${index},"${key}":{"code":"THROTTLED","cost":${index}},"name":"Hello, world"}`,
  (index) => `{"status":429,"id":"${index}","headers":{"Retry-After":"${index}"},"body":{"error":{"code":"x"}}}`,
];

export class OddAnswers {
  /** `longest`: of the long texts. */
  constructor(
    private readonly chance: Chance,
    private readonly longest: number,
  ) {}

  next(): Answer {
    const { chance } = this;
    const count = Math.floor(chance() ** 3 * 14);
    const headers: Record<string, unknown> = {};
    for (let i = 0; i < count; i += 1) {
      Object.defineProperty(headers, this.name(), { value: this.value(2), enumerable: true, configurable: true });
    }
    const status =
      chance() < 0.7
        ? this.of([200, 202, 301, 400, 401, 403, 409, 413, 420, 429, 477, 500, 503, 529])
        : this.upTo(1000);
    const receivedAt =
      chance() < 0.02 ? new Date(NaN) : new Date(1_773_144_000_000 + (chance() - 0.5) * 10 ** this.upTo(16));
    return { status, headers: headers as Answer['headers'], body: this.body(), receivedAt };
  }

  private body(): unknown {
    const kind = this.chance();
    if (kind < 0.3) return undefined;
    if (kind < 0.6) return this.json(4);
    if (kind < 0.996) return text(JSON.stringify(this.json(4)) ?? '', this.upTo(20), this.chance);
    return this.chance() < 0.5 ? this.long(this.longest) : this.longJson();
  }

  /** JSON as long as may be: small parts without end, in the place of any of the names, and something that tells behind it. */
  private longJson(): string {
    const part = this.of(LONG_PARTS);
    const length = this.chance() ** 2 * this.longest;
    const parts: string[] = [];
    for (let size = 0; size < length; size += parts.at(-1)!.length + 1) parts.push(part(parts.length, this.of(KEYS)));
    const inside = parts.join(',');
    const holder = this.of([`{${inside.startsWith('"') ? inside : `"data":[${inside}]`}`, `{"${this.of(KEYS)}":{"list":[${inside.startsWith('"') ? `{${inside}}` : inside}]}`]); // prettier-ignore
    const whole = `${holder},"${this.of(KEYS)}":${JSON.stringify(this.json(3)) ?? 'null'}}`;
    return text(whole, Math.floor(this.chance() * whole.length), this.chance);
  }

  private json(depth: number): unknown {
    const kind = this.chance();
    if (depth === 0 || kind < 0.4) return this.scalar();
    if (kind < 0.6) return Array.from({ length: this.upTo(kind < 0.42 ? 40 : 4) }, () => this.json(depth - 1));
    const object: Record<string, unknown> = {};
    const count = this.upTo(6);
    for (let i = 0; i < count; i += 1) {
      Object.defineProperty(object, this.of(KEYS), {
        value: this.json(depth - 1),
        enumerable: true,
        configurable: true,
      });
    }
    return object;
  }

  private scalar(): unknown {
    const kind = this.chance();
    if (kind < 0.5) return this.text();
    if (kind < 0.8)
      return this.of([0, -1, 1, 0.5, 60, 1e21, -0, NaN, Infinity, 2 ** 53, 1_773_144_060, 200, 429, 1e-300]);
    return this.of([true, false, null, undefined]);
  }

  private value(depth: number): unknown {
    const kind = this.chance();
    if (kind < 0.8) return this.text();
    if (kind < 0.95 && depth > 0) return Array.from({ length: this.upTo(4) }, () => this.value(depth - 1));
    return this.of([0, 5, -5, NaN, null, undefined, true, {}, Symbol.iterator, 10n, () => 1]);
  }

  private text(): string {
    const kind = this.chance();
    if (kind < 0.3) return this.of(NUMBERS);
    if (kind < 0.5) return this.of(TIMES);
    if (kind < 0.65) return this.of(STRUCTURES);
    if (kind < 0.8) return this.of(WORDS);
    if (kind < 0.85) return `${this.of(NUMBERS)}${this.of([', ', ' ', ';', '/'])}${this.of(NUMBERS)}`;
    if (kind < 0.9) return String((this.chance() - 0.3) * 10 ** this.upTo(20));
    if (kind < 0.99) return text('', this.upTo(12), this.chance);
    return this.long(Math.min(20_000, this.longest));
  }

  private long(longest: number): string {
    const piece = this.of(HOSTILE);
    return piece.repeat(Math.ceil((this.chance() ** 2 * longest) / piece.length));
  }

  private name(): string {
    if (this.chance() < 0.1) return text('x-', this.upTo(8), this.chance);
    return this.chance() < 0.5 ? this.of(NAMES) : `${this.of(PREFIXES)}-${this.of(FIELDS)}`;
  }

  private of<T>(list: readonly T[]): T {
    return list[this.upTo(list.length)]!;
  }

  private upTo(end: number): number {
    return Math.floor(this.chance() * end);
  }
}

/** Cut somewhere, or with a letter changed. */
function text(from: string, at: number, chance: Chance): string {
  if (chance() < 0.6) return from;
  const letter = String.fromCharCode(Math.floor(chance() * (chance() < 0.8 ? 128 : 65_536)));
  return chance() < 0.5 ? from.slice(0, at) : from.slice(0, at) + letter + from.slice(at);
}

const NUMERIC = ['waitMs', 'remaining', 'limit', 'cost', 'perSecond', 'window', 'resetInMs'] as const;

/** What is wrong with a reading; null = nothing. Moments may lie before 1970, nothing else is below zero. */
export function faultIn(reading: Reading): string | null {
  for (const part of [reading, ...(reading.parts ?? [])] as readonly (Reading & ReadingPart)[]) {
    for (const name of NUMERIC) {
      const value = part[name];
      if (value != null && !(value >= 0 && value < Infinity)) return `${name} is ${value}`;
    }
    for (const date of [part.retryAt, part.resetAt]) {
      if (date != null && !Number.isFinite(date.getTime())) return 'a date is none';
    }
  }
  if (typeof reading.limited !== 'boolean' || typeof reading.retryable !== 'boolean')
    return 'limited or retryable is no flag';
  if (typeof reading.kind !== 'string' || reading.kind === '') return 'kind is none';
  return null;
}
