import { concurrency, fixedWindow, quota, slidingWindow, tokenBucket } from '../../contract/builders.js';
import { Lab, MINUTE, SECOND } from './lab.fixture.js';

const HOUR = 60 * MINUTE;
/** Grants as many calls as fit now. */
function fill(lab: Lab, want = {}): number {
  let granted = 0;
  while (lab.want(want).grants.length > 0) granted += 1;
  return granted;
}

describe('a limit', () => {
  it('of a window of unknown edges is kept in every window, guard included', () => {
    const lab = new Lab({ limits: [fixedWindow({ limit: 5, per: '10s' })], guard: '100ms' });
    expect(fill(lab)).toBe(5);
    lab.at += 10 * SECOND + 100_000 - 1;
    expect(fill(lab)).toBe(0);
    lab.at += 1;
    expect(fill(lab)).toBe(5);
  });

  it('of clock-aligned windows begins anew at the edge, past the guard', () => {
    const lab = new Lab({ limits: [fixedWindow({ limit: 5, per: '10s', align: 'clock' })], guard: '100ms' });
    lab.at += 9 * SECOND;
    expect(fill(lab)).toBe(5);
    lab.at += SECOND + 99_999;
    expect(fill(lab)).toBe(0);
    lab.at += 1;
    expect(fill(lab)).toBe(5);
  });

  it('counts a call near an edge in both windows', () => {
    const lab = new Lab({ limits: [fixedWindow({ limit: 5, per: '10s', align: 'clock' })], guard: '100ms' });
    lab.at += 10 * SECOND - 50_000;
    expect(fill(lab)).toBe(5);
    lab.at += SECOND;
    expect(fill(lab)).toBe(0);
  });

  it('of unknown edges is learned from the resets that the provider tells', () => {
    const lab = new Lab({ limits: [fixedWindow({ limit: 100, per: '1m' })], guard: 0 });
    const told = (resetInUs: number) => lab.settle(lab.granted(), { seen: [{ limit: 0, remaining: null, resetInUs }] });
    told(40 * SECOND + 700_000);
    lab.at += 300_000;
    told(40 * SECOND);
    lab.at += 300_000;
    told(38 * SECOND + 900_000);
    lab.at += 38 * SECOND;
    expect(fill(lab)).toBe(97);
    lab.at += 4 * SECOND;
    expect(fill(lab)).toBe(100);
  });

  it('of unknown edges is not taken to begin later than it does where the reset is rounded up and the Date of the answer down', () => {
    const lab = new Lab({ limits: [fixedWindow({ limit: 100, per: '1m' })], guard: 0 });
    // The window began at 0; its end is told as 61 s, reckoned from a Date of -0.9 s and later ones.
    for (const [at, resetInS] of [
      [0, 61.9],
      [0.5, 60.9],
      [0.9, 60.9],
    ] as const) {
      lab.at = at * SECOND;
      lab.settle(lab.granted(), { seen: [{ limit: 0, remaining: null, resetInUs: resetInS * SECOND }] });
    }
    lab.at = 2 * SECOND;
    expect(fill(lab)).toBe(97);
    // All are used of this window: none is left of it at its end, wherever that is thought to be.
    lab.at = 59 * SECOND;
    expect(fill(lab)).toBe(0);
  });

  it('of a day is counted in its own time zone and keeps its reserve for the lane it belongs to', () => {
    const lab = new Lab({
      limits: [quota({ limit: 20, per: 'day', timeZone: 'America/New_York', reserve: { a: 0.1 }, volatile: true })],
      lanes: { a: {}, b: {} },
      guard: 0,
    });
    expect(fill(lab, { lane: 1 })).toBe(18);
    const wait = lab.want({ lane: 1 }).waits[0];
    expect(wait).toMatchObject({ cause: 'reserve', limit: 0 });
    // From noon UTC to midnight in New York.
    expect(lab.until(wait?.certainUs ?? 0)).toBe(17 * HOUR);
    expect(fill(lab, { lane: 0 })).toBe(2);
    lab.at += 17 * HOUR;
    expect(fill(lab, { lane: 1 })).toBe(18);
  });

  it('of several units is charged in each, or in none', () => {
    const lab = new Lab({
      limits: [
        tokenBucket({ burst: 10, limit: 1, per: '1s' }),
        tokenBucket({ name: 'tokens', unit: 'tokens', burst: 1000, limit: 1, per: '1s' }),
      ],
      units: () => ({ requests: 1, tokens: 400 }),
      guard: 0,
    });
    expect(fill(lab, { charges: [1, 400] })).toBe(2);
    expect(lab.engine.inspect(0).limits.map((limit) => limit.used)).toEqual([2, 800]);
  });

  it('that a call can never fit is said at once', () => {
    const lab = new Lab({ limits: [tokenBucket({ burst: 10, limit: 1, per: '1s' })] });
    expect(lab.want({ charges: [11] }).denials[0]).toMatchObject({ reason: 'never-admissible', limit: 0 });
  });

  it('of the whole provider that a call can never fit is said at once, though its partition holds it up', () => {
    const limits = [
      tokenBucket({ name: 'tokens', unit: 'tokens', burst: 5, limit: 1, per: '1s', countedBy: [] }),
      slidingWindow({ limit: 1, per: '1m', countedBy: ['user'] }),
    ];
    const lab = new Lab({ limits, dimensions: ['user'], units: () => ({ requests: 1, tokens: 5 }), guard: 0 });
    const user = { partition: { user: 'u' } };
    lab.granted({ ...user, charges: [1, 1] });
    expect(lab.want({ ...user, charges: [6, 1] }).denials).toEqual([
      expect.objectContaining({ reason: 'never-admissible', limit: 0 }),
    ]);
  });

  it('gives a dear call what is free at once when the cheap ones before it have drained and arrived, and no earlier', () => {
    const limits = [tokenBucket({ name: 'tokens', unit: 'tokens', burst: 11, limit: 50, per: '1s' })];
    const lab = new Lab({ limits, units: () => ({ requests: 1, tokens: 1 }), guard: '100ms' });
    lab.granted({ charges: [1] });
    lab.at += (1 * SECOND) / 50 + 0.1 * SECOND - 1;
    expect(lab.want({ charges: [8] }).grants).toEqual([]);
    const rested = new Lab({ limits, units: () => ({ requests: 1, tokens: 1 }), guard: '100ms' });
    rested.granted({ charges: [1] });
    rested.at += (1 * SECOND) / 50 + 0.1 * SECOND;
    expect(rested.want({ charges: [8] }).grants).toHaveLength(1);
  });

  it('is corrected to the true cost once, as if that had been charged from the start', () => {
    const lab = new Lab({ limits: [tokenBucket({ burst: 100, limit: 10, per: '1s' })], guard: 0 });
    const grant = lab.granted({ charges: [50] });
    lab.settle(grant, { trueCharges: [20] });
    expect(lab.engine.inspect(0).limits[0]?.used).toBeCloseTo(20);
    lab.settle(grant, { trueCharges: [20] });
    expect(lab.engine.inspect(0).limits[0]?.used).toBeCloseTo(20);
    lab.at += 10 * SECOND;
    const late = lab.granted({ charges: [50] });
    lab.at += 4 * SECOND;
    lab.granted({ charges: [5] });
    lab.settle(late, { trueCharges: [20] });
    expect(lab.engine.inspect(0).limits[0]?.used).toBeCloseTo(5);
  });

  it('gets back what was never sent, permits too', () => {
    const lab = new Lab({
      limits: [
        slidingWindow({ limit: 5, per: '10s' }),
        concurrency({ limit: 2 }),
        fixedWindow({ limit: 9, per: '1m', align: 'clock' }),
      ],
    });
    lab.settle(lab.granted(), { end: 'not-sent', health: 'none' });
    expect(lab.engine.inspect(0).limits.map((limit) => limit.used)).toEqual([0, 0, 0]);
  });

  it('is not charged for refused calls where they are free', () => {
    const lab = new Lab({ limits: [slidingWindow({ limit: 5, per: '10s', refusedCalls: 'free' })] });
    lab.settle(lab.granted(), { refusal: { limit: 0, waitUs: SECOND } });
    expect(lab.engine.inspect(0).limits[0]?.used).toBe(0);
  });

  it('shows an operator its burst where each partition has its own', () => {
    const lab = new Lab({
      dimensions: ['user'],
      limits: [tokenBucket({ burst: 30, limit: 1, per: '1s', countedBy: ['user'] })],
    });
    expect(lab.engine.inspect(0).limits).toMatchObject([{ used: null, capacity: 30 }]);
  });

  it('is lowered to what the provider says is left, less what was granted since and is unanswered', () => {
    const lab = new Lab({ limits: [tokenBucket({ burst: 30, limit: 1, per: '1s' })], guard: 0 });
    const first = lab.granted();
    lab.granted();
    const reply = lab.settle(first, { seen: [{ limit: 0, remaining: 5, resetInUs: null }] });
    expect(reply.changes).toEqual([{ type: 'quota-seen', limit: 0, remaining: 5, applied: true }]);
    expect(fill(lab)).toBe(4);
  });

  it('is never raised by what the provider says', () => {
    const lab = new Lab({ limits: [tokenBucket({ burst: 5, limit: 1, per: '1s' })], guard: 0 });
    const first = lab.granted();
    fill(lab);
    lab.settle(first, { seen: [{ limit: 0, remaining: 5, resetInUs: null }] });
    expect(fill(lab)).toBe(0);
  });

  it('of permits keeps one after a timeout as long as the provider may go on', () => {
    const lab = new Lab({ limits: [concurrency({ limit: 1, worksAfterTimeout: '3s' })], guard: '100ms' });
    lab.settle(lab.granted(), { end: 'no-answer', health: 'failure' });
    lab.at += 3 * SECOND + 99_999;
    expect(fill(lab)).toBe(0);
    lab.at += 1;
    expect(fill(lab)).toBe(1);
  });

  it("of permits: a killed worker's come back when its leases expire", () => {
    const lab = new Lab({ limits: [concurrency({ limit: 2 })], guard: 0 });
    lab.granted({ attemptUs: 5 * SECOND }, 'killed');
    lab.granted({ attemptUs: 5 * SECOND }, 'killed');
    lab.at += 5 * SECOND - 1;
    expect(fill(lab)).toBe(0);
    lab.at += 1;
    expect(fill(lab)).toBe(2);
  });

  it('case 66: a permit that expired and went to another is not freed by its late owner, nor twice', () => {
    const lab = new Lab({ limits: [concurrency({ limit: 1 })], guard: 0 });
    const late = lab.granted({ attemptUs: SECOND }, 'a');
    lab.at += SECOND;
    const other = lab.granted({}, 'b');
    expect(lab.settle(late).settles[0]?.stale).toBe(true);
    expect(lab.engine.inspect(0).limits[0]?.used).toBe(1);
    lab.settle(other, {}, {}, 'b');
    expect(lab.settle(other, {}, {}, 'b').settles[0]?.stale).toBe(true);
    expect(lab.engine.inspect(0).limits[0]?.used).toBe(0);
  });

  it('named moments are exact: not before, and then', () => {
    const lab = new Lab({
      limits: [slidingWindow({ limit: 3, per: '7s' }), tokenBucket({ burst: 2, limit: 7, per: '10s' })],
    });
    for (let i = 0; i < 50; i += 1) {
      const wait = lab.want().waits[0];
      if (wait === undefined) continue;
      lab.at += lab.until(wait.certainUs) - 1;
      expect(lab.want().waits).toHaveLength(1);
      lab.at += 1;
      lab.granted();
    }
  });
});
