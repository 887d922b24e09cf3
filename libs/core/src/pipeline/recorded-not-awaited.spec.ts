import { type Going, Harness } from './harness.fixture.js';
import { JournalDouble, type Run, runOf } from './journal-double.fixture.js';

/** With the hash of the path. */
const STEP = 'POST  WD8uIWoHqs9q 0';

function setup(script: string) {
  const harness = new Harness({ script, options: { timeouts: { attempt: '10s', total: '1d' } } });
  const journal = new JournalDouble(harness.clock);
  const run = (): Run => runOf(journal, harness.clock);
  const post = (within: Run, spec: Parameters<Harness['go']>[1]): Going =>
    within.within(() => harness.go('POST', spec));
  return { harness, journal, run, post };
}

describe('who does not wait for what is written down', () => {
  it('law 17: a write whose caller left is recorded, and the operation is told what to wait for', async () => {
    const { harness, journal, run, post } = setup('slow(500) 201');
    const stop = new AbortController();
    const one = run();
    const going = post(one, { signal: stop.signal });
    await harness.clock.advance(100);
    stop.abort(new Error('gone'));
    await harness.clock.advance(0);
    expect([going.told, one.trail.sent, one.trail.late.size]).toEqual(['cancelled', true, 1]);
    await harness.clock.advance(400);
    await Promise.all(one.trail.late);
    expect([journal.states, one.operation.unsettled?.size]).toEqual([[`${STEP}: answered (1)`], 0]);
    await harness.expectNothingLeft();
  });

  it('a journal that does not come to an end keeps an answer back no longer than the deadline', async () => {
    const { harness, journal, run, post } = setup('201, 201');
    journal.onEnded = () => new Promise(() => undefined);
    const going = post(run(), { sluice: { deadline: '30s' } });
    await harness.clock.advance(29_999);
    expect(going.told).toBe('under way');
    await harness.clock.advance(1);
    expect(going.told).toBe('201');
    const stop = new AbortController();
    const left = run();
    journal.requests.clear();
    const cancelled = post(left, { signal: stop.signal });
    await harness.clock.advance(0);
    stop.abort(new Error('gone'));
    await harness.clock.advance(0);
    expect([cancelled.told, left.trail.late.size]).toEqual(['cancelled', 1]);
    await harness.expectNothingLeft();
  });
});
