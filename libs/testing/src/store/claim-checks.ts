import assert from 'node:assert/strict';
import { type Check, give, holdOf, LANES, later, LEASE, same } from './world.js';

export const claimChecks: readonly Check[] = [
  {
    name: 'each operation is handed out once, however many workers on two connections ask at once',
    async run(world) {
      const other = await world.open();
      const keys = Array.from({ length: 60 }, (_, index) => `k${index}`);
      await Promise.all(keys.map((key, at) => world.store.create(world.input(key, { tenant: `t${at % 4}` }))));
      const claims = await Promise.all(
        Array.from({ length: 30 }, (_, index) => world.claim(3, index % 2 ? world.store : other, `w${index}`)),
      );
      const handed = claims.flatMap((claimed) => world.keys(claimed));
      assert.equal(handed.length, 60);
      same([...new Set(handed)].sort(), [...keys].sort());
    },
  },
  {
    name: 'the most urgent lane goes first, and lanes that are not named go last',
    async run(world) {
      await world.add(['u'], { lane: 'unnamed' });
      await world.add(['b'], { lane: 'background' });
      await world.add(['i'], { lane: 'interactive' });
      same(world.keys(await world.claim(1)), ['i']);
      same(world.keys(await world.claim(5)), ['b', 'u']);
    },
  },
  {
    name: 'within a lane tenants take turns, each with its oldest first, over one claim and over many',
    async run(world) {
      await world.add(['a1', 'a2', 'a3', 'a4', 'a5'], { tenant: 'a' });
      await world.add(['b1', 'b2'], { tenant: 'b' });
      await world.add(['c1'], { tenant: '' });
      const order = [
        ...world.keys(await world.claim(4)),
        ...world.keys(await world.claim(1)),
        ...world.keys(await world.claim(10)),
      ];
      for (const tenant of ['a', 'b', 'c']) {
        const own = order.filter((key) => key.startsWith(tenant));
        same(own, [...own].sort(), 'a tenant is not served oldest first');
      }
      same(order.slice(0, 3).map((key) => key[0]).sort(), ['a', 'b', 'c']); // prettier-ignore
      same(order.slice(3, 5).map((key) => key[0]).sort(), ['a', 'b']); // prettier-ignore
      assert.equal(order.length, 8);
    },
  },
  {
    name: 'law 11: a tenant with much work holds up nobody: who comes later is next but one',
    async run(world) {
      await world.add(Array.from({ length: 50 }, (_, index) => `a${index}`), { tenant: 'a' }); // prettier-ignore
      await world.claim(7);
      await world.add(['late'], { tenant: 'b' });
      assert.ok(world.keys(await world.claim(2)).includes('late'));
    },
  },
  {
    name: 'law 11: much that falls due of one tenant at once holds up nothing that falls due of another after it',
    async run(world) {
      const keys = Array.from({ length: 450 }, (_, index) => `a${index}`);
      await Promise.all(keys.map((key) => world.store.create(world.input(key, { tenant: 'a', dueInMs: 1_000 }))));
      await world.add(['b1'], { tenant: 'b', dueInMs: 1_001 });
      await world.clock.advance(1_001);
      same(world.keys(await world.claim(2)).map((key) => key[0]).sort(), ['a', 'b']); // prettier-ignore
      let rest = 0;
      for (let took = 1; took > 0; rest += took) took = (await world.claim(100)).length;
      assert.equal(rest, 449);
    },
  },
  {
    name: 'one provider never sees the work of another',
    async run(world) {
      await world.add(['k']);
      await world.store.create({ ...world.input('e'), id: 'other', provider: 'erp' });
      const { claimed } = await world.store.claim({ provider: 'erp', owner: 'w', leaseMs: 1, limit: 9, lanes: LANES });
      same(claimed.map(({ operation }) => operation.provider), ['erp']); // prettier-ignore
    },
  },
  {
    name: 'what is to wait is handed out at its time and not before, and the claim says when that is',
    async run(world) {
      await world.add(['k'], { dueInMs: 5_000 });
      const request = { provider: 'crm', owner: 'w', leaseMs: LEASE, limit: 1, lanes: LANES };
      const early = await world.store.claim(request);
      same([early.claimed.length, early.nextInMs], [0, 5_000]);
      await world.clock.advance(4_999);
      assert.equal((await world.claim()).length, 0);
      await world.clock.advance(1);
      assert.equal((await world.claim()).length, 1);
    },
  },
  {
    name: 'case 12: what is due in thirty days is not run before',
    async run(world) {
      await world.add(['k']);
      await world.settles(await world.claimOne(), later(30 * 86_400_000), 'waiting');
      await world.clock.advance(3_600_000);
      assert.equal((await world.claim()).length, 0);
      await world.clock.advance(30 * 86_400_000 - 3_600_000);
      assert.equal((await world.claim()).length, 1);
    },
  },
  {
    name: 'case 85, 87: one that always fails starves nobody: what is fresh is done while it waits',
    async run(world) {
      await world.add(['bad', ...Array.from({ length: 10 }, (_, index) => `k${index}`)]);
      await world.settles(await world.claimOne(), later(1_000, 'retry'), 'waiting');
      const keys = world.keys(await world.claim(50));
      assert.equal(keys.length, 10);
      assert.ok(!keys.includes('bad'));
      assert.equal((await world.get('bad')).attempts, 1);
    },
  },
  {
    name: 'a reschedule burns no attempt, a retry burns one',
    async run(world) {
      await world.add(['k']);
      await world.settles(await world.claimOne(), later(0), 'waiting');
      assert.equal((await world.get('k')).attempts, 0);
      await world.settles(await world.claimOne(), later(0, 'retry'), 'waiting');
      assert.equal((await world.get('k')).attempts, 1);
    },
  },
  {
    name: 'one that is handed out three times and never brought back is dead at the fourth, and the claim tells so once',
    async run(world) {
      await world.add(['k', 'next']);
      for (let delivery = 1; delivery <= 3; delivery += 1) {
        const hold = await world.claimOne();
        assert.equal(hold.id, world.id('k'));
        assert.equal((await world.get('k')).deliveries, delivery);
        await world.clock.advance(LEASE);
        await world.store.recover(10);
      }
      const request = { provider: 'crm', owner: 'w', leaseMs: LEASE, limit: 1, lanes: LANES };
      const { claimed, moved } = await world.store.claim(request);
      same(world.keys(claimed), ['next']);
      same(moved.map(({ id, to, cause }) => [id, to, cause]), [[world.id('k'), 'dead', 'deliveries-exhausted']]); // prettier-ignore
      same((await world.store.claim(request)).moved, []);
    },
  },
  {
    name: 'what a shutdown gives back is no delivery, and what waits in good order may be handed out for ever',
    async run(world) {
      await world.add(['k']);
      for (let round = 0; round < 6; round += 1) await world.settles(await world.claimOne(), give, 'queued');
      assert.equal((await world.get('k')).deliveries, 0);
      for (let round = 0; round < 6; round += 1) await world.settles(await world.claimOne(), later(0), 'waiting');
      await world.done(await world.claimOne());
    },
  },
  {
    name: 'work of one ordering key runs one by one in the order of its making, through waits, deaths and crashes',
    async run(world) {
      await world.add(['o1', 'o2', 'o3', 'o4'], { orderingKey: 'contact-17' });
      await world.add(['free'], { tenant: 'b' });
      const first = await world.claim(10);
      same(world.keys(first).sort(), ['free', 'o1']);
      const o1 = first.find(({ operation }) => operation.orderingKey !== null)!;
      await world.settles(holdOf(o1), later(1_000), 'waiting');
      same(await world.claim(10), [], 'the second overtook the first while it waited');
      await world.clock.advance(1_000);
      same(world.keys(await world.claim(10)), ['o1']);
      await world.clock.advance(LEASE);
      await world.store.recover(10);
      const again = await world.claim(10);
      assert.ok(world.keys(again).includes('o1') && !world.keys(again).includes('o2'));
      await world.done(holdOf(again.find(({ operation }) => operation.id === world.id('o1'))!));
      const [second] = await world.claim(10);
      assert.equal(second?.operation.id, world.id('o2'));
      await world.settles(holdOf(second), { to: 'dead', cause: 'rejected', error: null }, 'dead');
      await world.store.discard(world.id('o3'), 'no longer wanted');
      same(world.keys(await world.claim(10)), ['o4']);
    },
  },
  {
    name: 'one that is begun where it is made waits for its ordering key all the same',
    async run(world) {
      await world.add(['o1'], { orderingKey: 'o' });
      const start = { owner: 'caller', leaseMs: LEASE };
      const created = await world.store.create(world.input('o2', { orderingKey: 'o', start }));
      same(created, { type: 'created', state: 'queued', fence: 0 });
    },
  },
];
