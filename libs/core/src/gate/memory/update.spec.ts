import { concurrency, slidingWindow, tokenBucket } from '../../contract/builders.js';
import { defineProvider } from '../../contract/define-provider.js';
import type { ProviderOptions } from '../../contract/options.js';
import { Lab, MINUTE, SECOND, settled } from './lab.fixture.js';

type Options = Omit<ProviderOptions, 'name'>;

function renumber(lab: Lab, options: Options): void {
  lab.engine.update(defineProvider({ name: 'p', ...options }).resolved);
}

describe('new numbers', () => {
  it('lose no call that waits, and keep the order of arrival among those who have not asked since', () => {
    const limits = (burst: number): Options => ({
      limits: [tokenBucket({ burst, limit: 1, per: '1s', countedBy: [] })],
      guard: 0,
    });
    const lab = new Lab(limits(1));
    lab.granted();
    const [early, late] = [lab.ask({ key: 'early' }), lab.ask({ key: 'late' })];
    lab.step({ asks: [early] }, 'b');
    lab.at += 1;
    lab.step({ asks: [late] }, 'c');
    renumber(lab, limits(2));
    expect(lab.engine.state.hints.map(({ ticketKey }) => ticketKey).sort()).toEqual(['early', 'late']);
    expect(lab.engine.inspect(0).tickets).toBe(2);
    expect(lab.step({ asks: [late] }, 'c').waits[0]?.cause).toBe('line');
    expect(lab.step({ asks: [early] }, 'b').grants).toHaveLength(1);
  });

  it('leave each tenant its place in the fair order', () => {
    const options = (burst: number): Options => ({
      limits: [tokenBucket({ burst, limit: 1, per: '1s', countedBy: [] })],
      guard: 0,
    });
    const lab = new Lab(options(1));
    lab.granted({ tenant: 'served' });
    const served = lab.ask({ tenant: 'served', calls: 2 });
    const other = lab.ask({ tenant: 'other', calls: 2 });
    lab.step({ asks: [served] });
    lab.step({ asks: [other] }, 'b');
    lab.at += SECOND;
    expect(lab.step({ asks: [served] }).grants).toHaveLength(1);
    const [, second] = served.heads;
    const rest = { ...served, waiting: 1, heads: second === undefined ? [] : [second] };
    renumber(lab, options(2));
    expect(lab.step({ asks: [rest] }).waits[0]?.cause).toBe('line');
    expect(lab.step({ asks: [other] }, 'b').grants).toHaveLength(1);
  });

  it('leave a lane what it has had of its guarantee', () => {
    const options = (limit: number): Options => ({
      limits: [tokenBucket({ burst: 2, limit, per: '1s', countedBy: [] })],
      lanes: { a: {}, b: { guarantee: 0.2 } },
      guard: 0,
    });
    const run = (update: boolean): number => {
      const lab = new Lab(options(10));
      lab.granted({ lane: 1 });
      if (update) renumber(lab, options(10));
      lab.granted({ lane: 0 });
      lab.want({ lane: 0, key: 'front', calls: 20 });
      return lab.until(lab.want({ lane: 1, key: 'back' }).waits[0]?.estimateUs ?? 0);
    };
    expect(run(true)).toBe(run(false));
    // Of the call it had, 0.8 were beyond its share; three tenths of a second give the others what makes up for the rest.
    expect(run(false)).toBe(0.3 * SECOND);
  });

  it('give each permit back once, to the account that it came from', () => {
    const limits = (limit: number): Options => ({ limits: [concurrency({ limit, countedBy: [] })], guard: 0 });
    const lab = new Lab(limits(2));
    const grants = [lab.granted(), lab.granted()];
    renumber(lab, { ...limits(1), lanes: { a: { ceiling: { limit: 9, per: '1s' } } } });
    lab.step({ settles: grants.map((grant) => settled(grant, lab.ticket())) });
    expect(lab.engine.inspect(0).limits[0]?.used).toBe(0);
  });

  it('hold for permits that are out: what the provider may go on for is what it is now said to be', () => {
    const limits = (worksAfterTimeout: '0s' | '3s'): Options => ({
      limits: [concurrency({ limit: 1, worksAfterTimeout, countedBy: [] })],
      guard: 0,
    });
    const lab = new Lab(limits('0s'));
    const ticket = lab.ticket();
    renumber(lab, limits('3s'));
    const grant = lab.granted();
    lab.step({ settles: [settled(grant, ticket, { end: 'no-answer', health: 'none' })] });
    lab.at += 3 * SECOND - 1;
    expect(lab.want().grants).toHaveLength(0);
    lab.at += 1;
    expect(lab.want().grants).toHaveLength(1);
  });
});

describe('what is told of a pause', () => {
  const paused = (): Lab => {
    const limits = [slidingWindow({ limit: 9, per: '1s' })];
    const lab = new Lab({ limits, dimensions: ['user'], pause: { flushAfter: '1h' } });
    const user = { partition: { user: 'u' } };
    lab.settle(lab.granted(user), { refusal: { limit: 0, waitUs: MINUTE } }, user);
    return lab;
  };

  it('ends, also where nobody comes again and it is forgotten', () => {
    const lab = paused();
    lab.at += 62 * MINUTE;
    const reply = lab.step({});
    expect(reply.changes).toEqual([{ type: 'pause-ended', stage: 'user=u', lastedUs: 62 * MINUTE }]);
    lab.at += 62 * MINUTE;
    expect(lab.step({}).changes).toEqual([]);
  });

  it('is told in the next step where an operator who looked was the first to notice', () => {
    const lab = paused();
    lab.at += 62 * MINUTE;
    expect(lab.engine.inspect(lab.engine.state.now + 62 * MINUTE)).toMatchObject({ partitions: 0 });
    expect(lab.step({}).changes).toEqual([expect.objectContaining({ type: 'pause-ended', stage: 'user=u' })]);
  });
});

describe('law 13: a weight of tenants', () => {
  const weighing = (weight: (tenant: string) => number): Lab =>
    new Lab({ limits: [tokenBucket({ burst: 1, limit: 1, per: '1s' })], tenants: { weight }, guard: 0 });

  it.each([
    [
      'throws',
      'TypeError',
      () => {
        throw new TypeError('of tenant 7');
      },
    ],
    ['is no number above 0', 'RangeError', () => -1],
    ['is a promise', 'RangeError', () => Promise.reject(new Error('later')) as never],
  ])('that %s is reported, and the tenant counts as one', (_, error, weight) => {
    const lab = weighing(weight);
    lab.granted({ tenant: 't' });
    const reply = lab.want({ tenant: 't' });
    expect(reply.changes).toEqual([{ type: 'hook-failed', hook: 'tenants.weight', error }]);
    expect(reply.waits).toHaveLength(1);
  });
});
