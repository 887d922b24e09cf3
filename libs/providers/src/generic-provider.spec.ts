import { readAnswer, tokenBucket } from '../../core/src/index.js';
import { GENERIC } from './generic-provider.js';
import { genericProvider } from './index.js';

const NOW = new Date('2026-03-10T12:00:00Z');
const read = (headers: Record<string, string>, status = 429) =>
  readAnswer(genericProvider(), { status, headers, receivedAt: NOW });

describe('a provider that nobody has described', () => {
  it('needs nothing to be said: it has no limit, and no guess of it lasts longer than a minute', () => {
    const { name, resolved } = genericProvider();
    expect(name).toBe('generic');
    expect(resolved.limits).toEqual([]);
    expect(resolved.pause).toMatchObject({
      initialMs: 60_000,
      maxMs: 60_000,
      maxGuessMs: 60_000,
      maxHintMs: 604_800_000,
    });
    expect(resolved.retry.maxDelayMs).toBeLessThan(60_000);
    expect(resolved.breaker?.probeEveryMs ?? 0).toBeLessThanOrEqual(60_000);
    expect(resolved.idempotency).toBeNull();
  });

  it('takes any option of a contract, within `pause` and `retry` one by one', () => {
    const { resolved } = genericProvider({
      name: 'acme',
      http: { baseURL: 'https://api.acme.example' },
      limits: [tokenBucket({ burst: 5, limit: 60, per: '1m' })],
      pause: { maxHint: '1h' },
      retry: { maxWait: '5m' },
    });
    expect(resolved).toMatchObject({ name: 'acme', pause: { maxHintMs: 3_600_000, maxGuessMs: 60_000 } });
    expect(resolved.limits).toHaveLength(1);
    expect(resolved.options.http).toEqual({ baseURL: 'https://api.acme.example' });
  });

  it('reads what is there: Retry-After, the fields of the IETF in every generation, and the X-RateLimit families', () => {
    const told: Record<string, string>[] = [
      { 'Retry-After': '300' },
      { 'Retry-After': 'Tue, 10 Mar 2026 12:05:00 GMT' },
      { 'RateLimit-Remaining': '0', 'RateLimit-Reset': '300' },
      { RateLimit: 'limit=10, remaining=0, reset=300' },
      { RateLimit: '"default";r=0;t=300' },
      { 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': '300' },
      { 'X-Rate-Limit-Remaining': '0', 'X-Rate-Limit-Reset': '300' },
    ];
    for (const headers of told) expect(read(headers)).toMatchObject({ limited: true, waitMs: 300_000 });
    expect(told.map((headers) => read(headers).waitGuess !== undefined)).toEqual([
      false, false, false, false, false, true, true,
    ]); // prettier-ignore
  });

  it('is described as those of the catalogue are', () => {
    expect(GENERIC.sources.every(({ url }) => new URL(url).protocol === 'https:')).toBe(true);
    expect(GENERIC.notes.refused.length).toBeGreaterThan(0);
  });
});
