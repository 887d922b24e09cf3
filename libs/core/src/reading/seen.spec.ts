import { defineProvider } from '../contract/define-provider.js';
import { concurrency, quota, slidingWindow, tokenBucket } from '../contract/builders.js';
import type { LimitOptions } from '../contract/options.js';
import type { ReadingOptions } from './options.js';
import type { HeaderBag } from '../model/outcome.js';
import { readAnswer } from './read-answer.js';
import { readingToSeen, refusingLimit } from './seen.js';

const minute = slidingWindow({ name: 'minute', limit: 100, per: '1m' });

function seen(limits: LimitOptions[], headers: HeaderBag, reading?: ReadingOptions, route: string | null = null) {
  const contract = defineProvider({
    name: 'crm',
    routes: { search: 'GET /search' },
    limits,
    ...(reading === undefined ? {} : { reading }),
  });
  const answer = readAnswer(contract, { status: 429, headers, receivedAt: new Date('2026-03-10T12:00:00Z') });
  return {
    seen: readingToSeen(contract.resolved, answer, route),
    refused: refusingLimit(contract.resolved, answer, route),
    answer,
  };
}

const LEFT = { 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': '30' };

describe('the figures of an answer', () => {
  it('are about the only limit that counts requests', () => {
    const { seen: found, refused } = seen([minute, concurrency({ limit: 4 })], LEFT);
    expect(found).toEqual([{ limitName: 'minute', remaining: 0, resetInMs: 30_000 }]);
    expect(refused).toBe('minute');
  });

  it('say of a reset that is guessed no more than `pause.maxGuess` allows', () => {
    const hour = { 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': '3600' };
    const told = (headers: HeaderBag) => {
      const contract = defineProvider({ name: 'crm', limits: [minute], pause: { maxGuess: '20s' } });
      const answer = readAnswer(contract, { status: 200, headers, receivedAt: new Date('2026-03-10T12:00:00Z') });
      return readingToSeen(contract.resolved, answer).map(({ resetInMs }) => resetInMs);
    };
    expect(told(hour)).toEqual([20_000]);
    expect(told({ 'RateLimit-Remaining': '0', 'RateLimit-Reset': '3600' })).toEqual([3_600_000]);
    expect(told({ RateLimit: '"default";r=0;t=3600' })).toEqual([3_600_000]);
    expect(told({ RateLimit: '"default";r=0;t=999999999999' })).toEqual([20_000]);
    expect(seen([minute], hour).seen).toEqual([{ limitName: 'minute', remaining: 0, resetInMs: 3_600_000 }]);
  });

  it('are about their own limit where the refusal is about another, though there is but one figure', () => {
    const { seen: found, refused } = seen(
      [minute, quota({ name: 'day', limit: 5000, per: 'day', volatile: true })],
      { 'x-left-this-minute': '59', 'x-problem': 'day' },
      {
        scopes: { m: 'minute', d: 'day' },
        windows: [{ scope: 'm', remaining: 'x-left-this-minute' }],
        rules: [{ when: { headers: { 'x-problem': 'day' } }, kind: 'quota', scope: 'd' }],
      },
    );
    expect(found).toEqual([{ limitName: 'minute', remaining: 59, resetInMs: null }]);
    expect(refused).toBe('day');
  });

  it('are about none where two limits could be meant, and are shown all the same', () => {
    const { seen: found, refused, answer } = seen([minute, quota({ limit: 5000, per: 'day', volatile: true })], LEFT);
    expect(found).toEqual([]);
    expect(refused).toBeNull();
    expect(answer.remaining).toBe(0);
  });

  it('are about the limit whose window they tell', () => {
    const limits = [minute, slidingWindow({ name: 'hour', limit: 1000, per: '1h' })];
    const headers = {
      RateLimit: '"a";r=5;t=9, "b";r=700;t=900',
      'RateLimit-Policy': '"a";q=100;w=60, "b";q=1000;w=3600',
    };
    expect(seen(limits, headers).seen).toEqual([
      { limitName: 'minute', remaining: 5, resetInMs: 9000 },
      { limitName: 'hour', remaining: 700, resetInMs: 900_000 },
    ]);
  });

  it('are about the limit their scope is mapped to, and a scope that is not mapped is about none', () => {
    const limits = [minute, tokenBucket({ name: 'core', burst: 10, limit: 10, per: '1m' })];
    const reading: ReadingOptions = { scopes: { core: 'core' } };
    const one = seen(limits, { RateLimit: '"core";r=3;t=2' }, reading);
    expect(one.seen).toEqual([{ limitName: 'core', remaining: 3, resetInMs: 2000 }]);
    expect(one.refused).toBe('core');
    expect(seen([limits[1]!], { RateLimit: '"other";r=3;t=2' }, reading).seen).toEqual([]);
  });

  it('are not applied to the limit of another route', () => {
    const limits = [slidingWindow({ name: 'search', limit: 5, per: '1m', routes: ['search'] })];
    expect(seen(limits, LEFT).seen).toEqual([]);
    expect(seen(limits, LEFT, undefined, 'search').seen).toEqual([
      { limitName: 'search', remaining: 0, resetInMs: 30_000 },
    ]);
  });

  it('are not applied twice to one limit', () => {
    expect(seen([minute], { RateLimit: '"a";r=5;t=9, "b";r=700;t=900' }).seen).toEqual([]);
  });

  it('are not applied from a cached answer', () => {
    expect(seen([minute], { ...LEFT, Age: '5' }).seen).toEqual([]);
  });

  it('are freed of the difference of the clocks', () => {
    const headers = {
      Date: 'Tue, 10 Mar 2026 11:50:00 GMT',
      'X-RateLimit-Remaining': '0',
      'X-RateLimit-Reset': '1773143460',
    };
    expect(seen([minute], headers).seen).toEqual([{ limitName: 'minute', remaining: 0, resetInMs: 60_000 }]);
  });
});
