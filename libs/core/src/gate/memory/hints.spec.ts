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
