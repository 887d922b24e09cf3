import { VirtualClock } from '../../../../testing/src/index.js';
import { concurrency, fixedWindow, quota, slidingWindow, tokenBucket } from '../../contract/builders.js';
import { defineProvider } from '../../contract/define-provider.js';
import type { ProviderOptions } from '../../contract/options.js';
import type { Grant, Settle } from '../port.js';
import { Lab, SECOND, START_US, type Want } from './lab.fixture.js';
import { memoryGate } from './memory-gate.js';
import { Sweeper } from './sweeper.js';

const DAY_MS = 86_400_000;

/** An engine and its sweeper on the virtual clock. */
class Rig {
  readonly clock = new VirtualClock();
  readonly lab: Lab;
  /** Partitions left after each sweep. */
  readonly left: number[] = [];
  readonly sweeper: Sweeper;

  constructor(options: Omit<ProviderOptions, 'name'>) {
    this.lab = new Lab(options);
    const now = (): number => START_US + Math.round(this.clock.monoMs() * 1000);
    this.sweeper = new Sweeper(this.clock, now, this.lab.engine, () => this.left.push(this.partitions));
  }

  get partitions(): number {
    return this.lab.engine.state.stages.count;
  }

  call(want: Want = {}): Grant {
    return this.work(() => this.lab.granted(want));
  }

  settle(grant: Grant, want: Want, more: Partial<Settle> = {}): void {
    this.work(() => this.lab.settle(grant, more, want));
  }

  private work<T>(run: () => T): T {
    this.lab.at = Math.round(this.clock.monoMs() * 1000);
    const result = run();
    this.sweeper.look();
    return result;
  }
}

const byUser: Omit<ProviderOptions, 'name'> = {
  dimensions: ['user'],
  limits: [tokenBucket({ burst: 5, limit: 5, per: '1m' })],
};

const user = (i: number): Want => ({ partition: { user: `u${i}` } });

describe('law 3: a provider that nobody calls any more', () => {
  it('keeps nothing of 20,000 partitions and tenants past its longest window, and no timer', async () => {
    const rig = new Rig({
      dimensions: ['user'],
      limits: [
        tokenBucket({ burst: 5, limit: 5, per: '1m' }),
        slidingWindow({ limit: 50, per: '10s' }),
        fixedWindow({ limit: 50, per: '1m', align: 'clock' }),
        concurrency({ limit: 4, worksAfterTimeout: '30s' }),
        quota({ limit: 100, per: 'day', volatile: true }),
        concurrency({ name: 'all', limit: 100_000, countedBy: [] }),
      ],
      lanes: { high: { ceiling: { limit: 6_000, per: '1m' } }, low: {} },
      tenants: { maxShare: 0.5 },
    });
    for (let i = 0; i < 20_000; i += 1) {
      if (i % 100 === 0) await rig.clock.advance(20);
      const want = { ...user(i), tenant: `t${i}`, lane: i % 100 === 0 ? 0 : 1 };
      const grant = rig.call(want);
      // Of each third one nothing is heard again: its lease runs out. Another third gets no answer.
      if (i % 3 > 0) rig.settle(grant, want, i % 3 === 1 ? {} : { end: 'no-answer', health: 'failure' });
    }
    expect(rig.partitions).toBeGreaterThan(20_000);
    expect(rig.clock.pendingTimers).toBe(1);
    await rig.clock.advance(DAY_MS + 60_000);
    const { state } = rig.lab.engine;
    expect(rig.partitions).toBe(0);
    expect(state.leases.size).toBe(0);
    expect(state.leaseExpiry.size).toBe(0);
    expect(state.waiterExpiry.size).toBe(0);
    expect(state.stages.whole.books.map((book) => book.used(state.now))).toEqual([0]);
    expect(state.stages.whole.line.lanes.every((lane) => lane.tenants.size === 0)).toBe(true);
    expect(rig.clock.pendingTimers).toBe(0);
  });

  it('is swept a thousand at a time', async () => {
    const rig = new Rig(byUser);
    for (let i = 0; i < 5_500; i += 1) rig.call(user(i));
    await rig.clock.advance(120_000);
    const sizes = rig.left.map((left, i) => (rig.left[i - 1] ?? 5_500) - left);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(1_016);
    expect(rig.left.at(-1)).toBe(0);
    expect(rig.clock.pendingTimers).toBe(0);
  });

  it('has no timer where nothing is counted by partition', async () => {
    const rig = new Rig({ limits: [tokenBucket({ burst: 5, limit: 5, per: '1m' }), concurrency({ limit: 8 })] });
    rig.settle(rig.call(), {});
    rig.call();
    expect(rig.clock.pendingTimers).toBe(0);
  });

  it('keeps what is still in use: a permit that is out, a bucket that drains, a pause', async () => {
    const rig = new Rig({
      dimensions: ['user'],
      limits: [concurrency({ limit: 1 }), tokenBucket({ burst: 5, limit: 5, per: '10s' })],
      guard: 0,
      pause: { flushAfter: '1h' },
    });
    const long = { ...user(1), attemptUs: 90 * SECOND };
    const held = rig.call(long);
    rig.settle(rig.call(user(2)), user(2));
    rig.settle(rig.call(user(3)), user(3), { refusal: { limit: 1, waitUs: 60 * SECOND } });
    await rig.clock.advance(1_500);
    expect(rig.partitions).toBe(3);
    await rig.clock.advance(8_500);
    expect(rig.partitions).toBe(2);
    await rig.clock.advance(70_000);
    expect(rig.partitions).toBe(2);
    rig.settle(held, long);
    await rig.clock.advance(11_000);
    expect(rig.partitions).toBe(1);
    await rig.clock.advance(3_600_000);
    expect(rig.partitions).toBe(0);
    expect(rig.clock.pendingTimers).toBe(0);
  });
});

describe('the memory gate', () => {
  const contract = defineProvider({ name: 'p', ...byUser }).resolved;
  const head = { id: 1, waitedUs: 0, charges: [1], kind: 'first', safety: 'safe', attemptUs: SECOND } as const;
  const ticket = { key: 'k', lane: 0, tenant: '', partition: { user: 'u' }, limits: [0] };
  const asks = [{ ticket, waiting: 1, heads: [{ ...head, place: null, observe: false }], newestWaitedUs: 0 }];
  const input = { processId: 'a', stepNo: 1, seenSeq: 0, settles: [], commands: [], asks };

  it('sweeps by itself, and has no timer when it is done', async () => {
    const clock = new VirtualClock();
    const gate = memoryGate().open(contract, { clock, processId: 'a' });
    await gate.step(input);
    expect(clock.pendingTimers).toBe(1);
    await clock.advance(61_000);
    expect(clock.pendingTimers).toBe(0);
  });

  it('has no timer once somebody else has cleared all away', async () => {
    const clock = new VirtualClock();
    const gate = memoryGate().open(contract, { clock, processId: 'a' });
    const looks: unknown[] = [];
    // Armed first, so it is run first.
    clock.schedule(1_000, () => looks.push(gate.inspect(), clock.pendingTimers));
    await gate.step(input);
    const settle = { leaseId: 1, ticket, end: 'not-sent', health: 'none', refusal: null, trueCharges: null } as const;
    await gate.step({ ...input, stepNo: 2, asks: [], settles: [{ ...settle, seen: [], retry: null }] });
    await clock.advance(1_000);
    expect(looks).toEqual([expect.objectContaining({ partitions: 0, leases: 0 }), 0]);
  });

  it('takes its timer with it when it is closed', async () => {
    const clock = new VirtualClock();
    const gate = memoryGate().open(contract, { clock, processId: 'a' });
    await gate.step(input);
    await gate.close();
    expect(clock.pendingTimers).toBe(0);
  });
});
