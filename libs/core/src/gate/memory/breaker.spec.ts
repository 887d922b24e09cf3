import { tokenBucket } from '../../contract/builders.js';
import type { BreakerOptions } from '../../contract/options.js';
import { Lab, MINUTE, SECOND } from './lab.fixture.js';

const lab = (breaker: BreakerOptions): Lab =>
  new Lab({ limits: [tokenBucket({ burst: 1000, limit: 1000, per: '1s' })], breaker });
const fail = (of: Lab): unknown => of.settle(of.granted(), { health: 'failure' });

describe('the breaker', () => {
  it('opens after so many failures in a row, and refuses until a minute is over', () => {
    const of = lab({ consecutiveFailures: 3 });
    for (let i = 0; i < 3; i += 1) fail(of);
    const denial = of.want().denials[0];
    expect(denial).toMatchObject({ reason: 'circuit-open' });
    expect(of.until(denial?.retryAtUs ?? 0)).toBe(MINUTE);
    of.at += MINUTE - 1;
    expect(of.want().denials).toHaveLength(1);
    of.at += 1;
    expect(of.granted().probe).toBe(true);
  });

  it('lets calls wait where the contract says so', () => {
    const of = lab({ consecutiveFailures: 1, whileOpen: 'wait' });
    fail(of);
    expect(of.want().waits[0]).toMatchObject({ cause: 'breaker' });
  });

  it('begins to count anew after a good answer', () => {
    const of = lab({ consecutiveFailures: 2 });
    fail(of);
    of.settle(of.granted());
    fail(of);
    of.granted();
  });

  it('case 95: grants exactly one of 200 calls in the tick in which it may be probed', () => {
    const of = lab({ consecutiveFailures: 1 });
    fail(of);
    of.at += MINUTE;
    const replies = Array.from({ length: 200 }, (_, i) => of.want({}, i % 2 === 0 ? 'a' : 'b'));
    expect(replies.flatMap((reply) => reply.grants)).toHaveLength(1);
    expect(replies.flatMap((reply) => reply.denials)).toHaveLength(199);
  });

  it('case 94: a probe that fails opens it again, however few the calls, and a later probe is possible', () => {
    const of = lab({ failureRate: { share: 0.5, minVolume: 20, per: '10s' } });
    for (let i = 0; i < 20; i += 1) fail(of);
    of.at += MINUTE;
    fail(of);
    expect(of.want().denials).toHaveLength(1);
    of.at += MINUTE;
    expect(of.granted().probe).toBe(true);
  });

  it('opens at its share of failures only once there are enough outcomes', () => {
    const of = lab({ failureRate: { share: 0.5, minVolume: 4, per: '10s' } });
    for (let i = 0; i < 3; i += 1) fail(of);
    of.granted();
    fail(of);
    expect(of.want().denials).toHaveLength(1);
  });

  it('case 96: late results of an older epoch never flip it', () => {
    const of = lab({ consecutiveFailures: 1, probeEvery: '1s' });
    const late = of.granted({ attemptUs: 900 * SECOND });
    fail(of);
    of.at += SECOND;
    of.settle(of.granted());
    of.settle(late, { health: 'failure' });
    expect(of.engine.inspect(0).breaker).toBe('closed');
    of.granted();
  });

  it('case 102: is not moved by refusals of the provider', () => {
    const of = lab({ consecutiveFailures: 2 });
    for (let i = 0; i < 20; i += 1) {
      of.settle(of.granted(), { health: i % 2 === 0 ? 'none' : 'failure', refusal: { limit: null, waitUs: SECOND } });
      of.at += SECOND;
    }
    expect(of.engine.inspect(0).breaker).toBe('closed');
  });

  it('is not moved by callers who gave up', () => {
    const of = lab({ consecutiveFailures: 2 });
    for (let i = 0; i < 10; i += 1) of.settle(of.granted(), { end: 'no-answer', health: 'none' });
    expect(of.engine.inspect(0).breaker).toBe('closed');
  });

  it.each([
    ['the caller gives up', { end: 'no-answer', health: 'none' }],
    ['nothing is sent', { end: 'not-sent', health: 'none' }],
  ] as const)('gives the probe on at once when %s', (_when, end) => {
    const of = lab({ consecutiveFailures: 1 });
    fail(of);
    of.at += MINUTE;
    of.settle(of.granted(), end);
    expect(of.granted().probe).toBe(true);
  });

  it('takes a 4xx answer to its probe for life', () => {
    const of = lab({ consecutiveFailures: 1 });
    fail(of);
    of.at += MINUTE;
    const reply = of.settle(of.granted(), { health: 'none' });
    expect(reply.changes).toEqual([{ type: 'breaker-closed' }]);
  });

  it('never loses its probe: the lease of a dead owner expires', () => {
    const of = lab({ consecutiveFailures: 1 });
    fail(of);
    of.at += MINUTE;
    of.at += of.until(of.granted({ attemptUs: SECOND }).expiresAtUs);
    expect(of.granted().probe).toBe(true);
  });

  it('lets 1, 2, 4 ... calls through per answered round trip after it closed', () => {
    const of = lab({ consecutiveFailures: 1 });
    fail(of);
    of.at += MINUTE;
    of.settle(of.granted());
    for (const width of [1, 2, 4, 8]) {
      const round = Array.from({ length: width }, () => of.granted());
      expect(of.want().waits[0]).toMatchObject({ cause: 'breaker' });
      for (const grant of round) of.settle(grant);
    }
  });

  it('shows its state without using up the probe', () => {
    const of = lab({ consecutiveFailures: 1 });
    fail(of);
    expect(of.engine.inspect(0).breaker).toBe('open');
    of.at += MINUTE;
    of.engine.inspect(0);
    const probe = of.granted();
    expect(probe.probe).toBe(true);
    expect(of.engine.inspect(0).breaker).toBe('half-open');
  });
});
