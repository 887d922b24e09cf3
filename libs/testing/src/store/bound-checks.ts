import assert from 'node:assert/strict';
import { type Check, same } from './world.js';

export const boundChecks: readonly Check[] = [
  {
    name: 'a tenant over its bound is refused, others are not, and an end makes room',
    async run(world) {
      const bounds = { perTenant: 2, perLane: 100 };
      await world.add(['a1', 'a2'], { bounds });
      const refused = await world.store.create(world.input('a3', { bounds }));
      same(refused, { type: 'refused', code: 'QUEUE_FULL', of: 'tenant', limit: 2 });
      assert.equal(await world.store.get(world.id('a3')), null);
      await world.add(['b1'], { bounds, tenant: 'b' });
      await world.add(['i1'], { bounds, lane: 'interactive' });
      assert.equal((await world.store.create(world.input('a1', { bounds }))).type, 'existing');
      for (const { operation } of await world.claim(10)) await world.done(operation);
      await world.add(['a3'], { bounds });
    },
  },
  {
    name: 'a lane over its bound is refused, also where many come at once, and other lanes are not',
    async run(world) {
      const bounds = { perTenant: 100, perLane: 5 };
      const all = await Promise.all(
        Array.from({ length: 12 }, (_, index) =>
          world.store.create(world.input(`k${index}`, { bounds, tenant: `t${index % 3}` })),
        ),
      );
      assert.equal(all.filter(({ type }) => type === 'created').length, 5);
      const refused = all.find(({ type }) => type === 'refused');
      same(refused, { type: 'refused', code: 'QUEUE_FULL', of: 'lane', limit: 5 });
      await world.add(['i'], { bounds, lane: 'interactive' });
    },
  },
  {
    name: 'case 89: what is running can be ended however full the store is',
    async run(world) {
      const bounds = { perTenant: 1, perLane: 1 };
      const hold = await world.start('k', { bounds });
      assert.equal((await world.store.create(world.input('k2', { bounds }))).type, 'refused');
      await world.done(hold);
      await world.add(['k2'], { bounds });
    },
  },
  {
    name: 'arguments that are too large are refused, and nothing is stored',
    async run(world) {
      const refused = await world.store.create(world.input('k', { payload: JSON.stringify('x'.repeat(64_000_000)) }));
      assert.equal(refused.type, 'refused');
      same([refused.code, refused.of], ['PAYLOAD_TOO_LARGE', 'payload']);
      assert.equal(await world.store.get(world.id('k')), null);
    },
  },
  {
    name: 'law 12: a stored error is under 8 KB and holds no credential, whoever stored it',
    async run(world) {
      const hold = await world.start('k');
      const secret = 's3cr3t-0123456789';
      const body = `{"error":"invalid","password":"${secret}","detail":"${'x'.repeat(100_000)}"}`;
      const error = { name: 'AxiosError', message: `Bearer ${secret}`, code: 'E', status: 422, body };
      await world.settles(hold, { to: 'dead', cause: 'rejected', error }, 'dead');
      const stored = (await world.get('k')).error;
      assert.ok(stored, 'the error is gone');
      const text = JSON.stringify(stored);
      assert.ok(!text.includes(secret), 'it holds a credential');
      assert.ok(Buffer.byteLength(text) < 8_192, `it takes ${Buffer.byteLength(text)} bytes`);
      same([stored.status, stored.name], [422, 'AxiosError']);
      assert.ok(stored.body?.startsWith('{"error":"invalid"'), 'it does not say what the provider said');
    },
  },
];
