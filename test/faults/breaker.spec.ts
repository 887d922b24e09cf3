import { concurrency, type ProviderOptions } from 'nestjs-sluice';
import { closeWorlds, type FaultWorld, world } from './faults.fixture.js';

afterEach(closeWorlds);

const p: Partial<ProviderOptions> = {
  retry: { maxAttempts: 1 },
  breaker: { consecutiveFailures: 5, probeEvery: '60s' },
};

const told = (sent: readonly { readonly told: string }[]): string[] => sent.map((each) => each.told);

async function one(opened: FaultWorld): Promise<string> {
  const sent = opened.call();
  await opened.clock.advance(0);
  return sent.told;
}

async function open(script: string, more: Partial<ProviderOptions> = {}): Promise<FaultWorld> {
  const opened = await world({ s: `503 x5, ${script}`, p: { ...p, ...more } });
  for (let i = 0; i < 5; i += 1) expect(await one(opened)).toBe('503 attempts-exhausted');
  expect(opened.ofType('breaker').map(({ state }) => state)).toEqual(['open']);
  return opened;
}

test('case 94: a probe that fails while nothing else was counted opens it again, and a later probe comes', async () => {
  const rate = { share: 0.5, minVolume: 20, per: '10s' } as const;
  const opened = await world({ s: '503 x21, 200', p: { ...p, breaker: { failureRate: rate, probeEvery: '60s' } } });
  for (let i = 0; i < 20; i += 1) await one(opened);
  expect(await one(opened)).toBe('CIRCUIT_OPEN');
  await opened.clock.advance(60_000);
  expect([await one(opened), await one(opened)]).toEqual(['503 attempts-exhausted', 'CIRCUIT_OPEN']);
  await opened.clock.advance(60_000);
  expect(await one(opened)).toBe('200');
  expect(opened.log.slice(20)).toEqual([60_000, 120_000]);
  await opened.leavesNothing();
});

test('case 95: of two hundred calls in the moment of the probe one is sent, and 199 are refused', async () => {
  const opened = await open('slow(50) 200, 200...');
  await opened.clock.advance(60_000);
  const flood = opened.calls(200);
  await opened.clock.advance(0);
  expect(opened.log.slice(5)).toEqual([60_000]);
  expect(told(flood).filter((each) => each === 'CIRCUIT_OPEN')).toHaveLength(199);
  await opened.clock.advance(50);
  expect(told(flood).filter((each) => each === '200')).toHaveLength(1);
  expect(await one(opened)).toBe('200');
  await opened.leavesNothing();
});

test('case 95: where they may wait one is sent, and the others only after its answer', async () => {
  const opened = await open('slow(50) 200, 200...', {
    breaker: { consecutiveFailures: 5, probeEvery: '60s', whileOpen: 'wait' },
  });
  const flood = opened.calls(200);
  await opened.clock.advance(60_049);
  expect(opened.log.slice(5)).toEqual([60_000]);
  await opened.clock.advance(10_000);
  expect(told(flood)).toEqual(Array(200).fill('200'));
  expect(Math.min(...opened.log.slice(6))).toBe(60_050);
  await opened.leavesNothing();
});

test('case 96: the late failure of an earlier epoch does not open the breaker that has closed since', async () => {
  const opened = await world({
    s: 'slow(5000) 503, 503 x5, 200, 503 x4, 200',
    p: { ...p, breaker: { consecutiveFailures: 5, probeEvery: '2s' } },
  });
  const late = opened.call();
  await opened.clock.advance(1000);
  for (let i = 0; i < 5; i += 1) await one(opened);
  await opened.clock.advance(2000);
  expect(await one(opened)).toBe('200');
  for (let i = 0; i < 4; i += 1) await one(opened);
  await opened.clock.advance(2000);
  expect(late.told).toBe('503 attempts-exhausted');
  expect(await one(opened)).toBe('200');
  expect(opened.ofType('breaker').map(({ state }) => state)).toEqual(['open', 'closed']);
  await opened.leavesNothing();
});

test('case 97: it opens after the fifth failure on the wire, and what is left of that call stops', async () => {
  const opened = await world({ s: '503...', p: { ...p, retry: { maxAttempts: 3 } } });
  const first = opened.call();
  await opened.clock.advance(10_000);
  const second = opened.call();
  await opened.clock.advance(10_000);
  expect(told([first, second])).toEqual(['503 attempts-exhausted', '503 circuit-open']);
  expect(opened.log).toEqual([0, 1000, 3000, 10_000, 11_000]);
  await opened.leavesNothing();
});

test('case 98: that it may be probed is decided when a call comes; no timer has a part in it', async () => {
  const opened = await open('200');
  expect(opened.clock.pendingTimers).toBe(0);
  await opened.clock.advance(300_000);
  expect([await one(opened), opened.log.slice(5)]).toEqual(['200', [300_000]]);
  await opened.leavesNothing();
});

test('case 99: a hundred looks at its state leave the probe free', async () => {
  const opened = await open('200');
  await opened.clock.advance(60_000);
  for (let i = 0; i < 100; i += 1) await opened.limits.inspect('crm');
  expect(await one(opened)).toBe('200');
  await opened.leavesNothing();
});

test('law 10: attempts that our own waiting left too little time are no failures of the provider', async () => {
  const timeouts = { attempt: '1s' } as const;
  const opened = await world({
    s: 'slow(900) 200 x10, 200',
    p: { ...p, timeouts, limits: [concurrency({ limit: 5 })] },
  });
  const served = opened.calls(5, '/x', { deadline: '1s' });
  const late = opened.calls(5, '/x', { deadline: '1s' });
  await opened.clock.advance(1000);
  expect(told(served)).toEqual(Array(5).fill('200'));
  expect(told(late)).toEqual(Array(5).fill('DEADLINE_EXCEEDED'));
  expect(opened.log).toEqual([...Array(5).fill(0), ...Array(5).fill(900)]);
  expect(await one(opened)).toBe('200');
  await opened.leavesNothing();
});

test("law 10: our callers' haste is no failure of a provider that answers in its time", async () => {
  const opened = await world({ s: 'slow(100) 200...', p: { ...p, timeouts: { attempt: '1s' } } });
  const hurried = opened.calls(10, '/x', { deadline: '50ms' });
  await opened.clock.advance(50);
  expect(told(hurried)).toEqual(Array(10).fill('DEADLINE_EXCEEDED'));
  const impatient = Array.from({ length: 10 }, () => opened.call({ url: '/x', timeout: 50 }));
  await opened.clock.advance(50);
  expect(told(impatient)).toEqual(Array(10).fill('ATTEMPT_TIMEOUT'));
  const patient = opened.call();
  await opened.clock.advance(100);
  expect(patient.told).toBe('200');
  expect(opened.ofType('breaker')).toEqual([]);
  await opened.clock.advance(1000);
  await opened.leavesNothing();
});

test('law 10: a provider that hangs is seen by callers who give it half of its time', async () => {
  const opened = await world({ s: 'hang...', p: { ...p, timeouts: { attempt: '1s' } } });
  const hurried = opened.calls(5, '/x', { deadline: '499ms' });
  await opened.clock.advance(499);
  expect(told(hurried)).toEqual(Array(5).fill('DEADLINE_EXCEEDED'));
  expect(opened.ofType('breaker')).toEqual([]);
  const fair = opened.calls(5, '/x', { deadline: '500ms' });
  await opened.clock.advance(500);
  expect(told(fair)).toEqual(Array(5).fill('DEADLINE_EXCEEDED'));
  expect(await one(opened)).toBe('CIRCUIT_OPEN');
  await opened.clock.advance(1000);
  await opened.leavesNothing();
});

test('law 10: a probe that its caller had no time for opens and closes nothing, and the next caller is the probe', async () => {
  const opened = await open('hang, 200', { timeouts: { attempt: '1s' } });
  await opened.clock.advance(60_000);
  const hurried = opened.call({ url: '/x' }, { deadline: '50ms' });
  await opened.clock.advance(50);
  expect(hurried.told).toBe('DEADLINE_EXCEEDED');
  expect(await one(opened)).toBe('200');
  expect(opened.log.slice(5)).toEqual([60_000, 60_050]);
  await opened.clock.advance(1000);
  await opened.leavesNothing();
});

test("case 101: our callers' aborts do not open it; our timeouts do", async () => {
  const opened = await world({
    s: 'slow(100) 200 x10, 200, hang x5',
    // The guard is also the time that the word of a timed-out attempt has to reach the gate.
    p: { ...p, guard: '100ms', timeouts: { attempt: '1s', total: '1d' } },
  });
  for (let i = 0; i < 10; i += 1) {
    const controller = new AbortController();
    const sent = opened.call({ url: '/x', signal: controller.signal });
    await opened.clock.advance(50);
    controller.abort();
    await opened.clock.advance(0);
    expect(sent.told).toBe('cancelled');
  }
  expect(await one(opened)).toBe('200');
  const timedOut = opened.calls(5);
  await opened.clock.advance(1000);
  expect(told(timedOut)).toEqual(Array(5).fill('ATTEMPT_TIMEOUT'));
  expect(await one(opened)).toBe('CIRCUIT_OPEN');
  await opened.clock.advance(100);
  await opened.leavesNothing();
});

test('case 102: twenty refusals for a limit pause their own partition, and open nothing for anybody', async () => {
  const opened = await world({
    s: {
      next: ({ headers }) =>
        headers['x-who'] === 'a' ? { answer: { status: 429, headers: { 'retry-after': '1' } } } : null,
    },
    p: { ...p, dimensions: ['account'], retry: { maxAttempts: 1, throttled: { maxAttempts: 1 } } },
  });
  const call = (account: string) =>
    opened.call({ url: '/x', headers: { 'x-who': account } }, { partition: { account } });
  for (let i = 0; i < 20; i += 1) {
    const refused = call('a');
    const other = call('b');
    await opened.clock.advance(0);
    expect(told([refused, other])).toEqual(['429 attempts-exhausted', '200']);
    const paused = call('a');
    await opened.clock.advance(999);
    expect(paused.told).toBe('under way');
    await opened.clock.advance(1.01);
    expect(paused.told).toBe('429 attempts-exhausted');
    await opened.clock.advance(1000);
  }
  expect(opened.ofType('breaker')).toEqual([]);
  expect((await opened.limits.inspect('crm')).gate.breaker).toBe('closed');
  await opened.leavesNothing();
});
