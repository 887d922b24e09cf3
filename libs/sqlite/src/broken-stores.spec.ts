/** The conformance checks find what is wrong with a store: each of these is broken in one way, and named checks fail for it. */
import type { OperationStore } from '../../core/src/index.js';
import { storeConformance } from '../../testing/src/index.js';
import { makeStore } from './store.fixture.js';

type Break = (store: OperationStore) => Partial<OperationStore>;

const broken: readonly (readonly [what: string, breaks: Break, check: RegExp])[] = [
  [
    'says that it took what it has not stored',
    (store) => ({
      create: async (input) =>
        input.start === null ? { type: 'created', state: 'queued', fence: 0 } : store.create(input),
    }),
    /law 8: what was acknowledged is there after a restart/,
  ],
  [
    'stores what it says it has refused',
    (store) => ({
      async create(input) {
        const bounds = { perLane: 1e6, perTenant: 1e6 };
        const created = await store.create(input);
        if (created.type === 'refused' && created.of !== 'payload') await store.create({ ...input, bounds });
        return created;
      },
    }),
    /a tenant over its bound is refused/,
  ],
  [
    'loses the reply of an end and says it has not happened',
    (store) => ({
      async settle(hold, ending) {
        const settled = await store.settle(hold, ending);
        return ending.to === 'done' ? { type: 'stale', state: 'running' } : settled;
      },
    }),
    /what is begun where it is made is held at once/,
  ],
  [
    'hands out twice what it handed out',
    (store) => {
      let last: Awaited<ReturnType<OperationStore['claim']>>['claimed'] = [];
      return {
        async claim(request) {
          const reply = await store.claim(request);
          const claimed = reply.claimed.length === 0 ? last : reply.claimed;
          last = reply.claimed;
          return { ...reply, claimed };
        },
      };
    },
    /what is to wait is handed out at its time|handed out once|a shutdown gives back|one that is handed out three times/,
  ],
  [
    'hands out the youngest first',
    (store) => ({
      async claim(request) {
        const reply = await store.claim(request);
        return { ...reply, claimed: [...reply.claimed].reverse() };
      },
    }),
    /within a lane tenants take turns/,
  ],
  [
    'knows no lanes',
    (store) => ({ claim: (request) => store.claim({ ...request, lanes: ['unnamed', 'background'] }) }),
    /the most urgent lane goes first/,
  ],
  [
    'forgets the fence',
    (store) => ({
      async settle(hold, ending) {
        const fence = (await store.get(hold.id))?.fence ?? hold.fence;
        return store.settle({ ...hold, fence }, ending);
      },
    }),
    /who lost its lease changes nothing any more/,
  ],
  [
    'renews for whoever asks',
    (store) => ({ renew: async (holds, leaseMs) => (await store.renew(holds, leaseMs), []) }),
    /case 90: a lease that is renewed/,
  ],
  [
    'forgets how often it handed out',
    (store) => ({
      async recover(limit) {
        const moved = await store.recover(limit);
        for (const { id, to } of moved) {
          if (to !== 'queued') continue;
          const operation = (await store.get(id))!;
          const { claimed } = await store.claim({ provider: operation.provider, owner: 'x', leaseMs: 60_000, limit: 1, lanes: [] }); // prettier-ignore
          for (const entry of claimed) await store.settle(entry.operation, { to: 'waiting', cause: 'rescheduled', dueInMs: 0, error: null }); // prettier-ignore
        }
        return moved;
      },
    }),
    /one that is handed out three times and never brought back is dead/,
  ],
  [
    'takes back leases that have not ended',
    (store) => ({
      async recover(limit) {
        const moved = [...(await store.recover(limit))];
        for (const { id, fence, state } of (await store.list({ state: 'running', limit: 100 })).operations) {
          await store.settle({ id, fence }, { to: 'queued', cause: 'given-back' });
          moved.push({ id, provider: 'crm', name: '', from: state, to: 'queued', cause: 'lease-expired' });
        }
        return moved;
      },
    }),
    /nothing that is held in time is taken back/,
  ],
  [
    'keeps nothing of what was sent',
    (store) => ({
      async recordRequest(hold, request) {
        const recorded = await store.recordRequest(hold, request);
        if (recorded.type === 'recorded') await store.recordAnswer(hold, request.step, { type: 'not-done', status: null }); // prettier-ignore
        return recorded;
      },
    }),
    /law 7: an unkeyed write that was not answered is not recorded for a second send/,
  ],
  [
    'sends new bytes under the old key',
    (store) => ({
      async recordRequest(hold, request) {
        const recorded = await store.recordRequest(hold, request);
        return recorded.type === 'recorded' ? { ...recorded, request: { ...recorded.request, body: request.body } } : recorded; // prettier-ignore
      },
    }),
    /law 7: a keyed repeat gets the key and the bytes of the first send/,
  ],
  [
    'believes the first absence',
    (store) => ({
      settle: (hold, ending) => store.settle(hold, ending.to === 'absent' ? { ...ending, settleMs: 0 } : ending),
    }),
    /law 7: it is sent again only when it was absent twice/,
  ],
  [
    'gives up what may have happened',
    (store) => ({
      async recover(limit) {
        const moved = await store.recover(limit);
        for (const { id, to } of moved) {
          if (to !== 'uncertain') continue;
          await store.discard(id, 'x');
        }
        return moved;
      },
    }),
    /law 7: after a crash an unanswered unkeyed write is uncertain/,
  ],
  [
    'loses what is open when it is closed',
    (store) => {
      let isOpen = true;
      return {
        async close() {
          const queued = isOpen ? (await store.list({ state: 'queued', limit: 1_000 })).operations : [];
          isOpen = false;
          for (const { id } of queued) await store.discard(id, 'x');
          await store.close();
        },
      };
    },
    /law 8: what was acknowledged is there after a restart/,
  ],
  [
    'forgets what is done at once',
    (store) => ({
      create: (input) => store.create({ ...input, keepMs: 0 }),
    }),
    /what ended is forgotten after its time and not before/,
  ],
  [
    'keeps credentials in errors',
    (store) => ({
      async get(id) {
        const operation = await store.get(id);
        if (operation?.error == null) return operation;
        return { ...operation, error: { ...operation.error, message: 'Bearer s3cr3t-0123456789' } };
      },
    }),
    /law 12: a stored error is under 8 KB and holds no credential/,
  ],
  [
    'gives one provider the work of another',
    (store) => ({
      claim: (request) => store.claim({ ...request, provider: 'crm' }),
    }),
    /one provider never sees the work of another/,
  ],
];

test.each(broken)('a store that %s does not conform', async (_, breaks, check) => {
  const checks = storeConformance(async () => {
    const made = await makeStore();
    return {
      destroy: made.destroy,
      async open(env) {
        const store = await made.open(env);
        const own = breaks(store);
        // What is not broken is the real store's.
        return new Proxy(store, {
          get(target, name: keyof OperationStore) {
            const method = own[name] ?? target[name];
            return typeof method === 'function' ? method.bind(target) : method;
          },
        });
      },
    };
  }).filter(({ name }) => check.test(name));
  expect(checks.length).toBeGreaterThan(0);
  const failed: string[] = [];
  for (const { name, run } of checks) {
    await run().catch((error: unknown) => {
      // A check that says what is wrong, not one that stumbles.
      expect([name, (error as Error).name]).toEqual([name, 'AssertionError']);
      failed.push(name);
    });
  }
  expect(failed.length).toBeGreaterThan(0);
});
