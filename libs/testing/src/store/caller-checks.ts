import assert from 'node:assert/strict';
import { type Check, give, later, LEASE, request, same } from './world.js';

const withdrawn = { to: 'discarded', cause: 'not-sent', error: null } as const;
const start = { owner: 'caller', leaseMs: LEASE };
const unstored = { payload: null };
const notDone = { type: 'not-done', status: 429 } as const;
const answered = { type: 'answered', status: 201, answer: '{"id":7}' } as const;

/** Work that somebody waits for. */
export const callerChecks: readonly Check[] = [
  {
    name: 'what was given up unsent has ended, holds up nobody, and is begun again by who asks for it',
    async run(world) {
      const bounds = { perTenant: 1, perLane: 1 };
      const hold = await world.start('k', { bounds, orderingKey: 'o' });
      await world.settles(hold, withdrawn, 'discarded');
      await world.isIn('k', 'discarded', 'not-sent');
      const next = await world.start('next', { bounds, orderingKey: 'o' });
      await world.done(next);
      const again = await world.store.redrive(hold.id, start);
      same([again.type, again.state], ['moved', 'running']);
      assert.ok(again.type === 'moved' && again.fence > hold.fence, 'the new fence is not higher');
      assert.equal((await world.store.settle(hold, withdrawn)).type, 'stale');
      await world.done({ id: hold.id, fence: again.fence });
    },
  },
  {
    name: 'what was given up unsent is remembered as long as what is done',
    async run(world) {
      const hold = await world.start('k', { keepMs: 1_000 });
      await world.settles(hold, withdrawn, 'discarded');
      await world.clock.advance(1_000);
      assert.equal(await world.store.purge(10), 1);
      assert.equal(await world.store.get(hold.id), null);
    },
  },
  {
    name: 'what an operator discarded is not begun again by anybody',
    async run(world) {
      await world.add(['k']);
      await world.store.discard(world.id('k'), 'no longer wanted');
      same(await world.store.redrive(world.id('k'), start), { type: 'refused', state: 'discarded' });
      same(await world.store.redrive(world.id('k')), { type: 'refused', state: 'discarded' });
    },
  },
  {
    name: 'law 7: given up unsent after a run that left a write unanswered is uncertain, also where that may be repeated',
    async run(world) {
      for (const [key, repeatableForMs] of [
        ['bare', 0],
        ['keyed', 60 * LEASE],
      ] as const) {
        const hold = await world.start(key);
        await world.store.recordRequest(hold, request({ repeatableForMs }));
        await world.settles(hold, withdrawn, 'uncertain');
      }
    },
  },
  {
    name: 'without a payload nothing is queued: a caller that crashed leaves it unsent, given up or uncertain',
    async run(world) {
      const held = {
        unsent: await world.start('unsent', unstored),
        refused: await world.start('refused', unstored),
        bare: await world.start('bare', unstored),
        keyed: await world.start('keyed', unstored),
        answered: await world.start('answered', unstored),
      };
      for (const key of ['refused', 'bare', 'answered'] as const) await world.store.recordRequest(held[key], request());
      await world.store.recordRequest(held.keyed, request({ repeatableForMs: 60 * LEASE }));
      await world.store.recordAnswer(held.refused, request().step, notDone);
      await world.store.recordAnswer(held.answered, request().step, answered);
      await world.clock.advance(LEASE);
      const moved = await world.store.recover(10);
      same(moved.map(({ to, cause }) => [to, cause]).sort(), [
        ['dead', 'cancelled'],
        ['dead', 'cancelled'],
        ['discarded', 'not-sent'],
        ['discarded', 'not-sent'],
        ['uncertain', 'lease-expired'],
      ]);
      await world.isIn('unsent', 'discarded');
      await world.isIn('refused', 'discarded');
      await world.isIn('bare', 'uncertain');
      await world.isIn('keyed', 'dead');
      await world.isIn('answered', 'dead');
      same(await world.claim(10), []);
      assert.equal((await world.get('unsent')).payload, null);
      same(await world.store.redrive(held.keyed.id), { type: 'refused', state: 'dead' });
      const again = await world.store.redrive(held.keyed.id, start);
      same([again.type, again.state], ['moved', 'running']);
    },
  },
  {
    name: 'without a payload what its holder puts back is given up',
    async run(world) {
      for (const [key, ending] of [
        ['back', give],
        ['later', later(1_000)],
      ] as const) {
        const hold = await world.start(key, unstored);
        await world.settles(hold, ending, 'discarded');
        const sent = await world.start(`${key} sent`, unstored);
        await world.store.recordRequest(sent, request());
        await world.store.recordAnswer(sent, request().step, answered);
        await world.settles(sent, ending, 'dead');
        await world.isIn(`${key} sent`, 'dead', 'cancelled');
      }
      await assert.rejects(world.store.create(world.input('queued', unstored)));
      await assert.rejects(world.store.create(world.input('ordered', { ...unstored, start, orderingKey: 'o' })));
    },
  },
];
