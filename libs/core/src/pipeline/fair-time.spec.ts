import { memoryGate } from '../gate/memory/memory-gate.js';
import { Harness } from './harness.fixture.js';

const breaker = { consecutiveFailures: 5, probeEvery: '60s' } as const;

test.each([
  ['says nothing of the provider where it was a short one', 499, 'closed'],
  ['is a failure of the provider where it gave it half of its time', 500, 'open'],
])("law 10: a client's own timeout, only observed, %s", async (_law, timeoutMs, state) => {
  const options = { mode: 'observe', breaker, timeouts: { attempt: '1s' } } as const;
  const harness = new Harness({ options, gate: memoryGate() });
  for (let i = 0; i < 5; i += 1) {
    const { clock } = harness;
    const end = harness.call('GET', { timeoutMs }).attempt(async () => {
      await new Promise<void>((resolve) => clock.schedule(timeoutMs, resolve));
      return { type: 'failed', sent: true, error: new Error('timeout'), code: 'ECONNABORTED' };
    });
    await clock.advance(timeoutMs);
    expect((await end).outcome).toBe('failed');
  }
  expect((await harness.runtime.admission.inspect()).gate.breaker).toBe(state);
  await harness.expectNothingLeft();
});
