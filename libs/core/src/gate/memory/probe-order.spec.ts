import fc from 'fast-check';
import { tokenBucket } from '../../contract/builders.js';
import type { Safety } from '../../model/outcome.js';
import { Lab, SECOND } from './lab.fixture.js';

interface Who {
  readonly key: string;
  readonly lane: number;
  readonly safety: Safety;
}

const who = (key: string, lane: number, safety: Safety): Who => ({ key, lane, safety });

type Shut = 'pause' | 'breaker';

/** Each waits in a process of its own; all ask when it may be probed, in the order they are named. Gives who is the probe. */
function probeOf(
  waiting: readonly Who[],
  partition: Readonly<Record<string, string>> = {},
  by: Shut = 'pause',
): string {
  const countedBy = Object.keys(partition);
  const lab = new Lab({
    dimensions: countedBy,
    limits: [tokenBucket({ burst: 99, limit: 99, per: '1s', countedBy })],
    lanes: { a: {}, b: {}, c: {} },
    guard: 0,
    ...(by === 'breaker' ? { breaker: { consecutiveFailures: 1, probeEvery: '1s', whileOpen: 'wait' } } : {}),
  });
  const end = by === 'pause' ? { refusal: { limit: null, waitUs: SECOND } } : ({ health: 'failure' } as const);
  lab.settle(lab.granted({ partition }), end, { partition });
  const asks = waiting.map((one) => lab.ask({ ...one, partition }));
  asks.forEach((ask, i) => lab.step({ asks: [ask] }, `process-${i}`));
  lab.at += SECOND;
  const probes: string[] = [];
  for (let round = 0; round < 2 && probes.length === 0; round += 1) {
    asks.forEach((ask, i) => {
      for (const grant of lab.step({ asks: [ask] }, `process-${i}`).grants) {
        expect(grant.probe).toBe(true);
        probes.push(grant.ticketKey);
      }
    });
  }
  expect(probes).toHaveLength(1);
  return probes[0] as string;
}

describe.each([
  ['a pause of the whole provider', {}, 'pause'],
  ['a pause of a partition', { user: 'u' }, 'pause'],
  ['the breaker', {}, 'breaker'],
  ['the breaker of a provider with partitions', { user: 'u' }, 'breaker'],
] as const)('the probe of %s', (_, partition, by) => {
  it('is the most urgent who waits, in whatever process, however early others ask', () => {
    expect(probeOf([who('c', 2, 'safe'), who('b', 1, 'safe'), who('a', 0, 'safe')], partition, by)).toBe('a');
  });

  it('is a call that may be repeated rather than a bare write, though that is more urgent', () => {
    expect(probeOf([who('write', 0, 'unkeyed'), who('read', 2, 'safe')], partition, by)).toBe('read');
    expect(probeOf([who('write', 0, 'unkeyed'), who('keyed', 1, 'keyed')], partition, by)).toBe('keyed');
  });

  it('is the most urgent bare write where there is nothing else', () => {
    expect(probeOf([who('late', 1, 'unkeyed'), who('urgent', 0, 'unkeyed')], partition, by)).toBe('urgent');
  });

  it('is the best of all who wait, whoever they are and in whatever order they ask', () => {
    const one = fc.record({ lane: fc.nat({ max: 2 }), safety: fc.constantFrom<Safety>('safe', 'keyed', 'unkeyed') });
    fc.assert(
      fc.property(fc.array(one, { minLength: 1, maxLength: 6 }), (all) => {
        const waiting = all.map(({ lane, safety }, i) => who(`${i}`, lane, safety));
        const worth = ({ lane, safety }: Who): number => (safety === 'unkeyed' ? 10 : 0) + lane;
        const probe = waiting.find(({ key }) => key === probeOf(waiting, partition, by))!;
        expect(worth(probe)).toBe(Math.min(...waiting.map(worth)));
      }),
      { numRuns: 60 },
    );
  });

  it('goes to the next where the best does not ask in time', () => {
    const lab = new Lab({
      limits: [tokenBucket({ burst: 9, limit: 9, per: '1s' })],
      lanes: { a: {}, b: {} },
      guard: 0,
      ...(by === 'breaker' ? { breaker: { consecutiveFailures: 1, probeEvery: '1s', whileOpen: 'wait' } } : {}),
    });
    lab.settle(lab.granted(), by === 'pause' ? { refusal: { limit: null, waitUs: SECOND } } : { health: 'failure' });
    lab.step({ asks: [lab.ask({ key: 'dead', lane: 0 })] }, 'dead');
    const alive = lab.ask({ key: 'alive', lane: 1 });
    lab.step({ asks: [alive] }, 'alive');
    lab.at += SECOND;
    const wait = lab.step({ asks: [alive] }, 'alive').waits[0];
    lab.at += lab.until(wait?.pollAtUs ?? 0);
    expect(lab.until(wait?.pollAtUs ?? 0)).toBe(0);
    expect(lab.step({ asks: [alive] }, 'alive').grants[0]?.probe).toBe(true);
  });
});
