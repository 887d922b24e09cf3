import { concurrency, tokenBucket } from '../../contract/builders.js';
import { Lab, SECOND, settled } from './lab.fixture.js';

describe('a step', () => {
  it('grants a burst at once and paces what follows', () => {
    const lab = new Lab({ limits: [tokenBucket({ burst: 30, limit: 30, per: '1m' })], guard: 0 });
    for (let i = 0; i < 30; i += 1) lab.granted();
    const wait = lab.want().waits[0];
    expect(wait).toMatchObject({ cause: 'rate', limit: 0 });
    expect(lab.until(wait?.estimateUs ?? 0)).toBe(2 * SECOND);
  });

  it('grants all that a ticket shows, 64 calls at most, where nobody waits, and keeps no place for what it did not show', () => {
    const lab = new Lab({ limits: [tokenBucket({ burst: 1_000, limit: 30, per: '1m' })], guard: 0 });
    const some = lab.want({ calls: 50, shown: 20 });
    expect([some.grants.length, some.waits.length]).toEqual([20, 0]);
    expect(lab.engine.inspect(1).tickets).toBe(0);
    const most = lab.want({ calls: 80, shown: 80 });
    expect([most.grants.length, most.waits[0]?.pollAtUs]).toEqual([64, most.nowUs]);
  });

  it('grants a ticket 8 calls at a time where another waits', () => {
    const lab = new Lab({ limits: [concurrency({ limit: 40 })] });
    const first = lab.want({ key: 'first', calls: 41, shown: 32 });
    expect(first.grants).toHaveLength(32);
    const second = lab.want({ key: 'second', calls: 9, shown: 9 });
    expect([second.grants.length, second.waits.length]).toEqual([8, 1]);
    const settles = first.grants.map((grant) => settled(grant, lab.ticket({ key: 'first' })));
    expect(lab.step({ settles, asks: [lab.ask({ key: 'third', calls: 32, shown: 32 })] }).grants).toHaveLength(8);
  });

  it('gives a permit back when its attempt is settled', () => {
    const lab = new Lab({ limits: [concurrency({ limit: 1 })] });
    const grant = lab.granted();
    expect(lab.want().waits[0]).toMatchObject({ cause: 'concurrency' });
    const reply = lab.step({ settles: [settled(grant, lab.ticket())], asks: [lab.ask()] });
    expect(reply.grants).toHaveLength(1);
  });

  it('repeats its reply when the same step comes again', () => {
    const lab = new Lab({ limits: [concurrency({ limit: 1 })] });
    const input = { processId: 'a', stepNo: 7, seenSeq: 0, settles: [], commands: [], asks: [lab.ask()] };
    const first = lab.engine.step(1, input);
    expect(first.grants).toHaveLength(1);
    expect(lab.engine.step(2, input)).toBe(first);
    expect(lab.engine.inspect(3).leases).toBe(1);
  });
});
