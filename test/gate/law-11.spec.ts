import fc from 'fast-check';
import { concurrency, slidingWindow, tokenBucket } from '../../libs/core/src/contract/builders.js';
import { defineProvider } from '../../libs/core/src/contract/define-provider.js';
import { chanceOf } from './actors.js';
import { Fleet } from './fleet.js';
import { findExcess } from './provider-judge.js';

const START = Date.UTC(2026, 0, 5, 12) * 1000;
const SECOND = 1_000_000;

/** The whole provider holds more than all partitions together may use: it explains no wait. */
const contract = defineProvider({
  name: 'p',
  dimensions: ['user'],
  limits: [
    tokenBucket({ burst: 5, limit: 5, per: '1s' }),
    slidingWindow({ limit: 20, per: '3s' }),
    concurrency({ limit: 4 }),
    tokenBucket({ name: 'all', burst: 100, limit: 100, per: '1s', countedBy: [] }),
    concurrency({ name: 'at-once', limit: 40, countedBy: [] }),
  ],
  lanes: { a: {}, b: {} },
  guard: '20ms',
}).resolved;

type Trouble = 'none' | 'flood' | 'pause' | 'refusals';

/** When each call of the light user is granted, while others are in trouble or not there. */
function grantsOfLight(seed: number, trouble: Trouble, tenants: boolean): readonly number[] {
  const fleet = new Fleet(contract, 3, START);
  const [own, other] = [chanceOf(seed), chanceOf(seed + 1)];
  const wanted = (chance: () => number, user: string) => ({
    lane: chance() < 0.5 ? 0 : 1,
    tenant: tenants ? user : '',
    user,
    latencyUs: Math.floor(chance() * 400_000),
    wayUs: Math.floor(chance() * 20_000),
  });
  for (let at = START; at < START + 10 * SECOND; at += 1 + Math.floor(own() * 400_000)) {
    const want = wanted(own, 'light');
    const index = Math.floor(own() * 3);
    fleet.at(at, () => fleet.call(index, want));
  }
  for (let at = START; trouble !== 'none' && at < START + 10 * SECOND; at += 1 + Math.floor(other() * 60_000)) {
    const user = `heavy-${Math.floor(other() * 3)}`;
    const refused = trouble === 'refusals' && other() < 0.2 ? { refusedForUs: 3 * SECOND } : {};
    const want = { ...wanted(other, user), ...refused };
    const index = Math.floor(other() * 3);
    fleet.at(at, () => fleet.call(index, want));
    if (trouble === 'pause' && other() < 0.05) {
      fleet.at(at, () => fleet.command({ type: 'pause', partition: { user }, forUs: 4 * SECOND }));
    }
  }
  fleet.run(START + 60 * SECOND);
  expect(findExcess(contract, fleet.arrivals)).toBeNull();
  return fleet.served
    .filter(({ user }) => user === 'light')
    .sort((a, b) => a.cameAt - b.cameAt)
    .map(({ grantedAt }) => grantedAt);
}

it.each<Trouble>(['flood', 'pause', 'refusals'])(
  'law 11: what one partition does (%s) never delays the calls of another',
  (trouble) => {
    fc.assert(
      fc.property(fc.integer(), fc.boolean(), (seed, tenants) => {
        const alone = grantsOfLight(seed, 'none', tenants);
        const beside = grantsOfLight(seed, trouble, tenants);
        expect(beside).toHaveLength(alone.length);
        expect(beside.filter((at, i) => at > (alone[i] as number))).toEqual([]);
      }),
      { numRuns: 15 },
    );
  },
);
