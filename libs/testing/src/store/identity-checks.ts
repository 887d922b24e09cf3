import assert from 'node:assert/strict';
import { type Check, request, same } from './world.js';

export const identityChecks: readonly Check[] = [
  {
    name: 'the same id is the same operation: made once, then found, with other arguments a conflict',
    async run(world) {
      await world.add(['k']);
      const again = await world.store.create(world.input('k', { payload: '"other"' }));
      assert.equal(again.type, 'existing');
      assert.equal(again.operation.payload, '{"key":"k"}');
      const other = await world.store.create(world.input('k', { fingerprint: 'f2' }));
      assert.equal(other.type, 'conflict');
      assert.equal(other.operation.fingerprint, 'f1');
      assert.equal((await world.claim(10)).length, 1);
    },
  },
  {
    name: 'case 134: of many who make the same operation at once, over two connections, one makes it',
    async run(world) {
      const other = await world.open();
      const input = world.input('k', { start: { owner: 'caller', leaseMs: 1_000 } });
      const all = await Promise.all(
        Array.from({ length: 40 }, (_, index) => (index % 2 ? world.store : other).create(input)),
      );
      assert.equal(all.filter(({ type }) => type === 'created').length, 1);
      assert.equal(all.filter(({ type }) => type === 'existing').length, 39);
    },
  },
  {
    name: 'an operation comes back as it was made, whatever its texts hold',
    async run(world) {
      const payload = JSON.stringify({ key: 'k', text: 'ä€😀\u0000"\\', nested: [null, 1.5] });
      await world.add(['k'], { payload, tenant: 'tenant ä', partition: 'p1', reference: 'r1', orderingKey: 'o1' });
      const found = await world.get('k');
      same(
        [found.payload, found.tenant, found.partition, found.reference, found.orderingKey, found.state, found.cause],
        [payload, 'tenant ä', 'p1', 'r1', 'o1', 'queued', 'created'],
      );
      same([found.createdAtMs, found.attempts, found.deliveries], [world.clock.wallMs(), 0, 0]);
      assert.equal(await world.store.get('none'), null);
    },
  },
  {
    name: 'law 8: what was acknowledged is there after a restart: operations, requests, bytes, positions',
    async run(world) {
      const hold = await world.start('k');
      await world.store.recordRequest(hold, request({ providerKey: 'key-1', repeatableForMs: 60_000 }));
      await world.store.checkpoint(hold, 'page 7');
      await world.add(['queued']);
      await world.restart();
      const found = await world.get('k');
      same([found.state, found.checkpoint, found.fence], ['running', 'page 7', hold.fence]);
      const [stored] = await world.store.requests(hold.id);
      assert.ok(stored, 'the request is gone');
      same([...(stored.body ?? [])], [1, 0, 255]);
      same([stored.providerKey, stored.state, stored.sends], ['key-1', 'sent', 1]);
      await world.isIn('queued', 'queued');
    },
  },
  {
    name: 'what is begun where it is made is held at once, and handed out to nobody else',
    async run(world) {
      const hold = await world.start('k');
      same(await world.claim(10), []);
      await world.isIn('k', 'running', 'started');
      await world.settles(hold, { to: 'done', cause: 'completed', result: '{"id":7}' }, 'done');
      assert.equal((await world.get('k')).result, '{"id":7}');
    },
  },
  {
    name: 'what ended is forgotten after its time and not before; what is open is never forgotten',
    async run(world) {
      await world.add(['short'], { keepMs: 1_000 });
      await world.done(await world.claimOne());
      await world.add(['open']);
      await world.clock.advance(999);
      await world.store.purge(100);
      await world.isIn('short', 'done');
      await world.clock.advance(1);
      assert.equal(await world.store.purge(100), 1);
      assert.equal(await world.store.get(world.id('short')), null);
      await world.clock.advance(400 * 86_400_000);
      assert.equal(await world.store.purge(100), 0);
      await world.isIn('open', 'queued');
      // Its line must have survived as well.
      same(world.keys(await world.claim(2)), ['open']);
    },
  },
  {
    name: 'law 2: used amounts are kept for their time, replaced by newer ones, and each provider has its own',
    async run(world) {
      await world.store.saveUsed('crm', [{ key: 'day', value: '17' }, { key: 'month', value: '100' }], 60_000); // prettier-ignore
      await world.store.saveUsed('crm', [{ key: 'day', value: '18' }], 120_000);
      await world.restart();
      same(await world.store.loadUsed('crm'), [
        { key: 'day', value: '18' },
        { key: 'month', value: '100' },
      ]);
      same(await world.store.loadUsed('erp'), []);
      await world.clock.advance(60_000);
      same(await world.store.loadUsed('crm'), [{ key: 'day', value: '18' }]);
    },
  },
];
