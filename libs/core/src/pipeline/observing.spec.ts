import type { Permit } from '../gate/admission.js';
import { Harness } from './harness.fixture.js';
import { answered, failed } from './scripted-provider.fixture.js';

const observing = (script = '', more = {}): Harness => new Harness({ script, options: { mode: 'observe', ...more } });

test('law 18: an observed call is sent at once although the gate does not answer, and settled when it does', async () => {
  const harness = observing('429(retry-after: 60)');
  harness.double.grantAfterMs = 5000;
  const going = harness.go();
  await harness.clock.advance(0);
  expect(harness.provider.times).toEqual([0]);
  expect(going.told).toBe('429');
  expect(harness.double.asks).toMatchObject([{ observe: true }]);
  await harness.clock.advance(5000);
  expect(harness.double.settled).toMatchObject([{ settlement: { refusal: { waitMs: 60_000 } } }]);
  await harness.expectNothingLeft();
});

test('law 18: an observed call gets no credentials, key, header or time limit of ours, and is never retried', async () => {
  const touched: string[] = [];
  const harness = observing('', {
    auth: { credentials: () => (touched.push('credentials'), { headers: { authorization: 'x' } }) },
    beforeSend: () => void touched.push('beforeSend'),
    idempotency: {},
    timeouts: { attempt: '1s', total: '1d' },
  });
  const end = harness
    .call('POST', { sluice: { idempotencyKey: 'k', deadline: '1s' }, timeoutMs: 10 })
    .attempt((context) => {
      expect(context).toMatchObject({ headers: {}, bodyFields: {}, observed: true });
      expect([context.connectMs, context.bodyIdleMs]).toEqual([2_147_483_647, 2_147_483_647]);
      return new Promise(
        (resolve) => void harness.clock.schedule(3_600_000, () => resolve(failed(true, 'ECONNRESET'))),
      );
    });
  await harness.clock.advance(3_600_000);
  expect(await end).toMatchObject({ decision: 'raise', error: { code: 'ECONNRESET' }, cancelled: false, reason: null });
  expect(touched).toEqual([]);
  expect(harness.ofType('attempt-ended')).toMatchObject([{ outcome: 'unknown', durationMs: 3_600_000 }]);
  await harness.expectNothingLeft();
});

test('law 18: a gate that refuses or fails changes nothing, and is told of', async () => {
  const harness = observing('200 x2');
  harness.double.refuse = () => new Error('of the store');
  expect(await harness.go().done).toMatchObject({ decision: 'deliver' });
  harness.double.admit = () => {
    throw new Error('at once');
  };
  expect(await harness.go().done).toMatchObject({ decision: 'deliver' });
  await harness.clock.advance(0);
  expect(harness.ofType('hook-failed')).toMatchObject([{ hook: 'gate' }, { hook: 'gate' }]);
});

test('law 18: what would have been is told', async () => {
  const harness = observing('200');
  const shadow: Permit['shadow'] = { cause: 'rate', limitName: 'calls', waitMs: 500 };
  const admit = harness.double.admit.bind(harness.double);
  harness.double.admit = (request) => ({ ...(admit(request) as Permit), shadow });
  await harness.go().done;
  expect(harness.ofType('granted')).toMatchObject([{ shadow }]);
  await harness.expectNothingLeft();
});

test('law 18: an answer that the caller may make an error of comes back as it is', async () => {
  const harness = observing();
  const answer = answered({ status: 503 });
  expect(await harness.call().attempt(() => Promise.resolve(answer))).toMatchObject({
    decision: 'deliver',
    result: answer,
    reason: null,
  });
  await harness.expectNothingLeft();
});

test('an observed call whose caller gives up is torn down, as it would be without us', async () => {
  const harness = observing('hang');
  const controller = new AbortController();
  const going = harness.go('POST', { signal: controller.signal });
  await harness.clock.advance(10);
  controller.abort();
  await harness.clock.advance(0);
  expect([going.told, harness.provider.torn]).toEqual(['cancelled', 1]);
  expect(harness.double.settled).toMatchObject([{ settlement: { health: 'none' } }]);
  await harness.expectNothingLeft();
});
