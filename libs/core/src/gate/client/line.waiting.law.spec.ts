import type { Permit } from '../admission.js';
import { byNow, closedGate, limits, openGate, outcome, setUp } from './line.fixture.js';
import { isBudgetRefusal } from './refusals.js';

describe('law 4: waiting', () => {
  it('ends with QUEUE_WAIT_EXCEEDED at the bound of the queue, with the moment to come again', async () => {
    const rig = setUp();
    rig.gate.judge = (input) => ({
      waits: input.asks.map((ask) => rig.gate.wait(ask, 1_000, { cause: 'concurrency', certainUs: rig.gate.nowUs })),
    });
    const waiting = outcome(rig.admit({ maxWaitMs: 300 }));
    await rig.clock.advance(299);
    expect((await rig.admission.inspect()).waiting).toBe(1);
    await rig.clock.advance(1);
    expect(await byNow(rig, waiting)).toBe('QUEUE_WAIT_EXCEEDED');
    expect(rig.clock.pendingTimers).toBe(0);
  });

  it('ends with DEADLINE_EXCEEDED where the deadline less the need of the attempt comes first', async () => {
    const rig = setUp();
    rig.gate.judge = (input) => ({
      waits: input.asks.map((ask) => rig.gate.wait(ask, 1_000, { cause: 'concurrency', certainUs: rig.gate.nowUs })),
    });
    const waiting = outcome(rig.admit({ deadlineMono: 500, needMs: 200 }));
    await rig.clock.advance(300);
    expect(await byNow(rig, waiting)).toBe('DEADLINE_EXCEEDED');
  });

  it('may end with the grant at its very last moment', async () => {
    const rig = setUp();
    closedGate(rig, 300);
    const waiting = rig.admit({ maxWaitMs: 300 }) as Promise<Permit>;
    openGate(rig);
    await rig.clock.advance(300);
    expect((await waiting).waitedMs).toBe(300);
  });

  it('is refused at once where the deadline leaves less than the attempt needs', async () => {
    const rig = setUp();
    expect(await byNow(rig, outcome(rig.admit({ deadlineMono: 100, needMs: 101 })))).toBe('DEADLINE_UNREACHABLE');
    await rig.clock.advance(100);
    expect(await byNow(rig, outcome(rig.admit({ deadlineMono: 99 })))).toBe('DEADLINE_EXCEEDED');
    expect(rig.gate.inputs).toHaveLength(0);
  });

  it('is refused at once where it certainly cannot start in time, with the moment it could', async () => {
    const rig = setUp();
    closedGate(rig, 5_000);
    const refused = rig.admit({ deadlineMono: 4_999 }) as Promise<Permit>;
    expect(
      await byNow(
        rig,
        refused.catch((error: unknown) => error),
      ),
    ).toMatchObject({ code: 'DEADLINE_UNREACHABLE', retryAfterMs: 5_000 });
    expect(
      await byNow(
        rig,
        refused.catch((error: unknown) => error),
      ),
    ).toMatchObject({ retryAt: new Date(rig.clock.wallMs() + 5_000) });
    expect(await byNow(rig, outcome(rig.admit({ maxWaitMs: 4_999 })))).toBe('QUEUE_WAIT_EXCEEDED');
    expect(rig.clock.pendingTimers).toBe(0);
  });

  it.each([
    ['pause', 'PAUSED'],
    ['breaker', 'CIRCUIT_OPEN'],
    ['quota', 'QUOTA_EXHAUSTED'],
  ] as const)('is refused at once where the end of a %s lies beyond the allowed wait', async (cause, code) => {
    const rig = setUp();
    rig.gate.judge = (input) => ({ waits: input.asks.map((ask) => rig.gate.wait(ask, 90_000, { cause })) });
    const refused = rig.admit() as Promise<Permit>;
    expect(
      await byNow(
        rig,
        refused.catch((error: unknown) => error),
      ),
    ).toMatchObject({ code, retryAfterMs: 90_000 });
  });

  it('is judged again at each reply: those a new pause outlasts are refused, the others stay', async () => {
    const rig = setUp();
    closedGate(rig, 1_000);
    const patient = outcome(rig.admit({ maxWaitMs: 600_000 }));
    const hasty = outcome(rig.admit({ maxWaitMs: 20_000 }));
    rig.gate.judge = (input) => ({
      waits: input.asks.map((ask) => rig.gate.wait(ask, 30_000, { cause: 'pause', limit: null })),
    });
    await rig.clock.advance(1_000);
    expect(await byNow(rig, hasty)).toBe('PAUSED');
    expect((await rig.admission.inspect()).waiting).toBe(1);
    await rig.admission.close();
    expect(await patient).toBe('SHUTDOWN');
  });

  it('is refused at once where those in front take the rate until after the deadline', async () => {
    const rig = setUp();
    closedGate(rig, 100);
    const front = Array.from({ length: 20 }, () => outcome(rig.admit()));
    expect(await byNow(rig, outcome(rig.admit({ deadlineMono: 2_099 })))).toBe('DEADLINE_UNREACHABLE');
    const inTime = outcome(rig.admit({ deadlineMono: 2_101 }));
    expect((await rig.admission.inspect()).waiting).toBe(21);
    await rig.admission.close();
    await Promise.all([...front, inTime]);
  });

  it('by queue.refuse "likely" goes by the estimate, by "certain" it does not', async () => {
    for (const [refuse, expected] of [
      ['likely', 'DEADLINE_UNREACHABLE'],
      ['certain', 'SHUTDOWN'],
    ] as const) {
      const rig = setUp({ limits, queue: { refuse } });
      rig.gate.judge = (input) => ({
        waits: input.asks.map((ask) => rig.gate.wait(ask, 5_000, { certainUs: rig.gate.nowUs })),
      });
      const waiting = outcome(rig.admit({ deadlineMono: 4_000 }));
      await rig.admission.close();
      expect(await byNow(rig, waiting)).toBe(expected);
    }
  });

  it('is told apart from what can never be admitted, an open circuit and a spent budget', async () => {
    const rig = setUp();
    const refusals: unknown[] = [];
    for (const reason of ['never-admissible', 'circuit-open', 'budget'] as const) {
      rig.gate.judge = (input) => ({
        denials: input.asks.flatMap((ask) =>
          ask.heads.map((head) => ({
            ticketKey: ask.ticket.key,
            headId: head.id,
            reason,
            retryAtUs: reason === 'never-admissible' ? null : rig.gate.nowUs + 2_000_000,
            limit: 0,
          })),
        ),
      });
      refusals.push(await (rig.admit() as Promise<Permit>).catch((error: unknown) => error));
    }
    expect(refusals).toMatchObject([
      { code: 'NEVER_ADMISSIBLE', retryAt: null },
      { code: 'CIRCUIT_OPEN', retryAfterMs: 2_000 },
      { code: 'QUOTA_EXHAUSTED', retryAfterMs: 2_000 },
    ]);
    expect(refusals.map(isBudgetRefusal)).toEqual([false, false, true]);
  });
});

describe('law 4: a call that may not wait at all', () => {
  it('has its permit from a gate that answers late, for to wait for the answer is no wait in line', async () => {
    const rig = setUp({ limits }, 20);
    const [first, second] = [outcome(rig.admit({ maxWaitMs: 0 })), outcome(rig.admit({ maxWaitMs: 0 }))];
    await rig.clock.advance(500);
    for (const permit of [await first, await second]) expect(permit).toMatchObject({ leaseId: expect.any(String) });
  });

  it('is refused by the answer that it would have to wait, with the moment to come again', async () => {
    const rig = setUp({ limits }, 20);
    closedGate(rig, 1_000);
    const waiting = rig.admit({ maxWaitMs: 0 }) as Promise<Permit>;
    waiting.catch(() => undefined);
    await rig.clock.advance(19);
    expect(await byNow(rig, outcome(waiting))).toBe('still waiting');
    await rig.clock.advance(2);
    await expect(waiting).rejects.toMatchObject({ code: 'QUEUE_WAIT_EXCEEDED', retryAt: expect.any(Date) });
    expect((await rig.clock.advanceUntil(rig.admission.inspect())).waiting).toBe(0);
  });

  it('does not join those who wait already', async () => {
    const rig = setUp({ limits }, 20);
    rig.allWait();
    const patient = outcome(rig.admit());
    await rig.clock.advance(200);
    const hasty = outcome(rig.admit({ maxWaitMs: 0 }));
    await rig.clock.advance(1);
    expect(await byNow(rig, hasty)).toBe('QUEUE_WAIT_EXCEEDED');
    await rig.clock.advanceUntil(rig.admission.close());
    expect(await patient).toBe('SHUTDOWN');
  });

  it('keeps to its deadline while the answer is not there, and waits no longer than ten seconds for one that never comes', async () => {
    const rig = setUp({ limits }, 60_000);
    const late = outcome(rig.admit({ maxWaitMs: 0, deadlineMono: rig.clock.monoMs() + 30 }));
    const lost = outcome(rig.admit({ maxWaitMs: 0, tenant: 't' }));
    await rig.clock.advance(31);
    expect(await byNow(rig, late)).toBe('DEADLINE_EXCEEDED');
    await rig.clock.advance(9_900);
    expect(await byNow(rig, lost)).toBe('still waiting');
    await rig.clock.advance(100);
    expect(await byNow(rig, lost)).toBe('QUEUE_WAIT_EXCEEDED');
  });

  it('is refused where its grant comes too late again to be used', async () => {
    const rig = setUp({ limits, guard: 30 }, 20);
    const waiting = outcome(rig.admit({ maxWaitMs: 0 }));
    await rig.clock.advance(200);
    expect(await byNow(rig, waiting)).toBe('QUEUE_WAIT_EXCEEDED');
  });
});
