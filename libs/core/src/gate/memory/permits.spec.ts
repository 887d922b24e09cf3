import { concurrency, tokenBucket } from '../../contract/builders.js';
import { Lab, SECOND } from './lab.fixture.js';

const one = { limits: [concurrency({ limit: 1 })], dimensions: ['user'], guard: '100ms' } as const;
const mine = { partition: { user: 'u' }, key: 'mine' };
const next = { partition: { user: 'u' }, key: 'next' };

describe('a call that waits for a permit', () => {
  it('looks again when the lease of the first that holds one expires, not only after the fallback', () => {
    const lab = new Lab(one);
    lab.granted({ ...mine, attemptUs: 300_000 });
    const wait = lab.want(next).waits[0];
    expect(lab.until(wait?.pollAtUs ?? 0)).toBe(400_000);
    lab.at += 400_000;
    expect(lab.want(next).grants).toHaveLength(1);
  });

  it('looks again after the fallback where no permit certainly comes back before', () => {
    const lab = new Lab(one);
    lab.granted(mine);
    expect(lab.until(lab.want(next).waits[0]?.pollAtUs ?? 0)).toBe(SECOND);
  });

  it('case 107: is told to look at the end of the hold that a cancelled attempt leaves', () => {
    const lab = new Lab(one);
    const grant = lab.granted(mine);
    const ask = lab.ask(next);
    lab.step({ asks: [ask] });
    lab.at += 50_000;
    const reply = lab.settle(grant, { end: 'no-answer', health: 'none' }, mine);
    expect(reply.wake).toEqual(['next']);
    const wait = lab.step({ asks: [ask] }).waits[0];
    expect(lab.until(wait?.pollAtUs ?? 0)).toBe(100_000);
    lab.at += 100_000;
    expect(lab.step({ asks: [ask] }).grants).toHaveLength(1);
  });

  it('of another process is hinted at the begin and at the end of such a hold', () => {
    const lab = new Lab({ ...one, limits: [concurrency({ limit: 1, countedBy: [] })] });
    const grant = lab.granted(mine);
    const ask = lab.ask(next);
    lab.step({ asks: [ask] }, 'b');
    lab.settle(grant, { end: 'no-answer', health: 'none' }, mine);
    expect(lab.engine.state.hints.splice(0)).toEqual([{ processId: 'b', ticketKey: 'next' }]);
    // It did not hear of it, and a step of the first process meets the end of the hold.
    lab.at += 100_000;
    lab.step({ asks: [lab.ask({ ...mine, key: 'unrelated', partition: { user: 'v' } })] }, 'c');
    expect(lab.step({ asks: [ask] }, 'b').grants).toHaveLength(1);
  });

  it('behind others waits for as many permits as they need before it', () => {
    const lab = new Lab({ ...one, limits: [concurrency({ limit: 2 })] });
    lab.granted({ ...mine, attemptUs: 300_000 });
    lab.granted({ ...mine, attemptUs: 500_000 });
    lab.want({ ...mine, key: 'first' });
    lab.at += 1;
    const wait = lab.want({ ...next, waitedUs: 0 }).waits[0];
    expect(wait?.pollAtUs).toBe(lab.engine.state.now + 600_000 - 1);
  });

  it('is not said to be certain of it: a permit may come back at any moment', () => {
    const lab = new Lab(one);
    lab.granted({ ...mine, attemptUs: 300_000 });
    expect(lab.until(lab.want(next).waits[0]?.certainUs ?? -1)).toBe(0);
  });
});

describe('a call that waits for a probe', () => {
  it('looks again when the lease of the probe expires', () => {
    const lab = new Lab({ limits: [tokenBucket({ burst: 9, limit: 9, per: '1s' })], guard: 0 });
    lab.settle(lab.granted(), { refusal: { limit: null, waitUs: SECOND } });
    lab.at += SECOND;
    lab.granted({ attemptUs: 200_000 });
    expect(lab.until(lab.want({ key: 'next' }).waits[0]?.pollAtUs ?? 0)).toBe(200_000);
  });
});
