import { getEventListeners } from 'node:events';
import type { Permit } from '../admission.js';
import { settlement } from './gates.fixture.js';
import { byNow, closedGate, openGate, outcome, setUp } from './line.fixture.js';

describe('law 3: a waiter that gave up', () => {
  it('case 38: ten under one signal are gone at once, and the place is the next one of the line', async () => {
    const rig = setUp();
    closedGate(rig);
    const controller = new AbortController();
    const ten = Array.from({ length: 10 }, () => outcome(rig.admit({ signal: controller.signal })));
    const x = rig.admit() as Promise<Permit>;
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(1);
    controller.abort(new Error('enough'));
    expect(await Promise.all(ten)).toEqual(ten.map(() => controller.signal.reason));
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
    openGate(rig);
    await rig.clock.advance(1_000);
    expect((await x).waitedMs).toBe(1_000);
    expect(rig.gate.asks.at(-1)?.heads).toHaveLength(1);
  });

  it('case 40: whose signal was aborted before is rejected within one turn, without entering the line', async () => {
    const rig = setUp();
    closedGate(rig);
    const refused = rig.admit({ signal: AbortSignal.abort('before') });
    let reason: unknown;
    (refused as Promise<Permit>).catch((error: unknown) => (reason = error));
    await Promise.resolve();
    expect(reason).toBe('before');
    expect(rig.gate.inputs).toHaveLength(0);
  });

  it('case 103: five hundred calls under one signal have one listener while they wait, and none after', async () => {
    const rig = setUp();
    const { signal } = new AbortController();
    closedGate(rig);
    const waiting = Array.from({ length: 500 }, () => rig.admit({ signal, maxWaitMs: 600_000 }) as Promise<Permit>);
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    openGate(rig);
    await rig.clock.advance(70_000);
    for (const permit of await Promise.all(waiting)) permit.settle(settlement());
    await rig.clock.advance(20);
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
    expect(rig.clock.pendingTimers).toBe(0);
  });

  it('case 105: is rejected with the reason of its signal, whatever that is', async () => {
    for (const reason of [new DOMException('stop', 'AbortError'), new TypeError('axios'), 'text']) {
      const rig = setUp();
      closedGate(rig);
      const controller = new AbortController();
      const waiting = outcome(rig.admit({ signal: controller.signal }));
      controller.abort(reason);
      expect(await byNow(rig, waiting)).toBe(reason);
    }
  });

  it('case 108: aborted by the very registration of its listener it never gets the place', async () => {
    const rig = setUp();
    closedGate(rig);
    const controller = new AbortController();
    const { signal } = controller;
    const add = signal.addEventListener.bind(signal);
    signal.addEventListener = (...args: Parameters<typeof add>) => {
      controller.abort('while registering');
      add(...args);
    };
    const stale = outcome(rig.admit({ signal }));
    expect(await byNow(rig, stale)).toBe('while registering');
    const next = rig.admit() as Promise<Permit>;
    openGate(rig);
    await rig.clock.advance(1_000);
    expect((await next).leaseId).toBe('lease-1');
    expect((await rig.admission.inspect()).waiting).toBe(0);
  });

  it('takes its ticket out of the gate when it was the last one', async () => {
    const rig = setUp();
    closedGate(rig);
    const controller = new AbortController();
    const waiting = outcome(rig.admit({ signal: controller.signal }));
    controller.abort('gone');
    await byNow(rig, waiting);
    expect(rig.gate.asks.at(-1)).toMatchObject({ waiting: 0, heads: [] });
    expect(rig.clock.pendingTimers).toBe(0);
  });
});
