import { tokenBucket } from '../../contract/builders.js';
import { Lab, SECOND } from './lab.fixture.js';

const lab = (): Lab =>
  new Lab({
    limits: [tokenBucket({ burst: 1, limit: 1, per: '1s' })],
    lanes: { urgent: {}, slow: { guarantee: 0.5 } },
    guard: 0,
  });

describe('hints where a lane has a guarantee', () => {
  it('do not wake the urgent lane for what is owed to the guarantee', () => {
    const of = lab();
    of.granted();
    of.want({ lane: 1, key: 'slow' }, 'b');
    const urgent = of.ask({ lane: 0, key: 'urgent', calls: 3 });
    of.step({ asks: [urgent] }, 'c');
    of.at += SECOND;
    const reply = of.step({ asks: [urgent] }, 'c');
    expect(reply.waits[0]?.cause).toBe('line');
    expect(reply.wake).toEqual([]);
    of.step({}, 'd');
    expect(of.engine.state.hints).toEqual([]);
  });

  it('wake the lane whose guarantee holds, where it would look later', () => {
    const of = lab();
    const grant = of.granted();
    of.want({ lane: 1, key: 'slow' }, 'b');
    of.want({ lane: 0, key: 'urgent', calls: 3 }, 'c');
    of.settle(grant, { end: 'not-sent', health: 'none' }, {}, 'd');
    expect(of.engine.state.hints.map(({ ticketKey }) => ticketKey)).toEqual(['slow']);
  });
});

describe('hints where those in front leave', () => {
  const fair = (): Lab => new Lab({ limits: [tokenBucket({ burst: 1, limit: 10, per: '1s' })], tenants: {}, guard: 0 });
  const gone = (of: Lab, key: string) => ({ ...of.ask({ key }), waiting: 0, heads: [] });

  it('wake who has come to stand first, where it would look long after it fits', () => {
    const of = fair();
    const front = ['t1', 't2', 't3'];
    of.granted();
    for (const tenant of front) of.want({ key: tenant, tenant }, 'b');
    const { waits } = of.want({ key: 'behind', tenant: 't4' }, 'c');
    expect(of.until(waits[0]?.pollAtUs ?? 0)).toBeGreaterThan(0.25 * SECOND);
    of.step({ asks: front.map((tenant) => gone(of, tenant)) }, 'b');
    expect(of.engine.state.hints.map(({ ticketKey }) => ticketKey)).toEqual(['behind']);
  });

  it('leave alone who will look soon enough by itself', () => {
    const of = fair();
    of.granted();
    of.want({ key: 'first', tenant: 't1' }, 'b');
    of.want({ key: 'behind', tenant: 't2' }, 'c');
    of.step({ asks: [gone(of, 'behind')] }, 'c');
    expect(of.engine.state.hints).toEqual([]);
  });
});
