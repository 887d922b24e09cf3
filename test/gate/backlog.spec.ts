import { concurrency, tokenBucket } from '../../libs/core/src/contract/builders.js';
import { defineProvider } from '../../libs/core/src/contract/define-provider.js';
import type { ProviderOptions } from '../../libs/core/src/contract/options.js';
import type { Ask, StepReply } from '../../libs/core/src/gate/port.js';
import { Place, Process, SECOND } from './redis-process.fixture.js';
import { type Recorded, RecordedHistory, RedisTwin } from './redis-twin.js';

const DEAD = 20_000;
/** Leases that one step may end. */
const AT_ONCE = 200;
const LOOK_US = 5_000;
const START_US = Date.UTC(2026, 0, 5) * 1000;
const OUTAGE_US = 3_600 * SECOND;
const SHOWN = 32;

/** A process that is granted so many calls and dies, an outage, and one that comes after it. Every step of them is recorded. */
class Outage {
  now = START_US;
  granted = 0;
  private readonly history: RecordedHistory;
  private steps = 0;
  private heads = 0;

  constructor(options: Omit<ProviderOptions, 'name'>) {
    this.history = new RecordedHistory(defineProvider({ name: 'p', guard: 0, ...options }).resolved, 1, { steps: 0 });
  }

  get recorded(): Recorded {
    return this.history.recorded;
  }

  /** Leases that are out, those that have run out and have not ended among them. */
  get leases(): number {
    return this.history.engine.state.leases.size;
  }

  step(calls: number, processId: string, account: string | null = null): StepReply {
    this.steps += 1;
    const limits = this.recorded.contract.limits.map((_, i) => i);
    const partition: Readonly<Record<string, string>> = account === null ? {} : { account };
    const ticket = { key: account ?? 'all', lane: 0, tenant: '', partition, limits };
    const head = (): Ask['heads'][number] => ({
      id: (this.heads += 1),
      waitedUs: 0,
      charges: limits.map(() => 1),
      kind: 'first',
      safety: 'safe',
      attemptUs: 2 * SECOND,
      place: null,
      observe: false,
    });
    const heads = Array.from({ length: calls }, head);
    const asks = calls === 0 ? [] : [{ ticket, waiting: calls, heads, newestWaitedUs: 0 }];
    const input = { processId, stepNo: this.steps, seenSeq: 0, asks, settles: [], commands: [] };
    const reply = this.history.engine.step(this.now, input);
    this.granted += reply.grants.length;
    return reply;
  }

  /** Steps of a process that has nothing to ask, until no lease is left. */
  clear(): readonly number[] {
    const ended: number[] = [];
    while (this.leases > 0) {
      const before = this.leases;
      this.step(0, 'new');
      ended.push(before - this.leases);
    }
    return ended;
  }
}

describe('case 158: what an outage leaves behind is cleared by several steps', () => {
  it('in memory each of them ends a fixed number of leases', () => {
    const outage = new Outage({ limits: [concurrency({ limit: DEAD })] });
    while (outage.granted < DEAD) outage.step(SHOWN, 'dead');
    outage.now += OUTAGE_US;
    const ended = outage.clear();
    expect(Math.max(...ended)).toBe(AT_ONCE);
    expect(ended).toHaveLength(DEAD / AT_ONCE);
  });

  it('in Redis each of them ends a fixed number of leases, and whoever comes first is granted what it frees', async () => {
    const place = new Place();
    try {
      const limits = [concurrency({ limit: DEAD })];
      const [dead, next] = [new Process(place, 'dead', limits), new Process(place, 'next', limits)];
      const held = () => place.redis.zcount(`${place.at.base}:lx`, '-inf', '(+inf');
      for (let i = 0; i < DEAD / SHOWN; i += 1) await dead.step(SHOWN);
      expect(await held()).toBe(DEAD);
      expect((await next.step(1)).grants).toHaveLength(0);
      place.nowUs += OUTAGE_US;
      expect((await next.step(1)).grants).toHaveLength(1);
      expect(await held()).toBe(DEAD - AT_ONCE + 1);
      for (let left = DEAD - AT_ONCE; left > 0; left -= AT_ONCE) {
        await next.step(0);
        expect(await held()).toBe(left - AT_ONCE + 1);
      }
    } finally {
      await place.close();
    }
  });

  it('one whose permit is at their end is granted nothing before, and looks again until it is', () => {
    const accounts = 4 * AT_ONCE;
    const outage = new Outage({ dimensions: ['account'], limits: [concurrency({ limit: 1, countedBy: ['account'] })] });
    for (let i = 0; i < accounts; i += 1) outage.step(1, 'dead', `account ${i}`);
    outage.now += OUTAGE_US;
    const last = `account ${accounts - 1}`;
    for (let i = 1; i < accounts / AT_ONCE; i += 1) {
      const { grants, waits } = outage.step(1, 'new', last);
      expect(grants).toEqual([]);
      expect(waits[0]?.pollAtUs).toBe(outage.now + LOOK_US);
      outage.now += LOOK_US;
    }
    expect(outage.step(1, 'new', last).grants).toHaveLength(1);
  });

  it.each(['script', 'function'] as const)('law 14: and all of it is the same in Redis, as a %s', async (as) => {
    const twin = new RedisTwin(as);
    await twin.open();
    try {
      const limits = [
        tokenBucket({ burst: 10_000, limit: 10_000, per: '1s', countedBy: [] }),
        concurrency({ limit: 1, countedBy: ['account'] }),
        concurrency({ name: 'all', limit: 1_200, countedBy: [] }),
      ];
      const outage = new Outage({ dimensions: ['account'], limits });
      for (let i = 0; i < 1_300; i += 1) outage.step(1, 'dead', `account ${i}`);
      expect(outage.granted).toBe(1_200);
      outage.now += OUTAGE_US;
      for (let i = 1_199; i >= 0; i -= 100) {
        outage.step(1, 'new', `account ${i}`);
        outage.now += 1 + (i % 2) * LOOK_US;
      }
      expect(await twin.compare(outage.recorded)).toBeNull();
    } finally {
      await twin.close();
    }
  });
});
