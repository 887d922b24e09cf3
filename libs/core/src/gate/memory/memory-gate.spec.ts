import { concurrency, quota, slidingWindow, tokenBucket } from '../../contract/builders.js';
import { defineProvider } from '../../contract/define-provider.js';
import type { ProviderOptions } from '../../contract/options.js';
import type { Clock } from '../../time/clock.js';
import type { StepReply, Ticket } from '../port.js';
import { Lab, MINUTE, SECOND } from './lab.fixture.js';
import { memoryGate } from './memory-gate.js';

class HandClock implements Clock {
  wall = 1_767_614_400_000;
  mono = 5000;
  wallMs(): number {
    return this.wall;
  }
  monoMs(): number {
    return this.mono;
  }
  schedule(): () => void {
    throw new Error('The gate arms no timer.');
  }
}

const ticket: Ticket = { key: 'k', lane: 0, tenant: '', partition: {}, limits: [0] };

function open(options: Omit<ProviderOptions, 'name'>, processes?: number) {
  const clock = new HandClock();
  const contract = defineProvider({ name: 'p', ...options }).resolved;
  const gate = memoryGate({ processes }).open(contract, { clock, processId: 'a' });
  let stepNo = 0;
  const ask = (): StepReply => {
    stepNo += 1;
    const head = { id: stepNo, waitedUs: 0, charges: [1], kind: 'first', safety: 'safe', attemptUs: SECOND } as const;
    const heads = [{ ...head, place: null, observe: false }];
    const asks = [{ ticket, waiting: 1, heads, newestWaitedUs: 0 }];
    return gate.step({ processId: 'a', stepNo, seenSeq: 0, settles: [], commands: [], asks }) as StepReply;
  };
  return { clock, gate, ask };
}

describe('the memory gate', () => {
  it('case 45, law 16: a step of the wall clock changes no rate and no window', () => {
    const { clock, ask } = open({ limits: [tokenBucket({ burst: 1, limit: 5, per: '1s' })], guard: 0 });
    expect(ask().grants).toHaveLength(1);
    for (const step of [-3_600_000, 7_200_000, -3_600_000]) {
      clock.wall += step;
      expect(ask().grants).toHaveLength(0);
      clock.mono += 199;
      expect(ask().grants).toHaveLength(0);
      clock.mono += 1;
      expect(ask().grants).toHaveLength(1);
    }
  });

  it('case 116: every application that opens it has a state of its own', () => {
    const contract = defineProvider({ name: 'p', limits: [concurrency({ limit: 1 })] }).resolved;
    const gate = memoryGate();
    const one = gate.open(contract, { clock: new HandClock(), processId: 'a' });
    const two = gate.open(contract, { clock: new HandClock(), processId: 'a' });
    const head = { id: 1, waitedUs: 0, charges: [1], kind: 'first', safety: 'safe', attemptUs: SECOND } as const;
    const asks = [{ ticket, waiting: 1, heads: [{ ...head, place: null, observe: false }], newestWaitedUs: 0 }];
    const input = { processId: 'a', stepNo: 1, seenSeq: 0, settles: [], commands: [], asks };
    expect((one.step(input) as StepReply).grants).toHaveLength(1);
    expect((two.step(input) as StepReply).grants).toHaveLength(1);
  });

  it('gives one of several processes that share nothing its part of each limit', () => {
    const { ask } = open({ limits: [slidingWindow({ limit: 10, per: '1s' })] }, 4);
    expect([1, 2, 3].map(() => ask().grants.length)).toEqual([1, 1, 0]);
  });

  it('refuses to divide a limit into nothing', () => {
    expect(() => open({ limits: [concurrency({ limit: 3 })] }, 4)).toThrow(/"concurrency"/);
    expect(() => memoryGate({ processes: 0.5 })).toThrow(/processes/);
  });

  it('case 54: new numbers keep what is used, and wake who waits', () => {
    const { gate, ask } = open({ limits: [slidingWindow({ limit: 2, per: '1m' })] });
    ask();
    ask();
    expect(ask().waits).toHaveLength(1);
    const woken: string[] = [];
    gate.onWake((keys) => woken.push(...keys));
    gate.update(defineProvider({ name: 'p', limits: [slidingWindow({ limit: 3, per: '1m' })] }).resolved);
    expect(woken).toEqual(['k']);
    expect(ask().grants).toHaveLength(1);
    expect(ask().waits).toHaveLength(1);
  });
});

describe('what is idle', () => {
  it('case 56: 100,000 partitions and tenants that came once leave nothing behind', () => {
    const lab = new Lab({
      dimensions: ['user'],
      limits: [
        tokenBucket({ burst: 5, limit: 1, per: '1s' }),
        concurrency({ limit: 1_000_000, countedBy: [] }),
        quota({ limit: 1_000_000, per: 'day', volatile: true, countedBy: [] }),
      ],
      tenants: { maxShare: 0.5 },
    });
    const input = { processId: 'a', seenSeq: 0, settles: [], commands: [] };
    for (let i = 0; i < 100_000; i += 1) {
      const fresh = { key: `k${i}`, lane: 0, tenant: `t${i}`, partition: { user: `u${i}` }, limits: [0, 1, 2] };
      const asks = [
        { ticket: fresh, waiting: 1, heads: [lab.head({ limits: [0, 1, 2], attemptUs: SECOND })], newestWaitedUs: 0 },
      ];
      lab.engine.step(1e15 + i, { ...input, stepNo: i, asks });
    }
    const after = lab.engine.inspect(1e15 + 5 * MINUTE);
    expect(after).toMatchObject({ partitions: 0, tickets: 0, leases: 0 });
    expect(after.limits[1]?.used).toBe(0);
    expect(lab.engine.state.leases.size).toBe(0);
    expect(lab.engine.state.stages.whole.line.lanes.every((lane) => lane.tenants.size === 0)).toBe(true);
  });

  it('a step drops a bounded number of it', () => {
    const lab = new Lab({ dimensions: ['user'], limits: [tokenBucket({ burst: 5, limit: 1, per: '1s' })] });
    for (let i = 0; i < 200; i += 1) lab.granted({ partition: { user: `u${i}` } });
    lab.at += 10 * MINUTE;
    lab.step({});
    expect(lab.engine.state.stages.count).toBeGreaterThan(150);
    for (let i = 0; i < 20; i += 1) lab.step({});
    expect(lab.engine.state.stages.count).toBe(0);
  });

  it('is as good as new when it comes back', () => {
    const lab = new Lab({ dimensions: ['user'], limits: [tokenBucket({ burst: 2, limit: 1, per: '1s' })], guard: 0 });
    const want = { partition: { user: 'u' } };
    lab.granted(want);
    lab.at += 10 * MINUTE;
    lab.step({});
    expect(lab.engine.state.stages.count).toBe(0);
    lab.granted(want);
    lab.granted(want);
    expect(lab.want(want).waits).toHaveLength(1);
  });
});
