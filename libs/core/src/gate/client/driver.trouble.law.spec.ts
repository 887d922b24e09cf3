import type { Permit } from '../admission.js';
import { settlement } from './gates.fixture.js';
import { limits, outcome, setUp } from './line.fixture.js';

describe('law 13: what fails', () => {
  it('a step that throws or rejects refuses its calls with GATE_UNAVAILABLE and hangs none', async () => {
    for (const roundTripMs of [0, 10]) {
      const rig = setUp({ limits }, roundTripMs);
      rig.gate.judge = () => {
        throw new Error('password=secret');
      };
      const calls = [outcome(rig.admit()), outcome(rig.admit({ tenant: 't' }))];
      await rig.clock.advance(50);
      expect(await Promise.all(calls)).toEqual(['GATE_UNAVAILABLE', 'GATE_UNAVAILABLE']);
      rig.gate.judge = (input, gate) => gate.grantAll(input);
      const next = rig.admit();
      await rig.clock.advance(50);
      (await next).settle(settlement());
      await rig.clock.advance(2_000);
      expect(rig.gate.settles).toHaveLength(1);
      expect(rig.clock.pendingTimers).toBe(0);
      expect(JSON.stringify(rig.events.events)).not.toContain('secret');
      expect(rig.events.events.some(({ type }) => type === 'hook-failed')).toBe(true);
    }
  });

  it('a settle whose step failed is offered again', async () => {
    const rig = setUp();
    const permit = rig.admit() as Permit;
    rig.gate.judge = () => {
      throw new Error('away');
    };
    permit.settle(settlement({ health: 'failure' }));
    rig.gate.judge = (input, gate) => gate.grantAll(input);
    await rig.clock.advance(1_000);
    expect(rig.gate.settles.map(({ leaseId }) => leaseId)).toEqual(['lease-1', 'lease-1']);
    expect(rig.clock.pendingTimers).toBe(0);
  });

  it('an observer that throws neither breaks nor holds up a call', async () => {
    const rig = setUp({ limits }, 0, {
      active: true,
      emit: () => {
        throw new Error('observer');
      },
    });
    rig.gate.judge = (input, gate) => ({ ...gate.grantAll(input), changes: [{ type: 'breaker-closed' }] });
    const permit = rig.admit() as Permit;
    permit.settle(settlement());
    permit.settle(settlement());
    expect((await rig.admission.inspect()).active).toBe(0);
  });
});

describe('an observed call', () => {
  it('has its permit at once with its shadow, where the gate answers at once', () => {
    const rig = setUp();
    const permit = rig.admit({ observe: true }) as Permit;
    expect(permit).toMatchObject({ leaseId: 'lease-1', shadow: { cause: 'rate', limitName: 'rate', waitMs: 1_500 } });
  });

  it('has its permit at once where the gate is far away, is charged there, and settled once its lease is known', async () => {
    const rig = setUp({ limits }, 10);
    const permit = rig.admit({ observe: true }) as Permit;
    expect(permit).not.toBeInstanceOf(Promise);
    permit.settle(settlement());
    await rig.clock.advance(50);
    expect(rig.gate.settles).toMatchObject([{ leaseId: 'lease-1', end: 'answered' }]);
    expect(permit.shadow).toEqual({ cause: 'rate', limitName: 'rate', waitMs: 1_500 });
    expect(await rig.admission.inspect()).toMatchObject({ waiting: 0, active: 0 });
    expect(rig.clock.pendingTimers).toBe(0);
  });

  it('is sent even where the gate fails', async () => {
    for (const roundTripMs of [0, 10]) {
      const rig = setUp({ limits }, roundTripMs);
      rig.gate.judge = () => {
        throw new Error('away');
      };
      const permit = rig.admit({ observe: true }) as Permit;
      expect(permit).not.toBeInstanceOf(Promise);
      permit.settle(settlement());
      await rig.clock.advance(50);
      expect((await rig.admission.inspect()).active).toBe(0);
    }
  });
});
