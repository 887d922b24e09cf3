import assert from 'node:assert/strict';
import { type Check, give, holdOf, later, LEASE, request, same } from './world.js';

export const fenceChecks: readonly Check[] = [
  {
    name: 'who lost its lease changes nothing any more, whatever it tries, and is told so',
    async run(world) {
      await world.add(['k']);
      const old = await world.claimOne();
      await world.store.recordRequest(old, request({ repeatableForMs: null }));
      await world.clock.advance(LEASE);
      assert.equal((await world.store.recover(10)).length, 1);
      const [next] = await world.claim();
      assert.ok(next && next.operation.fence > old.fence, 'the new fence is not higher');
      const before = await world.get('k');
      const tries = [
        await world.store.settle(old, { to: 'done', cause: 'completed', result: 'late' }),
        await world.store.settle(old, give),
        await world.store.settle(old, later(0)),
        await world.store.settle(old, { to: 'dead', cause: 'rejected', error: null }),
        await world.store.recordRequest(old, request({ step: 'new' })),
        await world.store.recordAnswer(old, request().step, { type: 'answered', status: 200, answer: null }),
        await world.store.checkpoint(old, 'late'),
      ];
      same(tries.map(({ type }) => type), tries.map(() => 'stale')); // prettier-ignore
      same(await world.store.renew([old], LEASE), [old.id]);
      same(await world.get('k'), before);
      assert.equal((await world.store.requests(old.id)).length, 1);
      assert.equal((await world.store.requests(old.id))[0]?.state, 'sent');
      await world.done(holdOf(next));
      assert.equal((await world.store.settle(holdOf(next), give)).type, 'stale');
    },
  },
  {
    name: 'a lease that was taken back is lost even before anybody else holds it',
    async run(world) {
      await world.add(['k']);
      const hold = await world.claimOne();
      await world.clock.advance(LEASE);
      await world.store.recover(10);
      assert.equal((await world.store.settle(hold, { to: 'done', cause: 'completed', result: null })).type, 'stale');
      await world.isIn('k', 'queued', 'lease-expired');
    },
  },
  {
    name: 'case 90: a lease that is renewed is kept, each on its own, for as long as it is renewed',
    async run(world) {
      await world.add(['k1', 'k2']);
      const [first, second] = (await world.claim(2)).map(holdOf);
      for (let round = 0; round < 4; round += 1) {
        await world.clock.advance(LEASE - 1);
        same(await world.store.renew([first!], LEASE), []);
        await world.store.recover(10);
      }
      await world.isIn('k1', 'running');
      await world.isIn('k2', 'queued', 'lease-expired');
      same(await world.store.renew([first!, second!], LEASE), [second!.id]);
    },
  },
  {
    name: 'nothing that is held in time is taken back, and not more at once than was asked for',
    async run(world) {
      await world.add(['k1', 'k2', 'k3']);
      await world.claim(3);
      await world.clock.advance(LEASE - 1);
      same(await world.store.recover(10), []);
      await world.clock.advance(1);
      const moved = await world.store.recover(2);
      same(moved.map(({ from, to, cause }) => [from, to, cause]), Array(2).fill(['running', 'queued', 'lease-expired'])); // prettier-ignore
      assert.equal((await world.store.recover(10)).length, 1);
    },
  },
  {
    name: 'case 77: of an operation that is gone nothing can be changed, and nothing comes back',
    async run(world) {
      await world.add(['k'], { keepMs: 0 });
      const hold = await world.claimOne();
      await world.done(hold);
      await world.store.purge(10);
      same(await world.store.settle(hold, give), { type: 'stale', state: null });
      same(await world.store.renew([hold], LEASE), [hold.id]);
      same(await world.store.recordRequest(hold, request()), { type: 'stale', state: null });
      await world.store.recover(10);
      same(await world.claim(), []);
    },
  },
  {
    name: 'an end that its state does not allow is an error, and changes nothing',
    async run(world) {
      await world.add(['k']);
      const hold = await world.claimOne();
      const before = await world.get('k');
      await assert.rejects(world.store.settle(hold, { to: 'done', cause: 'found', result: null }));
      await assert.rejects(world.store.settle(hold, { to: 'absent', settleMs: 0, checkInMs: 0 }));
      same(await world.get('k'), before);
      await world.done(hold);
    },
  },
];
