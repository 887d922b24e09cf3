import assert from 'node:assert/strict';
import { type Check, give, holdOf, later, LEASE, request, same } from './world.js';

const keyed = request({ providerKey: 'key-1', repeatableForMs: 10 * LEASE });
const safe = request({ method: 'GET', repeatableForMs: null });

export const requestChecks: readonly Check[] = [
  {
    name: 'law 7: an unkeyed write that was not answered is not recorded for a second send',
    async run(world) {
      const hold = await world.start('k');
      assert.equal((await world.store.recordRequest(hold, request())).type, 'recorded');
      assert.equal((await world.store.recordRequest(hold, request())).type, 'not-repeatable');
      assert.equal((await world.store.requests(hold.id))[0]?.sends, 1);
      assert.equal((await world.store.recordRequest(hold, request({ step: 'other' }))).type, 'recorded');
    },
  },
  {
    name: 'law 7: a keyed repeat gets the key and the bytes of the first send, and none past the retention of its key',
    async run(world) {
      const hold = await world.start('k', { start: { owner: 'caller', leaseMs: 100 * LEASE } });
      await world.store.recordRequest(hold, keyed);
      await world.clock.advance(10 * LEASE - 1);
      const again = await world.store.recordRequest(hold, {
        ...keyed,
        providerKey: 'key-2',
        body: new Uint8Array([9]),
        contentType: 'text/plain',
      });
      assert.equal(again.type, 'recorded');
      const { providerKey, body, contentType, sends } = again.request;
      same([providerKey, [...body!], contentType, sends], ['key-1', [1, 0, 255], 'application/octet-stream', 2]);
      await world.clock.advance(1);
      assert.equal((await world.store.recordRequest(hold, keyed)).type, 'not-repeatable');
      assert.equal((await world.store.requests(hold.id))[0]?.sends, 2);
    },
  },
  {
    name: 'what was answered is not sent again: its answer is there, in the next process too',
    async run(world) {
      await world.add(['k']);
      const hold = await world.claimOne();
      await world.store.recordRequest(hold, request());
      await world.store.recordAnswer(hold, request().step, { type: 'answered', status: 201, answer: '{"id":7}' });
      await world.settles(hold, give, 'queued');
      await world.restart();
      const [claimed] = await world.claim();
      same(claimed?.requests.map(({ state, status, answer }) => [state, status, answer]), [['answered', 201, '{"id":7}']]); // prettier-ignore
      const again = await world.store.recordRequest(holdOf(claimed!), request());
      assert.equal(again.type, 'answered');
      assert.equal(again.request.answer, '{"id":7}');
    },
  },
  {
    name: 'what was refused before it ran, or never left, may be sent again, with its key and what it says then',
    async run(world) {
      const hold = await world.start('k');
      await world.store.recordRequest(hold, keyed);
      await world.store.recordAnswer(hold, keyed.step, { type: 'not-done', status: 400 });
      await world.settles(hold, later(0), 'waiting');
      const next = await world.claimOne();
      const mended = {
        ...keyed,
        providerKey: 'key-2',
        body: new Uint8Array([9]),
        bodyHash: 'h9',
        contentType: 'text/plain',
      };
      const again = await world.store.recordRequest(next, mended);
      assert.equal(again.type, 'recorded');
      const { providerKey, body, bodyHash, contentType, sends } = again.request;
      same([providerKey, [...body!], bodyHash, contentType, sends], ['key-1', [9], 'h9', 'text/plain', 2]);
      // It is a first send: from now on it is repeated as it is.
      const third = await world.store.recordRequest(next, keyed);
      same(third.type === 'recorded' && [...third.request.body!], [9]);
    },
  },
  {
    name: 'law 7: after a crash an unanswered unkeyed write is uncertain, a keyed or safe request goes again',
    async run(world) {
      const cases = { unkeyed: request(), keyed, safe } as const;
      for (const [key, record] of Object.entries(cases)) {
        await world.store.recordRequest(await world.start(key), record);
      }
      await world.start('unsent');
      await world.clock.advance(LEASE);
      await world.restart();
      const moved = await world.store.recover(10);
      assert.equal(moved.length, 4);
      await world.isIn('unkeyed', 'uncertain', 'lease-expired');
      for (const key of ['keyed', 'safe', 'unsent']) await world.isIn(key, 'queued', 'lease-expired');
      same(world.keys(await world.claim(10)).sort(), ['keyed', 'safe', 'unsent']);
    },
  },
  {
    name: 'case 136: a keyed write that lay too long is looked up in place of sent again',
    async run(world) {
      const hold = await world.start('k');
      await world.store.recordRequest(hold, keyed);
      await world.settles(hold, later(0), 'waiting');
      await world.clock.advance(10 * LEASE);
      same(await world.claim(10), []);
      await world.isIn('k', 'uncertain', 'not-repeatable');
      assert.equal((await world.claimUncertain()).length, 1);
    },
  },
  {
    name: 'a worker that gives back or puts off what may have happened makes it uncertain, never runnable',
    async run(world) {
      for (const [key, ending] of [
        ['given', give],
        ['put off', later(0)],
      ] as const) {
        // prettier-ignore
        const hold = await world.start(key);
        await world.store.recordRequest(hold, request());
        await world.settles(hold, ending, 'uncertain');
      }
      same(await world.claim(10), []);
    },
  },
  {
    name: 'an answer to what was never recorded is an error',
    async run(world) {
      const hold = await world.start('k');
      await assert.rejects(world.store.recordAnswer(hold, 'never', { type: 'answered', status: 200, answer: null }));
    },
  },
  {
    name: 'a position is kept with the work, and the next holder goes on from it',
    async run(world) {
      await world.add(['k']);
      const hold = await world.claimOne();
      await world.store.checkpoint(hold, 'page 1');
      await world.store.checkpoint(hold, 'page 2');
      await world.clock.advance(LEASE);
      await world.store.recover(10);
      const [next] = await world.claim();
      assert.equal(next?.operation.checkpoint, 'page 2');
    },
  },
];
