import { AsyncLocalStorage } from 'node:async_hooks';
import { SeededRandom, VirtualClock } from '../../../../testing/src/index.js';
import { concurrency } from '../../contract/builders.js';
import type { Permit } from '../admission.js';
import { createAdmission } from './create-admission.js';
import { contractOf, recorder, request, ScriptedGate, settlement } from './gates.fixture.js';
import { limits, outcome, setUp } from './line.fixture.js';

describe('natural batching', () => {
  it('has one step under way; what comes meanwhile rides in the next', async () => {
    const rig = setUp({ limits }, 10);
    const first = rig.admit({ tenant: 'a' }) as Promise<Permit>;
    const others = ['b', 'c', 'd'].map((tenant) => rig.admit({ tenant }) as Promise<Permit>);
    await rig.clock.advance(6);
    expect(rig.gate.inputs).toHaveLength(1);
    await rig.clock.advance(14);
    expect(rig.gate.inputs.map(({ asks }) => asks.length)).toEqual([1, 3]);
    for (const permit of await Promise.all([first, ...others])) permit.settle(settlement());
    await rig.clock.advance(40);
    expect(rig.gate.settles).toHaveLength(4);
    expect(rig.gate.inputs).toHaveLength(3);
    expect(rig.gate.inputs.map(({ stepNo }) => stepNo)).toEqual([1, 2, 3]);
  });

  it('shows a shared gate at most 16 tickets a step, the best lane first, and the rest in the next', async () => {
    const rig = setUp({ limits, lanes: { high: {}, low: {} } }, 10);
    const all = [rig.admit() as Promise<Permit>];
    for (let index = 0; index < 70; index += 1)
      all.push(rig.admit({ lane: 1, tenant: `t${index}` }) as Promise<Permit>);
    all.push(rig.admit({ lane: 0, tenant: 'urgent' }) as Promise<Permit>);
    await rig.clock.advance(80);
    await Promise.all(all);
    expect(rig.gate.inputs.map(({ asks }) => asks.length)).toEqual([1, 16, 16, 16, 16, 7]);
    expect(rig.gate.inputs[1]?.asks[0]?.ticket.lane).toBe(0);
  });

  it('a call that joins a ticket which waits already sends nothing', () => {
    const rig = setUp();
    rig.allWait();
    for (let index = 0; index < 5; index += 1) void outcome(rig.admit());
    expect(rig.gate.inputs).toHaveLength(1);
  });

  it('a hint makes its ticket ask at once, and one that comes during a step is not lost', async () => {
    const rig = setUp({ limits }, 10);
    rig.allWait(5_000);
    const waiting = rig.admit() as Promise<Permit>;
    await rig.clock.advance(2);
    rig.gate.hint([rig.gate.asks[0]?.ticket.key ?? '0|0|']);
    rig.gate.judge = (input, gate) =>
      gate.inputs.length === 1 ? { waits: input.asks.map((ask) => gate.wait(ask, 5_000)) } : gate.grantAll(input);
    await rig.clock.advance(30);
    expect((await waiting).waitedMs).toBeLessThanOrEqual(20);
  });

  it('settles a permit at once while somebody waits for it, else within 20 ms', async () => {
    const rig = setUp({ limits: [concurrency({ limit: 1 })] });
    const permit = rig.admit() as Permit;
    rig.allWait();
    const waiting = outcome(rig.admit());
    permit.settle(settlement());
    expect(rig.gate.settles).toHaveLength(1);
    await rig.admission.close();
    await waiting;
  });
});

describe('law 5: the async context of a caller', () => {
  it('is held neither by the gate nor by timers nor by the callers that come after it', async () => {
    const storage = new AsyncLocalStorage<string>();
    const rig = setUp({ limits }, 10);
    const seen: unknown[] = [];
    rig.gate.judge = (input, gate) => {
      seen.push(storage.getStore());
      return gate.grantAll(input);
    };
    const continued: unknown[] = [];
    const run = (name: string): Promise<void> =>
      storage.run(name, async () => {
        await rig.admit();
        continued.push(storage.getStore());
      });
    const both = [run('one'), run('two')];
    await rig.clock.advance(50);
    await Promise.all(both);
    expect(seen).toEqual([undefined, undefined]);
    expect(continued).toEqual(['one', 'two']);
  });

  it('is not seen by a step that a settle, a cancel or a timer sets off', async () => {
    const storage = new AsyncLocalStorage<string>();
    const clock = new VirtualClock();
    const gate = new ScriptedGate(clock);
    const contexts: unknown[] = [];
    const asynchronous = {
      kind: 'noting',
      open: () => ({
        step: async (input: Parameters<ScriptedGate['step']>[0]) => {
          contexts.push(storage.getStore());
          await Promise.resolve();
          contexts.push(storage.getStore());
          return gate.step(input);
        },
        onWake: () => () => undefined,
        update: () => undefined,
        inspect: () => gate.inspect(),
        close: () => undefined,
      }),
    };
    const admission = createAdmission({
      contract: contractOf({ limits }),
      gate: asynchronous,
      clock,
      random: new SeededRandom(1),
      events: recorder(),
      processId: 'p1',
    });
    await storage.run('caller', async () => {
      const permit = await admission.admit(request());
      permit.settle(settlement({ health: 'failure' }));
      await clock.advance(50);
    });
    expect(contexts).toEqual([undefined, undefined, undefined, undefined]);
  });
});

describe('law 5: a timer', () => {
  it('is never armed with what is no number: a deadline of NaN is none, and the bound of the line holds', async () => {
    const rig = setUp();
    rig.allWait();
    const calls = [{ deadlineMono: Number.NaN }, { needMs: Number.NaN }].map((bad) =>
      outcome(rig.admit({ ...bad, maxWaitMs: 300 })),
    );
    await rig.clock.advance(299);
    expect((await rig.admission.inspect()).waiting).toBe(2);
    await rig.clock.advance(1);
    expect(await Promise.all(calls)).toEqual(['QUEUE_WAIT_EXCEEDED', 'QUEUE_WAIT_EXCEEDED']);
    expect(rig.clock.pendingTimers).toBe(0);
  });
});

describe('law 6: a call that waits', () => {
  it.each(['before the grant', 'after the grant'])(
    'and gives up in the granting step, %s, holds nothing',
    async (when) => {
      const controller = new AbortController();
      const rig = setUp({ limits }, 0, { active: true, emit: () => controller.abort('now') });
      rig.gate.judge = (input, gate) => {
        if (when === 'before the grant') controller.abort('now');
        return { ...gate.grantAll(input), changes: [{ type: 'breaker-closed' }] };
      };
      expect(await outcome(rig.admit({ signal: controller.signal }))).toBe('now');
      await rig.clock.advance(20);
      expect(rig.gate.settles).toMatchObject([{ leaseId: 'lease-1', end: 'not-sent' }]);
      expect((await rig.admission.inspect()).active).toBe(0);
    },
  );

  it('holds no permit: every grant has a call that runs, or is given back', async () => {
    const rig = setUp({ limits }, 10);
    const controller = new AbortController();
    const calls = Array.from({ length: 6 }, () => outcome(rig.admit({ signal: controller.signal })));
    await rig.clock.advance(6);
    controller.abort('all gone');
    expect(await Promise.all(calls)).toEqual(calls.map(() => 'all gone'));
    await rig.clock.advance(60);
    const granted = rig.gate.asks.flatMap(({ heads }) => heads).length;
    expect(granted).toBeGreaterThan(0);
    expect(rig.gate.settles).toHaveLength(granted);
    expect((await rig.admission.inspect()).active).toBe(0);
  });

  it('that is told to go on waiting after its first ask is out of the books of permits', async () => {
    const rig = setUp();
    rig.allWait();
    const waiting = outcome(rig.admit());
    expect(await rig.admission.inspect()).toMatchObject({ waiting: 1, active: 0 });
    await rig.admission.close();
    await waiting;
  });
});
