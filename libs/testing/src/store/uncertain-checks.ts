import assert from 'node:assert/strict';
import { type Check, give, holdOf, LEASE, MINUTE, request, type World, same } from './world.js';

/** An operation whose write may have happened. */
async function doubt(world: World, key: string, reference: string | null = null): Promise<void> {
  const hold = await world.start(key, { reference });
  await world.store.recordRequest(hold, request());
  await world.settles(hold, { to: 'uncertain', cause: 'outcome-unknown', checkInMs: 0, error: null }, 'uncertain');
}

const absent = { to: 'absent', settleMs: MINUTE, checkInMs: 1_000 } as const;

export const uncertainChecks: readonly Check[] = [
  {
    name: 'case 135: what may have happened is handed to reconcilers only, and found it is done with the result',
    async run(world) {
      await doubt(world, 'k');
      same(await world.claim(10), []);
      const [claimed] = await world.claimUncertain();
      assert.equal(claimed?.operation.state, 'reconciling');
      assert.equal(claimed.requests[0]?.state, 'sent');
      same(await world.claimUncertain(10), []);
      await world.settles(holdOf(claimed), { to: 'done', cause: 'found', result: '{"id":7}' }, 'done');
      assert.equal((await world.get('k')).result, '{"id":7}');
    },
  },
  {
    name: 'law 7: it is sent again only when it was absent twice, the settle time apart, under a new fence',
    async run(world) {
      await doubt(world, 'k');
      const first = holdOf((await world.claimUncertain())[0]!);
      await world.settles(first, absent, 'uncertain');
      same(await world.claimUncertain(), [], 'looked up again at once');
      await world.clock.advance(MINUTE - 1);
      for (const early of await world.claimUncertain()) await world.settles(holdOf(early), absent, 'uncertain');
      await world.isIn('k', 'uncertain');
      await world.clock.advance(MINUTE);
      const [last] = await world.claimUncertain();
      await world.settles(holdOf(last!), absent, 'queued');
      await world.isIn('k', 'queued', 'absent-twice');
      assert.equal((await world.store.settle(holdOf(last!), give)).type, 'stale');
      const again = await world.claimOne();
      assert.ok(again.fence > last!.operation.fence);
      assert.equal((await world.store.recordRequest(again, request())).type, 'recorded');
      assert.equal((await world.store.recordRequest(again, request())).type, 'not-repeatable');
    },
  },
  {
    name: 'a new doubt begins the count of absences anew',
    async run(world) {
      await doubt(world, 'k');
      await world.settles(holdOf((await world.claimUncertain())[0]!), absent, 'uncertain');
      await world.clock.advance(2 * MINUTE);
      await world.settles(holdOf((await world.claimUncertain())[0]!), absent, 'queued');
      const sent = await world.claimOne();
      await world.store.recordRequest(sent, request());
      await world.settles(sent, { to: 'uncertain', cause: 'outcome-unknown', checkInMs: 0, error: null }, 'uncertain');
      await world.settles(holdOf((await world.claimUncertain())[0]!), absent, 'uncertain');
    },
  },
  {
    name: 'a look that found it absent is not counted among those that told nothing',
    async run(world) {
      await doubt(world, 'k');
      await world.settles(holdOf((await world.claimUncertain())[0]!), absent, 'uncertain');
      await world.clock.advance(2 * MINUTE);
      const [again] = await world.claimUncertain();
      assert.equal(again?.operation.checks, 0);
      await world.settles(holdOf(again), absent, 'queued');
    },
  },
  {
    name: 'an inconclusive look comes again after its backoff, is counted, and a person may be asked in the end',
    async run(world) {
      await doubt(world, 'k');
      const unsure = { to: 'uncertain', cause: 'inconclusive', checkInMs: 5_000, error: null } as const;
      await world.settles(holdOf((await world.claimUncertain())[0]!), unsure, 'uncertain');
      same(await world.claimUncertain(), []);
      await world.clock.advance(5_000);
      const [again] = await world.claimUncertain();
      assert.equal(again?.operation.checks, 1);
      await world.settles(holdOf(again), { to: 'dead', cause: 'unresolved', error: null }, 'dead');
    },
  },
  {
    name: 'of one reference only one operation is looked up at a time, in one claim and over connections',
    async run(world) {
      await doubt(world, 'k1', 'timesheet-17');
      await doubt(world, 'k2', 'timesheet-17');
      await doubt(world, 'k3', 'timesheet-18');
      const other = await world.open();
      const [mine, others] = await Promise.all([world.claimUncertain(10), world.claimUncertain(10, other)]);
      const held = [...mine, ...others];
      same(held.map(({ operation }) => operation.reference).sort(), ['timesheet-17', 'timesheet-18']); // prettier-ignore
      const first = held.find(({ operation }) => operation.reference === 'timesheet-17')!;
      const asked = { provider: 'crm', owner: 'reconciler', leaseMs: LEASE, limit: 10 };
      const meanwhile = await world.store.claimUncertain(asked);
      same(
        [meanwhile.claimed, meanwhile.nextInMs],
        [[], null],
        'the other is said to be due while it may not be handed out',
      );
      await world.settles(holdOf(first), { to: 'done', cause: 'found', result: null }, 'done');
      assert.equal((await world.claimUncertain(10)).length, 1);
    },
  },
  {
    name: 'a lookup is no delivery: one whose process died is counted as a lookup, one that was given back or put off is not',
    async run(world) {
      await doubt(world, 'k');
      const { deliveries } = await world.get('k');
      for (let lookup = 1; lookup <= 5; lookup += 1) {
        assert.equal((await world.claimUncertain()).length, 1);
        await world.clock.advance(LEASE);
        await world.store.recover(10);
        await world.isIn('k', 'uncertain', 'lease-expired');
        const lost = await world.get('k');
        same([lost.checks, lost.deliveries], [lookup, deliveries]);
      }
      await world.settles(holdOf((await world.claimUncertain())[0]!), give, 'uncertain');
      const postponed = { to: 'uncertain', cause: 'rescheduled', checkInMs: MINUTE, error: null } as const;
      await world.settles(holdOf((await world.claimUncertain())[0]!), postponed, 'uncertain');
      await world.isIn('k', 'uncertain', 'rescheduled');
      same(await world.claimUncertain(), []);
      await world.clock.advance(MINUTE);
      const [last] = await world.claimUncertain();
      same([last?.operation.checks, last?.operation.deliveries], [5, deliveries]);
    },
  },
];
