import { SeededRandom, VirtualClock } from '../../../testing/src/index.js';
import { tokenBucket } from '../contract/builders.js';
import { defineProvider } from '../contract/define-provider.js';
import type { ProviderOptions } from '../contract/options.js';
import { EventHub } from '../events/event-hub.js';
import { memoryGate } from '../gate/memory/memory-gate.js';
import { type AttemptContext, type AttemptResult, STALE_GRANT } from './call.js';
import { createProviderRuntime } from './create-runtime.js';
import { drive, Harness } from './harness.fixture.js';
import { answered, failed } from './scripted-provider.fixture.js';

const UNSENT: AttemptResult = { type: 'failed', sent: false, error: new Error('unsent'), code: STALE_GRANT };
const ANSWER: AttemptResult = { type: 'answered', status: 200, headers: {}, value: 'answer' };

function open() {
  const clock = new VirtualClock();
  const contract = defineProvider({
    name: 'busy',
    limits: [tokenBucket({ burst: 10, limit: 60, per: '1m' })],
    guard: '100ms',
  });
  const runtime = createProviderRuntime(contract, {
    clock,
    random: new SeededRandom(1),
    gate: memoryGate(),
    events: new EventHub(),
    processId: 'p',
  });
  const request = { method: 'GET', path: '/', query: {}, headers: {}, body: undefined, route: null };
  return { clock, runtime, call: runtime.startCall({ request, options: {} }) };
}

/** The process stands still for `stallMs` between each grant and its send. */
async function sends(stallMs: number) {
  const { clock, runtime, call } = open();
  const sent: boolean[] = [];
  const end = call.attempt(async (context: AttemptContext) => {
    await new Promise<void>((resolve) => clock.schedule(stallMs, resolve));
    sent.push(!context.stale());
    return context.stale() ? UNSENT : ANSWER;
  });
  await clock.advance(5_000);
  const { gate, active } = await runtime.admission.inspect();
  const charged = gate.limits[0]?.used ?? NaN;
  await runtime.close();
  return { end: await end, sent, active, charged, attempts: call.attempts };
}

describe('law 2: a grant that the process cannot use in time', () => {
  it('is used as long as half of the guard has not passed', async () => {
    const { sent, end } = await sends(50);
    expect(sent).toEqual([true]);
    expect(end).toMatchObject({ decision: 'deliver', reason: null });
  });

  it('is given back unsent and asked for anew, three times at most, and is no try of the call', async () => {
    const { sent, end, attempts, active } = await sends(51);
    expect(sent).toEqual([false, false, false, true]);
    expect(end).toMatchObject({ decision: 'deliver', reason: null });
    expect(attempts).toBe(1);
    expect(active).toBe(0);
  });

  it('costs nothing', async () => {
    const { charged } = await sends(51);
    expect(charged).toBeLessThanOrEqual(1);
  });
});

describe('law 9: a retry whose grant is not used', () => {
  const budget = { ratio: 0.1, floor: 1 } as const;

  /** Two sleep with a place each, and a new minute has room for one of them. Gives the harness at its begin and what `unused` sent. */
  async function twoSleepers(options: Partial<ProviderOptions>, unused: (retry: number) => AttemptResult | null) {
    const harness = new Harness({ gate: memoryGate(), options: { retry: { maxAttempts: 2, budget }, ...options } });
    await harness.clock.advance(50_000);
    for (let i = 0; i < 20; i += 1) await drive(harness.call(), () => Promise.resolve(answered({ status: 200 })));
    const sent: string[] = [];
    const going = ['a', 'b'].map((name) => {
      let retries = -1;
      return drive(harness.call(), (context) => {
        retries += 1;
        if (retries === 0) return Promise.resolve(answered({ status: 503, headers: { 'retry-after': '15' } }));
        const instead = name === 'a' && !context.signal.aborted ? unused(retries) : null;
        if (instead !== null) return Promise.resolve(instead);
        sent.push(`${name} ${Math.floor(harness.clock.monoMs() / 60_000)}`);
        return Promise.resolve(answered({ status: 200 }));
      });
    });
    await harness.clock.advance(200_000);
    const ends = await Promise.all(going);
    return { harness, sent, reasons: ends.map((end) => (end.decision === 'retry' ? 'retry' : end.reason)) };
  }

  it('keeps its place in the budget, before those who sleep on', async () => {
    const { harness, sent, reasons } = await twoSleepers({}, (retry) => (retry === 1 ? UNSENT : null));
    expect(reasons).toEqual([null, null]);
    expect(sent).toEqual(['a 1', 'b 2']);
    expect((await harness.runtime.admission.inspect()).gate.budget?.places).toBe(0);
    await harness.expectNothingLeft();
  });

  it('holds no place once it has found out that nothing was sent, and has ended', async () => {
    const { harness, reasons } = await twoSleepers({}, () => failed(false, 'ECONNREFUSED'));
    expect(reasons[0]).toBe('attempts-exhausted');
    expect((await harness.runtime.admission.inspect()).gate.budget?.places).toBe(0);
    await harness.expectNothingLeft();
  });
});
