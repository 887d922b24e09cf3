import { concurrency, tokenBucket } from '../../libs/core/src/contract/builders.js';
import { defineProvider } from '../../libs/core/src/contract/define-provider.js';
import { chanceOf } from './actors.js';
import { Fleet } from './fleet.js';
import { findExcess } from './provider-judge.js';

const START = Date.UTC(2026, 0, 5, 12) * 1000;
const SECOND = 1_000_000;
const RATE = 60;

const contract = defineProvider({
  name: 'p',
  dimensions: ['user'],
  limits: [
    tokenBucket({ burst: 5, limit: 1, per: '1s' }),
    tokenBucket({ name: 'all', burst: 60, limit: RATE, per: '1s', countedBy: [] }),
    concurrency({ name: 'at-once', limit: 40, countedBy: [] }),
  ],
  lanes: { interactive: { reserve: { all: 2, 'at-once': 2 } }, background: { guarantee: 0.1 } },
  tenants: { maxShare: 0.5 },
  guard: '100ms',
}).resolved;

/** 200 users of 10 tenants in 8 processes want half as much again as there is; one tenant wants most of it. */
function overloaded(): Fleet {
  const fleet = new Fleet(contract, 8, START);
  const chance = chanceOf(20260105);
  for (let at = START; at < START + 40 * SECOND; at += 1 + Math.floor(-Math.log(1 - chance()) * (SECOND / 90))) {
    const user = Math.floor(chance() ** 1.3 * 200);
    const want = {
      lane: chance() < 0.12 ? 0 : 1,
      tenant: `t${chance() < 0.5 ? 0 : user % 10}`,
      user: `u${user}`,
      latencyUs: 50_000 + Math.floor(chance() * 200_000),
      wayUs: Math.floor(chance() * 100_000),
    };
    const index = Math.floor(chance() * 8);
    fleet.at(at, () => fleet.call(index, want));
  }
  return fleet.run(START + 40 * SECOND);
}

describe('lanes, tenants, reserve, guarantee, partitions, permits and hints together, in overload', () => {
  const fleet = overloaded();
  const steady = fleet.served.filter(({ grantedAt }) => grantedAt > START + 8 * SECOND);

  it('the provider refuses nothing', () => {
    expect(findExcess(contract, fleet.arrivals)).toBeNull();
  });

  it('what there is is used', () => {
    expect(steady.length / (32 * RATE)).toBeGreaterThan(0.98);
  });

  it('interactive calls of light users hardly wait', () => {
    const light = steady.filter(({ lane, user }) => lane === 0 && Number(user.slice(1)) >= 60);
    const waits = light.map(({ cameAt, grantedAt }) => grantedAt - cameAt).sort((a, b) => a - b);
    expect(waits.length).toBeGreaterThan(100);
    expect(waits[Math.floor(waits.length * 0.5)]).toBeLessThan(5_000);
    expect(waits[Math.floor(waits.length * 0.99)]).toBeLessThan(5_000);
  });
});
