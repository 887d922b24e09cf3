import assert from 'node:assert/strict';
import { type Check, holdOf, later, LEASE, MINUTE, request, type World, same } from './world.js';

const dead = { to: 'dead', cause: 'rejected', error: { name: 'E', message: 'no', code: null, status: 422, body: 'why' } } as const; // prettier-ignore

async function bury(world: World, key: string): Promise<void> {
  await world.add([key]);
  await world.settles(await world.claimOne(), dead, 'dead');
}

export const orderChecks: readonly Check[] = [
  {
    name: 'a dead letter keeps what the provider said, and can be driven again, from the queue or begun at once',
    async run(world) {
      await bury(world, 'k');
      const letter = await world.get('k');
      same([letter.error?.status, letter.error?.body, letter.endedAtMs], [422, 'why', world.clock.wallMs()]);
      same((await world.store.redrive(letter.id)).state, 'queued');
      assert.equal((await world.get('k')).endedAtMs, null);
      await world.settles(await world.claimOne(), dead, 'dead');
      const begun = await world.store.redrive(letter.id, { owner: 'caller', leaseMs: LEASE });
      assert.equal(begun.type, 'moved');
      assert.equal(begun.state, 'running');
      await world.done({ id: letter.id, fence: begun.fence });
      same(await world.store.redrive(letter.id), { type: 'refused', state: 'done' });
    },
  },
  {
    name: 'law 7: a dead letter whose write may have happened is looked up when it is driven again, not sent',
    async run(world) {
      const hold = await world.start('k');
      await world.store.recordRequest(hold, request());
      await world.settles(hold, dead, 'dead');
      assert.equal((await world.store.redrive(hold.id, { owner: 'caller', leaseMs: LEASE })).state, 'uncertain');
      same(await world.claim(), []);
      assert.equal((await world.claimUncertain()).length, 1);
    },
  },
  {
    name: 'discard and resolve end what nobody holds, with the reason; what is held or over is refused',
    async run(world) {
      await world.add(['queued']);
      assert.equal((await world.store.discard(world.id('queued'), 'sent by post')).type, 'moved');
      const discarded = await world.get('queued');
      same([discarded.state, discarded.error?.message], ['discarded', 'sent by post']);
      await bury(world, 'dead');
      assert.equal((await world.store.resolve(world.id('dead'), '{"id":7}', 'found by hand')).type, 'moved');
      const resolved = await world.get('dead');
      same([resolved.state, resolved.cause, resolved.result], ['done', 'resolved', '{"id":7}']);
      const hold = await world.start('held');
      same(await world.store.discard(hold.id, 'x'), { type: 'refused', state: 'running' });
      same(await world.store.resolve(hold.id, null, 'x'), { type: 'refused', state: 'running' });
      same(await world.store.discard('none', 'x'), { type: 'refused', state: null });
      same(await world.store.discard(discarded.id, 'x'), { type: 'refused', state: 'discarded' });
      await world.done(hold);
      same(await world.claim(), []);
    },
  },
  {
    name: 'a flush gives up what is old enough and has all parts of its partition, and nothing else; driven again it is young',
    async run(world) {
      await world.add(['old'], { partition: 'p1' });
      await world.add(['old-waiting'], { partition: 'p0&p1', dueInMs: 90 * MINUTE });
      await world.add(['elsewhere'], { partition: 'p0&p10' });
      const hold = await world.start('held', { partition: 'p1' });
      await world.clock.advance(MINUTE);
      await world.add(['young'], { partition: 'p1' });
      const query = { provider: 'crm', partition: 'p1', olderThanMs: MINUTE, limit: 100 };
      const moved = await world.store.flush(query);
      same(moved.map(({ id }) => id).sort(), [world.id('old'), world.id('old-waiting')].sort()); // prettier-ignore
      await world.isIn('old', 'dead', 'flushed');
      await world.isIn('young', 'queued');
      await world.isIn('elsewhere', 'queued');
      await world.done(hold);
      await world.store.redrive(world.id('old'));
      same(await world.store.flush(query), []);
      same((await world.store.flush({ ...query, partition: null })).map(({ id }) => id), [world.id('elsewhere')]); // prettier-ignore
    },
  },
  {
    name: 'operators see how many there are in each state and lane, how old the oldest is, and each of them, page by page',
    async run(world) {
      await world.add(['k1'], { lane: 'interactive' });
      await world.clock.advance(1_000);
      await world.add(['k2', 'k3', 'k4', 'k5']);
      await world.done(await world.claimOne());
      const { counts, ages } = await world.store.counts();
      const told = counts.map(({ lane, state, count }) => `${lane} ${state} ${count}`).sort();
      same(told, ['background queued 4', 'interactive done 1']);
      same(ages, [{ provider: 'crm', state: 'queued', oldestAtMs: world.clock.wallMs() }]);
      const seen: string[] = [];
      for (let after: string | null = null, pages = 0; pages < 9; pages += 1) {
        const page = await world.store.list({ provider: 'crm', state: 'queued', after, limit: 2 });
        seen.push(...page.operations.map(({ id }) => id));
        after = page.next;
        if (after === null) break;
      }
      same(seen, ['k2', 'k3', 'k4', 'k5'].map((key) => world.id(key))); // prettier-ignore
      assert.equal((await world.store.list({ limit: 100 })).operations.length, 5);
      assert.equal((await world.store.list({ provider: 'erp', limit: 100 })).operations.length, 0);
      assert.equal((await world.store.list({ state: 'done', limit: 100 })).operations.length, 1);
    },
  },
  {
    name: 'what waits or is to be looked up can be brought forward, whatever it waits for; what runs, is over or blocked cannot',
    async run(world) {
      await world.add(['waiting'], { dueInMs: 90 * MINUTE });
      same(await world.claim(), []);
      same(await world.store.hasten(world.id('waiting')), { type: 'moved', state: 'waiting', fence: 0 });
      const hold = await world.claimOne();
      assert.equal(hold.id, world.id('waiting'));
      same(await world.store.hasten(hold.id), { type: 'refused', state: 'running' });
      await world.store.recordRequest(hold, request());
      await world.settles(hold, { to: 'uncertain', cause: 'outcome-unknown', checkInMs: MINUTE, error: null }, 'uncertain'); // prettier-ignore
      same(await world.claimUncertain(), []);
      assert.equal((await world.store.hasten(hold.id)).type, 'moved');
      const [looked] = await world.claimUncertain();
      await world.settles(holdOf(looked!), { to: 'done', cause: 'found', result: null }, 'done');
      same(await world.store.hasten(hold.id), { type: 'refused', state: 'done' });
      same(await world.store.hasten('none'), { type: 'refused', state: null });
      await world.add(['first', 'second'], { orderingKey: 'o', dueInMs: MINUTE });
      await world.store.hasten(world.id('second'));
      same(await world.claim(), []);
    },
  },
  {
    name: 'all that was put off of a partition is brought forward, step by step; what its maker or a failure put off is not',
    async run(world) {
      const partition = 'p0&p1';
      await world.add(['k1', 'k2', 'k3', 'failed', 'doubt'], { partition });
      await world.add(['elsewhere'], { partition: 'p0&p10' });
      await world.add(['scheduled'], { partition, dueInMs: 90 * MINUTE });
      for (const { operation } of await world.claim(10)) {
        const hold = { id: operation.id, fence: operation.fence };
        if (hold.id === world.id('doubt')) {
          await world.store.recordRequest(hold, request());
          await world.settles(hold, { to: 'uncertain', cause: 'outcome-unknown', checkInMs: 0, error: null }, 'uncertain'); // prettier-ignore
        } else await world.settles(hold, later(60 * MINUTE, hold.id === world.id('failed') ? 'retry' : 'rescheduled'), 'waiting'); // prettier-ignore
      }
      const postponed = { to: 'uncertain', cause: 'rescheduled', checkInMs: 60 * MINUTE, error: null } as const;
      await world.settles(holdOf((await world.claimUncertain())[0]!), postponed, 'uncertain');
      let count = 0;
      let after: string | null = null;
      for (let steps = 0; steps < 20; steps += 1) {
        const hastened = await world.store.hastenAll({ provider: 'crm', partition: 'p1', after, limit: 2 });
        count += hastened.count;
        after = hastened.next;
        if (after === null) break;
      }
      same([count, after], [4, null]);
      same(world.keys(await world.claim(10)).sort(), ['k1', 'k2', 'k3']); // prettier-ignore
      same(world.keys(await world.claimUncertain(10)), ['doubt']);
      const whole = await world.store.hastenAll({ provider: 'crm', partition: null, after: null, limit: 100 });
      assert.equal(whole.count, 1);
      same(world.keys(await world.claim(10)), ['elsewhere']);
      assert.equal((await world.store.hastenAll({ provider: 'erp', partition: null, after: null, limit: 9 })).count, 0);
    },
  },
  {
    name: 'one whose ordering key is taken waits for it, also when it is driven again',
    async run(world) {
      await world.add(['o1', 'o2'], { orderingKey: 'o' });
      await world.settles(await world.claimOne(), dead, 'dead');
      const [second] = await world.claim();
      assert.equal(second?.operation.id, world.id('o2'));
      const again = await world.store.redrive(world.id('o1'), { owner: 'caller', leaseMs: LEASE });
      assert.equal(again.state, 'queued');
      same(await world.claim(), []);
      await world.done(holdOf(second));
      same(world.keys(await world.claim()), ['o1']);
    },
  },
];
