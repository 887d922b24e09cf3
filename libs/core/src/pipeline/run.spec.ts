import { currentCall } from '../context/context.js';
import { Harness } from './harness.fixture.js';

const sdk = (fields: object): Error => Object.assign(new Error('of the SDK'), fields);

test('what the function gives is what the caller gets, and the function is one attempt', async () => {
  const harness = new Harness();
  expect(await harness.runtime.run(() => 42)).toBe(42);
  expect(await harness.runtime.run(async () => currentCall()?.attempt)).toBe(1);
  expect(harness.double.asks).toHaveLength(2);
  await harness.expectNothingLeft();
});

test('an error that nothing explains is unknown: the function is not run again', async () => {
  const harness = new Harness();
  let runs = 0;
  const run = harness.runtime.run(() => {
    runs += 1;
    throw sdk({ code: 'ECONNRESET' });
  });
  await expect(run).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN', attempts: 1, cause: { code: 'ECONNRESET' } });
  expect(runs).toBe(1);
  expect(harness.ofType('outcome-unknown')).toHaveLength(1);
  await harness.expectNothingLeft();
});

test('work that is safe is run again after such an error', async () => {
  const harness = new Harness();
  let runs = 0;
  const run = harness.runtime.run(
    () => {
      runs += 1;
      if (runs < 3) throw sdk({});
      return 'done';
    },
    { safe: true },
  );
  await harness.clock.advance(60_000);
  expect([await run, runs]).toEqual(['done', 3]);
  await harness.expectNothingLeft();
});

test('an error that `answer` explains is judged like an answer, and reaches the caller as it is', async () => {
  const harness = new Harness();
  const answer = (_result: unknown, error: unknown) =>
    error === undefined ? undefined : { status: (error as { status: number }).status, headers: { 'retry-after': '2' } };
  const times: number[] = [];
  const run = harness.runtime.run(
    () => {
      times.push(harness.clock.monoMs());
      if (times.length === 1) throw sdk({ status: 429 });
      throw sdk({ status: 422 });
    },
    { answer },
  );
  const error = run.catch((thrown: unknown) => thrown);
  await harness.clock.advance(60_000);
  expect(times).toEqual([0, 2000]);
  expect(await error).toMatchObject({
    message: 'of the SDK',
    status: 422,
    sluice: { reason: 'permanent', attempts: 2 },
  });
  await harness.expectNothingLeft();
});

test('a result that `answer` explains as throttled is no success', async () => {
  const harness = new Harness();
  const results = [{ throttled: true }, { throttled: false }];
  const run = harness.runtime.run(() => results.shift(), {
    answer: (result) => ({ status: result?.throttled ? 429 : 200 }),
  });
  await harness.clock.advance(60_000);
  expect(await run).toEqual({ throttled: false });
  await harness.expectNothingLeft();
});

test('law 13: an `answer` that throws tells nothing, and is reported', async () => {
  const harness = new Harness();
  const answer = (): never => {
    throw new Error('of the hook');
  };
  expect(await harness.runtime.run(() => 42, { answer })).toBe(42);
  expect(harness.ofType('hook-failed')).toMatchObject([{ hook: 'answer', error: 'Error' }]);
  await harness.expectNothingLeft();
});

test('case 161: a function that never settles ends by its attempt timeout; one that settles twice, by its first', async () => {
  const harness = new Harness({ options: { timeouts: { attempt: '10s', total: '1d' } } });
  const never = harness.runtime.run(() => new Promise<never>(() => undefined)).catch((error: unknown) => error);
  const twice = harness.runtime.run(
    () =>
      new Promise((resolve, reject) => {
        resolve('first');
        reject(new Error('second'));
      }),
  );
  await harness.clock.advance(9999);
  expect([await twice, harness.double.open]).toEqual(['first', 1]);
  await harness.clock.advance(1);
  expect(await never).toMatchObject({ code: 'OUTCOME_UNKNOWN', cause: { code: 'ATTEMPT_TIMEOUT' } });
  await harness.expectNothingLeft();
});

test('case 157: a deadline that passes ends the run under way, and nothing is sent or told after it', async () => {
  const harness = new Harness();
  const starts: number[] = [];
  let aborted = -1;
  const run = harness.runtime
    .run(
      ({ signal }) =>
        new Promise((_resolve, reject) => {
          starts.push(harness.clock.monoMs());
          signal.addEventListener('abort', () => {
            aborted = harness.clock.monoMs();
            reject(signal.reason);
          });
        }),
      { deadline: 500, safe: true },
    )
    .catch((error: unknown) => error);
  await harness.clock.advance(500);
  expect(await run).toMatchObject({ code: 'DEADLINE_EXCEEDED' });
  const told = harness.events.length;
  await harness.clock.advance(60_000);
  expect([starts, aborted, harness.events.length]).toEqual([[0], 500, told]);
  await harness.expectNothingLeft();
});

test('whoever gives up gets his own reason', async () => {
  const harness = new Harness();
  const controller = new AbortController();
  const run = harness.runtime.run(() => new Promise<never>(() => undefined), { signal: controller.signal, safe: true });
  await harness.clock.advance(0);
  const reason = new Error('enough');
  controller.abort(reason);
  await expect(run).rejects.toBe(reason);
  await harness.clock.advance(0);
  await harness.expectNothingLeft();
});

test('routes match the path that the function stands for', async () => {
  const harness = new Harness({ options: { routes: { video: 'GET /videos/:id' } } });
  await harness.runtime.run(() => 1, { method: 'GET', path: '/videos/7' });
  expect(harness.double.asks).toMatchObject([{ route: 'video', safety: 'safe' }]);
  await harness.expectNothingLeft();
});

test('a drained provider refuses what sleeps between two attempts', async () => {
  const harness = new Harness({ script: '503' });
  const going = harness.go();
  await harness.clock.advance(10);
  await harness.runtime.drain(1000);
  await harness.clock.advance(0);
  expect(going.told).toBe('503 SHUTDOWN queue');
  await harness.expectNothingLeft();
});
