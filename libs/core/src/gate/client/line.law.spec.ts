import { concurrency, tokenBucket } from '../../contract/builders.js';
import type { Permit } from '../admission.js';
import { settlement } from './gates.fixture.js';
import { limits, openGate, outcome, setUp } from './line.fixture.js';

describe('an uncontended call', () => {
  it('gets its permit at once, without a promise', () => {
    const rig = setUp();
    const permit = rig.admit();
    expect(permit).not.toBeInstanceOf(Promise);
    expect((permit as Permit).leaseId).toBe('lease-1');
    expect((permit as Permit).waitedMs).toBe(0);
    expect((permit as Permit).waitedFor).toEqual([]);
  });

  it('leaves neither line nor timer behind', async () => {
    const rig = setUp();
    const permit = rig.admit() as Permit;
    permit.settle(settlement());
    await rig.clock.advance(20);
    expect(rig.clock.pendingTimers).toBe(0);
    expect(rig.gate.settles).toHaveLength(1);
    expect(await rig.admission.inspect()).toMatchObject({ waiting: 0, oldestMs: null, active: 0 });
  });

  it('takes the settles that are pending along in its own step', () => {
    const rig = setUp();
    (rig.admit() as Permit).settle(settlement());
    expect(rig.gate.inputs).toHaveLength(1);
    rig.admit();
    expect(rig.gate.inputs).toHaveLength(2);
    expect(rig.gate.inputs[1]?.settles.map(({ leaseId }) => leaseId)).toEqual(['lease-1']);
  });

  it('is asked for with hashed partition values only', () => {
    const rig = setUp({
      dimensions: ['account', 'user'],
      limits: [tokenBucket({ burst: 1, limit: 1, per: '1s', countedBy: ['account'] })],
    });
    rig.admit({ partition: { account: 'secret-account', user: 'secret-user' }, tenant: 'secret-tenant' });
    const ticket = rig.gate.asks[0]?.ticket;
    expect(ticket?.key).not.toContain('secret');
    expect(Object.keys(ticket?.partition ?? {})).toEqual(['account']);
    expect(ticket?.partition['account']).toMatch(/^[0-9a-f]{32}$/);
  });

  it('is refused unsent where a limit counts by a dimension that nobody gave', async () => {
    const rig = setUp({
      dimensions: ['account'],
      limits: [tokenBucket({ burst: 1, limit: 1, per: '1s', countedBy: ['account'] })],
    });
    const refused = rig.admit() as Promise<Permit>;
    await expect(refused).rejects.toMatchObject({ code: 'CONFIG', provider: 'crm' });
    await expect(refused).rejects.toThrow(/account/);
    expect(rig.gate.inputs).toHaveLength(0);
  });

  it('is charged by the units it names, by defaults for the others, and 1 for a permit', () => {
    const rig = setUp({
      limits: [
        tokenBucket({ name: 'requests', burst: 1, limit: 1, per: '1s' }),
        tokenBucket({ name: 'tokens', unit: 'tokens', burst: 9_000, limit: 9_000, per: '1m' }),
        tokenBucket({ name: 'points', unit: 'points', burst: 50, limit: 50, per: '1m' }),
        concurrency({ limit: 3 }),
      ],
      defaultUnits: { points: 7 },
    });
    rig.admit({ units: { tokens: 1_200, points: Number.NaN } });
    expect(rig.gate.asks[0]?.heads[0]?.charges).toEqual([1, 1_200, 7, 1]);
  });
});

describe('law 1: a permit', () => {
  it('ends once; a second ending does nothing and is reported', async () => {
    const rig = setUp();
    const permit = rig.admit() as Permit;
    permit.settle(settlement());
    permit.settle(settlement({ end: 'not-sent' }));
    expect(await permit.settleForRetry(settlement(), 100, 0)).toBeNull();
    await rig.clock.advance(50);
    expect(rig.gate.settles.map(({ end }) => end)).toEqual(['answered']);
    expect((await rig.admission.inspect()).active).toBe(0);
    expect(rig.events.events.filter(({ type }) => type === 'hook-failed')).toHaveLength(2);
  });

  it('that was granted for a call which has gone is given to the next one it fits, and charged as that one costs', async () => {
    const rig = setUp({ limits: [tokenBucket({ unit: 'tokens', burst: 100, limit: 100, per: '1s' })] }, 10);
    const gone = new AbortController();
    const first = outcome(rig.admit({ units: { tokens: 5 }, signal: gone.signal }));
    const dearer = rig.admit({ units: { tokens: 6 } }) as Promise<Permit>;
    const cheaper = rig.admit({ units: { tokens: 4 } }) as Promise<Permit>;
    openGate(rig, 1);
    await rig.clock.advance(6);
    gone.abort('gone');
    expect(await first).toBe('gone');
    await rig.clock.advance(4);
    const permit = await cheaper;
    expect(permit.leaseId).toBe('lease-1');
    permit.settle(settlement());
    await rig.clock.advance(60);
    expect(rig.gate.settles).toMatchObject([{ leaseId: 'lease-1', end: 'answered', trueCharges: [4] }]);
    await rig.clock.advance(1_100);
    expect((await dearer).leaseId).toBe('lease-2');
  });

  it('that nobody is left for goes back as not sent', async () => {
    const rig = setUp({ limits }, 10);
    const gone = new AbortController();
    const only = outcome(rig.admit({ signal: gone.signal }));
    await rig.clock.advance(6);
    gone.abort('gone');
    expect(await only).toBe('gone');
    await rig.clock.advance(30);
    expect(rig.gate.settles).toMatchObject([{ leaseId: 'lease-1', end: 'not-sent', health: 'none' }]);
    expect(rig.clock.pendingTimers).toBe(0);
  });

  it('that took longer than half the guard to come is given back and asked for again', async () => {
    const rig = setUp({ limits, guard: '100ms' }, 120);
    const waiting = rig.admit() as Promise<Permit>;
    await rig.clock.advance(120);
    expect(rig.gate.asks).toHaveLength(1);
    const late = rig.clock.monoMs();
    await rig.clock.advance(60);
    expect(rig.gate.settles).toMatchObject([{ leaseId: 'lease-1', end: 'not-sent' }]);
    expect(rig.gate.asks[1]?.heads[0]?.waitedUs).toBe(late * 1000);
    const closed = rig.admission.close();
    expect(await outcome(waiting)).toBe('SHUTDOWN');
    await rig.clock.advance(1_000);
    await closed;
    expect(rig.clock.pendingTimers).toBe(0);
  });
});
