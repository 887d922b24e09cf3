import { isSluiceError } from '../errors/sluice-error.js';
import { arm } from '../time/timers.js';
import { VirtualClock } from '../../../testing/src/index.js';
import { HoldKeeper } from './hold-keeper.js';
import type { OperationStore } from './port.js';
import { STORE_LIMIT_MS, StoreAccess } from './store-access.js';

const LEASE = 30_000;

function setup() {
  const clock = new VirtualClock();
  const failures: string[] = [];
  const calls: { at: number; ids: string[] }[] = [];
  let answer: (ids: string[]) => Promise<readonly string[]> = async () => [];
  const store = {
    renew: (holds: readonly { id: string }[]) => {
      const ids = holds.map(({ id }) => id);
      calls.push({ at: clock.monoMs(), ids });
      return answer(ids);
    },
  } as unknown as OperationStore;
  const watch = { moved: () => undefined, failed: (_: string, during: string) => void failures.push(during) };
  const keeper = new HoldKeeper({ access: new StoreAccess(store, clock), leaseMs: LEASE, watch });
  const keep = (id: string, fence = 1) => keeper.keep({ id, fence }, 'crm', clock.monoMs());
  return { clock, calls, failures, keeper, keep, answers: (next: typeof answer) => (answer = next) };
}

describe('the keeper of leases', () => {
  it('renews all of them in one call, three times a lease', async () => {
    const { clock, calls, keep } = setup();
    const first = keep('a');
    await clock.advance(1_000);
    keep('b');
    await clock.advance(2 * LEASE);
    expect(calls.map(({ at }) => at)).toEqual([1, 2, 3, 4, 5, 6].map((third) => (third * LEASE) / 3));
    expect(calls.every(({ ids }) => ids.join() === 'a,b')).toBe(true);
    expect(first.isLive).toBe(true);
  });

  it('aborts what is lost, and goes on with the others', async () => {
    const { clock, calls, keep, answers } = setup();
    const [a, b] = [keep('a'), keep('b')];
    answers(async () => ['a']);
    await clock.advance(LEASE / 3);
    expect([a.signal.aborted, a.isLive, b.signal.aborted, b.isLive]).toEqual([true, false, false, true]);
    expect(isSluiceError(a.signal.reason, 'OPERATION_IN_PROGRESS')).toBe(true);
    expect(a.signal.reason).toMatchObject({ operationId: 'a', provider: 'crm' });
    await clock.advance(LEASE / 3);
    expect(calls[1]!.ids).toEqual(['b']);
  });

  it.each([
    ['fails', () => Promise.reject(new Error('disk'))],
    ['hangs', () => new Promise<never>(() => undefined)],
  ])(
    'a store that %s is asked again, and what cannot be renewed in time is given up to the millisecond',
    async (_, broken) => {
      const { clock, calls, failures, keep, answers } = setup();
      const held = keep('a');
      await clock.advance(LEASE / 3);
      answers(broken);
      await clock.advance(LEASE - 1);
      expect([held.isLive, held.signal.aborted]).toEqual([true, false]);
      await clock.advance(1);
      expect([held.isLive, held.signal.aborted]).toEqual([false, true]);
      expect(calls.length).toBeGreaterThanOrEqual(3);
      await clock.advance(STORE_LIMIT_MS);
      expect(new Set(failures)).toEqual(new Set(['renew']));
      expect(clock.pendingTimers).toBe(0);
    },
  );

  it('a store that comes back in time loses nothing', async () => {
    const { clock, keep, answers } = setup();
    const held = keep('a');
    answers(() => Promise.reject(new Error('disk')));
    await clock.advance(LEASE / 2);
    answers(async () => []);
    await clock.advance(LEASE);
    expect(held.isLive).toBe(true);
  });

  it('counts a lease from the moment it was asked for, not from the answer', async () => {
    const { clock, keeper, answers } = setup();
    answers(() => new Promise<never>(() => undefined));
    const askedMono = clock.monoMs();
    await clock.advance(4_000);
    const held = keeper.keep({ id: 'a', fence: 1 }, 'crm', askedMono);
    await clock.advance(LEASE - 4_000);
    expect(held.signal.aborted).toBe(true);
  });

  it('a process that stood still knows before any timer of its own that it may hold nothing any more', async () => {
    const { clock, keep, answers } = setup();
    answers(() => new Promise<never>(() => undefined));
    const seen: boolean[] = [];
    arm(clock, LEASE, () => seen.push(held.isLive, held.signal.aborted));
    const held = keep('a');
    await clock.advance(LEASE);
    expect([...seen, held.signal.aborted]).toEqual([false, false, true]);
  });

  it('what is released is renewed no more, and leaves no timer', async () => {
    const { clock, calls, keeper, keep } = setup();
    const [a, b] = [keep('a'), keep('b')];
    a.release();
    await clock.advance(LEASE / 3);
    expect(calls[0]!.ids).toEqual(['b']);
    b.release();
    b.release();
    expect([keeper.size, clock.pendingTimers]).toEqual([0, 0]);
    expect([a.signal.aborted, b.signal.aborted]).toEqual([false, false]);
  });

  it('what is held anew while an old renewal is under way is not taken for lost with it', async () => {
    const { clock, keep, answers } = setup();
    const old = keep('a');
    keep('b');
    let reply: (lost: string[]) => void = () => undefined;
    answers(() => new Promise((resolve) => (reply = resolve)));
    await clock.advance(LEASE / 3);
    old.release();
    const held = keep('a', 2);
    reply(['a']);
    await clock.advance(0);
    expect([held.isLive, old.signal.aborted]).toEqual([true, false]);
  });
});
