import { concurrency, tokenBucket } from '../../contract/builders.js';
import type { Grant } from '../port.js';
import { Lab, MINUTE, SECOND, settled } from './lab.fixture.js';

const wide = { limits: [tokenBucket({ burst: 100, limit: 100, per: '1s' })] };
const refusal = (waitUs: number | null, limit: number | null = null) => ({ refusal: { limit, waitUs } });

/** Refuses a first call and gives the grant of the probe that follows. */
function refuseProbe(lab: Lab, grant: Grant, waitUs: number | null = null): number {
  const change = lab.settle(grant, refusal(waitUs)).changes.find(({ type }) => type === 'pause-started');
  return change?.type === 'pause-started' ? lab.until(change.untilUs) : -1;
}

describe('a pause', () => {
  it('lasts 1, 2, 4, 8, 16, 30, 30 minutes where refusals in a row give no hint', () => {
    const lab = new Lab(wide);
    const lasted: number[] = [];
    let grant = lab.granted();
    for (let i = 0; i < 7; i += 1) {
      const until = refuseProbe(lab, grant);
      lasted.push(until / MINUTE);
      lab.at += until - 1;
      expect(lab.want().waits[0]?.cause).toBe('pause');
      lab.at += 1;
      grant = lab.granted();
      expect(grant.probe).toBe(true);
    }
    expect(lasted).toEqual([1, 2, 4, 8, 16, 30, 30]);
  });

  it('lasts as long as the provider says', () => {
    const lab = new Lab(wide);
    expect(refuseProbe(lab, lab.granted(), 3600 * SECOND)).toBe(3600 * SECOND);
  });

  it('is followed by one probe, and a good answer to it resumes at once and resets the schedule', () => {
    const lab = new Lab(wide);
    lab.at += refuseProbe(lab, lab.granted());
    const probe = lab.granted();
    expect(lab.want().waits[0]?.cause).toBe('probe');
    const reply = lab.settle(probe);
    expect(reply.changes).toEqual([expect.objectContaining({ type: 'pause-ended', lastedUs: MINUTE })]);
    expect(reply.wake).toHaveLength(1);
    expect(refuseProbe(lab, lab.granted())).toBe(MINUTE);
  });

  it('ends with a probe that the provider answered with any other failure', () => {
    const lab = new Lab(wide);
    lab.at += refuseProbe(lab, lab.granted());
    lab.settle(lab.granted(), { health: 'failure' });
    expect(lab.granted().probe).toBe(false);
  });

  it('is not ended by a good answer to an attempt granted before it', () => {
    const lab = new Lab(wide);
    const [early, refused] = [lab.granted(), lab.granted()];
    lab.settle(refused, refusal(null));
    lab.settle(early);
    expect(lab.want().waits[0]?.cause).toBe('pause');
  });

  it('is made longer, never shorter and never advanced, by refusals of attempts granted before it', () => {
    const lab = new Lab(wide);
    const [a, b, c, d] = [lab.granted(), lab.granted(), lab.granted(), lab.granted()];
    lab.settle(a, refusal(10 * SECOND));
    lab.settle(b, refusal(5 * SECOND));
    lab.settle(c, refusal(null));
    lab.settle(d, refusal(30 * SECOND));
    lab.at += 30 * SECOND - 1;
    expect(lab.want().waits[0]?.cause).toBe('pause');
    lab.at += 1;
    expect(refuseProbe(lab, lab.granted())).toBe(MINUTE);
  });

  it('that an older answer made longer while the probe was out is kept after a good probe', () => {
    const lab = new Lab(wide);
    const [a, b] = [lab.granted({ attemptUs: 900 * SECOND }), lab.granted({ attemptUs: 900 * SECOND })];
    lab.at += refuseProbe(lab, a);
    const probe = lab.granted();
    lab.settle(b, refusal(20 * SECOND));
    expect(lab.settle(probe).changes).toEqual([]);
    expect(lab.want().waits[0]?.cause).toBe('pause');
    lab.at += 20 * SECOND;
    expect(lab.granted().probe).toBe(true);
  });

  it.each(['not-sent', 'no-answer'] as const)('gives the probe on when its end is %s', (end) => {
    const lab = new Lab(wide);
    lab.at += refuseProbe(lab, lab.granted());
    lab.settle(lab.granted(), { end, health: 'none' });
    expect(lab.granted().probe).toBe(true);
  });

  it('never loses its probe: the lease of a dead owner expires', () => {
    const lab = new Lab(wide);
    lab.at += refuseProbe(lab, lab.granted());
    const probe = lab.granted({ attemptUs: 5 * SECOND });
    lab.at += lab.until(probe.expiresAtUs) - 1;
    expect(lab.want().waits[0]?.cause).toBe('probe');
    lab.at += 1;
    expect(lab.granted().probe).toBe(true);
  });

  it('is tested by a safe call before a bare write, whatever their lanes', () => {
    const lab = new Lab({ ...wide, lanes: { a: {}, b: {} } });
    lab.at += refuseProbe(lab, lab.granted());
    const reply = lab.step({
      asks: [lab.ask({ lane: 0, safety: 'unkeyed', waitedUs: 9 }), lab.ask({ lane: 1, safety: 'safe' })],
    });
    expect(reply.grants.map((grant) => grant.ticketKey)).toEqual([lab.ticket({ lane: 1 }).key]);
  });

  it('is tested by a bare write where nothing safer waits', () => {
    const lab = new Lab(wide);
    lab.at += refuseProbe(lab, lab.granted());
    expect(lab.granted({ safety: 'unkeyed' }).probe).toBe(true);
  });

  it('belongs to the partition of the limit that refused; without a name, to the narrowest', () => {
    const lab = new Lab({
      dimensions: ['account'],
      limits: [
        tokenBucket({ burst: 100, limit: 100, per: '1s', countedBy: [] }),
        tokenBucket({ burst: 100, limit: 100, per: '1s', countedBy: ['account'] }),
      ],
    });
    const [one, two] = [{ partition: { account: '1' } }, { partition: { account: '2' } }];
    lab.settle(lab.granted(one), refusal(null), one);
    expect(lab.want(one).waits[0]?.cause).toBe('pause');
    const other = lab.granted(two);
    lab.settle(other, refusal(null, 0), two);
    expect(lab.want(two).waits[0]?.cause).toBe('pause');
    expect(
      lab.engine
        .inspect(0)
        .pauses.map((pause) => pause.stage)
        .sort(),
    ).toEqual(['*', 'account=1']);
  });

  it('of the operator holds everybody, and ends by itself or by resume', () => {
    const lab = new Lab(wide);
    const pause = { type: 'pause', partition: null, forUs: 10 * SECOND } as const;
    lab.step({ commands: [pause] });
    expect(lab.want().waits[0]).toMatchObject({ cause: 'pause' });
    lab.at += 10 * SECOND;
    expect(lab.granted().probe).toBe(false);
    expect(lab.granted().probe).toBe(false);
    lab.step({ commands: [pause] });
    lab.step({ commands: [{ type: 'resume', partition: null }] });
    lab.granted();
  });

  it('of one partition may be ordered for a set that no limit is counted by', () => {
    const lab = new Lab({ dimensions: ['account', 'user'], limits: [concurrency({ limit: 9 })] });
    const at = (account: string) => ({ partition: { account, user: 'u' } });
    lab.step({ commands: [{ type: 'pause', partition: { account: '1' }, forUs: SECOND }] });
    expect(lab.want(at('1')).waits[0]?.cause).toBe('pause');
    lab.granted(at('2'));
  });

  it('empties the bucket that refused: its end brings no burst', () => {
    const lab = new Lab({ limits: [tokenBucket({ burst: 10, limit: 1, per: '1s' })], guard: 0 });
    lab.at += refuseProbe(lab, lab.granted(), 3 * SECOND);
    lab.settle(lab.granted());
    const reply = lab.step({ asks: [lab.ask({ calls: 8 })] });
    expect(reply.grants).toHaveLength(2);
  });

  it('keeps the permit that a concurrency limit refused for the time of its hint', () => {
    const lab = new Lab({ limits: [concurrency({ limit: 2 })], guard: 0 });
    lab.settle(lab.granted(), refusal(2 * SECOND, 0));
    expect(lab.engine.inspect(0).limits[0]?.used).toBe(1);
    lab.at += 2 * SECOND;
    lab.step({});
    expect(lab.engine.inspect(0).limits[0]?.used).toBe(0);
  });

  it('reports a stale answer and still heeds its hint', () => {
    const lab = new Lab(wide);
    const grant = lab.granted({ attemptUs: SECOND });
    lab.at += 2 * SECOND;
    const reply = lab.step({ settles: [settled(grant, lab.ticket(), refusal(5 * SECOND))] });
    expect(reply.settles).toEqual([{ leaseId: grant.leaseId, stale: true, place: null }]);
    expect(lab.want().waits[0]?.cause).toBe('pause');
  });
});
