import { memoryGate } from '../gate/memory/memory-gate.js';
import { type Going, Harness, type Setup } from './harness.fixture.js';
import { JournalDouble, type Run, runOf } from './journal-double.fixture.js';

const keyed = { idempotency: { header: 'X-Key', retention: '1d' }, timeouts: { attempt: '10s', total: '1d' } } as const;

function setup(script: string, more: Partial<Setup> = {}) {
  const harness = new Harness({ script, ...more, options: { ...keyed, ...more.options } });
  const journal = new JournalDouble(harness.clock);
  const run = (durable?: Parameters<typeof runOf>[2]): Run => runOf(journal, harness.clock, durable);
  const post = (within: Run, spec: Parameters<Harness['go']>[1] = {}): Going =>
    within.within(() => harness.go('POST', spec));
  return { harness, journal, run, post };
}

describe('what a call tells whoever runs its operation', () => {
  it.each([
    ['POST', '201', true],
    ['POST', 'hang x4', true],
    ['POST', 'refused x4', false],
    ['GET', '200', false],
  ])('whether a write left (%s, %s)', async (method, script, sent) => {
    const { harness, run } = setup(script);
    const one = run();
    one.within(() => harness.go(method));
    await harness.clock.advance(60_000);
    expect(one.trail.sent).toBe(sent);
    await harness.expectNothingLeft();
  });

  it.each([
    ['429(retry-after: 3600)', 'rescheduled', 3_600_000],
    ['503(retry-after: 3600)', 'retry', 3_600_000],
    ['503, 429(retry-after: 3600)', 'retry', 3_601_000],
    ['429(retry-after: 2) x4', 'rescheduled', 10_000],
  ] as const)('that %s is to be tried again later: %s, when its provider said', async (script, cause, dueMono) => {
    const { harness, run, post } = setup(script);
    const one = run();
    const going = post(one);
    await harness.clock.advance(60_000);
    expect(going.end).not.toBeNull();
    expect(one.trail.postponed).toEqual({ cause, dueMono });
    await harness.expectNothingLeft();
  });

  it.each(['422', '503 x4', '401', 'hang', '201'])(
    'that nothing is to be tried again later after %s',
    async (script) => {
      const { harness, run, post } = setup(script, { options: { idempotency: undefined } as never });
      const one = run();
      post(one);
      await harness.clock.advance(60_000);
      expect(one.trail.postponed).toBeNull();
      await harness.expectNothingLeft();
    },
  );

  it.each([
    ['a full line', { queue: { maxSize: 0 } }, 'rescheduled', 60_000],
    ['a line that is too long', { queue: { maxWait: '1s' } }, 'rescheduled', 60_000],
  ] as const)('that the gate refused it for %s, and when it may be let in', async (_what, options, cause, dueMono) => {
    const limits = [{ kind: 'fixed-window', limit: 1, per: '1m' }] as never;
    const { harness, run, post } = setup('200', { gate: memoryGate(), options: { limits, ...options } as never });
    await harness.go('GET').done;
    const one = run();
    const going = post(one);
    await harness.clock.advance(2000);
    expect(going.end?.outcome).toBe('refused');
    expect(one.trail).toMatchObject({ sent: false, postponed: { cause, dueMono } });
    await harness.expectNothingLeft();
  });

  it('that a later call went on: what was postponed before it began is overtaken, what was postponed since is not', async () => {
    const { harness, run, post } = setup('429(retry-after: 3600), 200, slow(500) 429(retry-after: 60), slow(100) 200, slow(900) 200'); // prettier-ignore
    const one = run();
    await post(one, { sluice: { step: 'a' } }).done;
    expect(one.trail.postponed).not.toBeNull();
    await post(one, { sluice: { step: 'b' } }).done;
    expect(one.trail.postponed).toBeNull();
    post(one, { sluice: { step: 'c', deadline: '10s' } });
    post(one, { sluice: { step: 'd' } });
    await harness.clock.advance(500);
    expect(one.trail.postponed).toMatchObject({ cause: 'rescheduled' });
    await harness.expectNothingLeft();
  });
});

it('law 18: an observed write is not written down, but is told to have left', async () => {
  const { harness, journal, run, post } = setup('201', { options: { mode: 'observe' } });
  const one = run();
  expect((await post(one).done).decision).toBe('deliver');
  expect([one.trail.sent, journal.states]).toEqual([true, []]);
  await harness.expectNothingLeft();
});

describe('a run that holds a worker', () => {
  const durable = (maxHoldMs: number, failures = 0) => ({ maxHoldMs, failures });

  it('waits for a permit no longer than it may hold the worker', async () => {
    const { harness, run, post } = setup('200, 503, 200');
    await post(run(durable(5000))).done;
    post(run(durable(5000)), { sluice: { step: 'b' } });
    await harness.clock.advance(2000);
    post(run());
    expect(harness.double.asks.map(({ maxWaitMs }) => maxWaitMs)).toEqual([5000, 5000, 5000]);
    await harness.expectNothingLeft();
  });

  it.each([
    ['503, 503, 503', 1500, 2, 'retry'],
    ['429(retry-after: 3)', 2000, 1, 'rescheduled'],
  ] as const)('is over when a backoff is longer than that (%s)', async (script, holdMs, sends, cause) => {
    const { harness, run, post } = setup(script);
    const one = run(durable(holdMs));
    const going = post(one);
    await harness.clock.advance(60_000);
    expect([going.end?.decision, harness.provider.log.length]).toEqual(['deliver', sends]);
    expect(one.trail.postponed).toMatchObject({ cause });
    await harness.expectNothingLeft();
  });

  it('counts the failures of earlier runs among its tries', async () => {
    const { harness, run, post } = setup('503 x9');
    const one = run(durable(60_000, 2));
    const going = post(one);
    await harness.clock.advance(600_000);
    expect([going.told, harness.provider.log.length]).toEqual(['503 attempts-exhausted', 2]);
    expect(one.trail.postponed).toBeNull();
    await harness.expectNothingLeft();
  });
});

it('law 9: that the retry budget is spent', async () => {
  const budget = { ratio: 0.1, floor: 0 } as never;
  const { harness, run, post } = setup('503', { gate: memoryGate(), options: { retry: { budget } } });
  const one = run();
  const going = post(one);
  await harness.clock.advance(90_000);
  expect(going.told).toContain('budget-exhausted');
  expect(one.trail.postponed).toMatchObject({ cause: 'budget' });
  await harness.expectNothingLeft();
});
