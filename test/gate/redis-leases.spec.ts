import { concurrency, tokenBucket } from '../../libs/core/src/contract/builders.js';
import type { Grant } from '../../libs/core/src/gate/port.js';
import { Place, Process, SECOND } from './redis-process.fixture.js';

const DAY_S = 86_400;

describe('what processes hold in Redis', () => {
  let place: Place;
  beforeEach(() => {
    place = new Place();
  });
  afterEach(() => place.close());

  async function timesToLive(): Promise<readonly number[]> {
    const keys = await place.redis.keys(`${place.at.base}:*`);
    return Promise.all(keys.map((key) => place.redis.pttl(key)));
  }

  /** Members of all keys that hold one for each account or lease. */
  async function held(): Promise<number> {
    const { redis, at } = place;
    const hashes = await Promise.all(['st', 'ls', 'wt', 'wk'].map((name) => redis.hlen(`${at.base}:${name}`)));
    const sets = await Promise.all(
      ['sx', 'lx', 'ln', 'to', 'wx'].map((name) => redis.zcount(`${at.base}:${name}`, '-inf', '(+inf')),
    );
    return [...hashes, ...sets].reduce((sum, count) => sum + count, 0);
  }

  it('case 66: a permit that has passed to another is not freed by its first holder, however often that gives it back', async () => {
    const limits = [concurrency({ limit: 1, worksAfterTimeout: 0 })];
    const [first, second, third] = ['a', 'b', 'c'].map((id) => new Process(place, id, limits)) as [Process, Process, Process]; // prettier-ignore
    const [lost] = (await first.step(1)).grants as [Grant];
    expect((await second.step(1)).grants).toHaveLength(0);
    place.nowUs += 3 * SECOND;
    const [own] = (await second.step(1)).grants as [Grant];
    expect((await first.step(0, [lost])).settles).toMatchObject([{ stale: true }]);
    expect((await first.step(0, [lost])).settles).toMatchObject([{ stale: true }]);
    expect((await third.step(1)).grants).toHaveLength(0);
    expect((await second.step(0, [own])).settles).toMatchObject([{ stale: false }]);
    expect((await third.step(1)).grants).toHaveLength(1);
  });

  it('cases 56 and 73: what two thousand accounts held is gone once they are idle, and does not come back', async () => {
    const limits = [concurrency({ limit: 1, worksAfterTimeout: 0 }), tokenBucket({ burst: 1, limit: 1, per: '1s' })];
    const one = new Process(place, 'a', limits, 1, ['account']);
    await one.step(0);
    const atFirst = await held();
    for (let from = 0; from < 2_000; from += 100) {
      const accounts = Array.from({ length: 100 }, (_, i) => `account ${from + i}`);
      for (const account of accounts) {
        const { grants } = await one.step(1, [], account);
        if (from % 200 === 0) await one.step(0, grants, account);
      }
    }
    expect(await held()).toBeGreaterThan(2_000);
    for (let turn = 0; turn < 300; turn += 1) {
      place.nowUs += 60 * SECOND;
      await one.step(0);
    }
    expect(await held()).toBeLessThanOrEqual(atFirst + 2);
  });

  it('case 73: every key outlives the longest lease that stands in it', async () => {
    const one = new Process(place, 'a', [concurrency({ limit: 1, worksAfterTimeout: '2d' })]);
    const { grants } = await one.step(1);
    const leaseMs = ((grants[0]?.expiresAtUs ?? Infinity) - place.nowUs) / 1000;
    expect(leaseMs).toBeGreaterThan(2 * DAY_S * 1000);
    expect(Math.min(...(await timesToLive()))).toBeGreaterThan(leaseMs);
  });

  it('case 73: the keys of leases have their time to live when the last of them ends in the step that grants the next', async () => {
    const one = new Process(place, 'a', [tokenBucket({ burst: 9, limit: 9, per: '1s' })]);
    const { grants } = await one.step(1);
    await one.step(1, grants);
    expect(Math.min(...(await timesToLive()))).toBeGreaterThan(0);
    place.nowUs += 60 * SECOND;
    await one.step(1);
    expect(Math.min(...(await timesToLive()))).toBeGreaterThan(0);
  });

  it('case 64: keys that have lost their time to live get it back, and hold nobody up for longer than a window', async () => {
    const one = new Process(place, 'a', [tokenBucket({ burst: 2, limit: 2, per: '1s' })]);
    expect((await one.step(3)).grants).toHaveLength(2);
    for (const key of await place.redis.keys(`${place.at.base}:*`)) await place.redis.persist(key);
    place.nowUs += SECOND;
    expect((await one.step(3)).grants).toHaveLength(2);
    place.nowUs += 7 * DAY_S * SECOND;
    await one.step(3);
    expect(Math.min(...(await timesToLive()))).toBeGreaterThan(0);
  });
});
