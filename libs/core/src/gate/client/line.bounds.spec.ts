import type { Permit } from '../admission.js';
import { settlement } from './gates.fixture.js';
import { limits, outcome, setUp } from './line.fixture.js';

describe('a bounded queue', () => {
  const lanes = { high: { maxQueued: 2 }, low: {} };

  it.each([
    ['queue.maxSize', { queue: { maxSize: 3 } }, {}, 3],
    ['lanes.<lane>.maxQueued', { lanes }, {}, 2],
    ['tenants.maxQueued', { tenants: { maxQueued: 1 } }, { tenant: 't' }, 1],
    ['tenants.maxShare', { tenants: { maxShare: 0.34 }, queue: { maxSize: 5 } }, { tenant: 't' }, 2],
    ['tenants.maxShare', { tenants: { maxShare: 0.01 }, queue: { maxSize: 5 } }, { tenant: 't' }, 1],
  ] as const)('that is full by %s refuses at once and says which', async (option, contract, overrides, places) => {
    const rig = setUp({ limits, ...contract });
    rig.allWait();
    const waiting = Array.from({ length: places }, () => outcome(rig.admit(overrides)));
    const refused = rig.admit(overrides) as Promise<Permit>;
    await expect(refused).rejects.toMatchObject({ code: 'QUEUE_FULL', provider: 'crm' });
    await expect(refused).rejects.toThrow(option);
    expect((await rig.admission.inspect()).waiting).toBe(places);
    await rig.admission.close();
    expect(await Promise.all(waiting)).toEqual(waiting.map(() => 'SHUTDOWN'));
  });

  it('that is full does not keep out a call that need not wait', async () => {
    const rig = setUp({ dimensions: ['account'], limits, queue: { maxSize: 1 } });
    rig.allWait();
    const waiting = outcome(rig.admit({ partition: { account: 'busy' } }));
    rig.gate.judge = (input, gate) => gate.grantAll(input);
    const permit = rig.admit({ partition: { account: 'free' } }) as Permit;
    expect(permit.leaseId).toBe('lease-1');
    permit.settle(settlement());
    await rig.admission.close();
    await waiting;
  });
});

describe('orders of the operator', () => {
  it('reach the gate at once, with hashed values; a dimension the contract does not have is refused', () => {
    const rig = setUp({ dimensions: ['account'], limits });
    rig.admission.pause({ account: 'secret' }, 5_000);
    rig.admission.resume(null);
    const commands = rig.gate.inputs.flatMap((input) => input.commands);
    expect(commands).toMatchObject([
      { type: 'pause', forUs: 5_000_000, partition: { account: expect.stringMatching(/^[0-9a-f]{32}$/) } },
      { type: 'resume', partition: null },
    ]);
    expect(() => rig.admission.pause({ user: '1' }, 1)).toThrow(expect.objectContaining({ code: 'CONFIG' }));
    expect(() => rig.admission.pause(null, Number.NaN)).toThrow(expect.objectContaining({ code: 'CONFIG' }));
  });
});

describe('case 56: lines of tenants that came once', () => {
  it('are gone when their calls are', async () => {
    const rig = setUp();
    rig.allWait();
    const { lines } = rig.admission as unknown as { lines: { size: number } };
    const controller = new AbortController();
    const calls = Array.from({ length: 900 }, (_, index) =>
      outcome(rig.admit({ tenant: `t${index}`, signal: controller.signal })),
    );
    expect(lines.size).toBe(900);
    controller.abort('gone');
    await Promise.all(calls);
    expect(lines.size).toBe(0);
    expect(rig.clock.pendingTimers).toBe(0);
  });
});
