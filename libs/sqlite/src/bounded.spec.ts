import type { CreateOperation, OperationStore } from '../../core/src/index.js';
import { CLAIM, inputOf, openRaw, withStore } from './store.fixture.js';

const MANY = 1_000;

async function makeMany(store: OperationStore, more: Partial<CreateOperation> = {}): Promise<void> {
  await Promise.all(Array.from({ length: MANY }, (_, at) => store.create(inputOf(`k${at}`, more))));
}

describe('however much there is to do, others have their turn', () => {
  it.each<readonly [what: string, ask: (store: OperationStore) => Promise<unknown>, expected: unknown]>([
    ['a purge', (store) => store.purge(MANY), MANY],
    ['a flush', async (store) => (await store.flush({ provider: 'crm', partition: null, olderThanMs: 0, limit: MANY })).length, MANY],
    ['a recovery', async (store) => (await store.recover(MANY)).length, MANY],
    ['a page', async (store) => (await store.list({ limit: MANY })).operations.length, MANY],
  ])('%s of a thousand is done in bites: what is asked after it began is answered before it ends', async (what, ask, expected) => {
    await withStore(
      async ({ store, clock }) => {
        const held = what === 'a recovery' || what === 'a purge';
        await makeMany(store, held ? { start: { owner: 'w', leaseMs: 1_000 } } : {});
        if (what === 'a purge') {
          const end = (at: number) => store.settle({ id: inputOf(`k${at}`).id, fence: 1 }, { to: 'done', cause: 'completed', result: null });
          await Promise.all(Array.from({ length: MANY }, (_, at) => end(at)));
        }
        await clock.advance(5_000);
        let ended = false;
        const much = ask(store).finally(() => (ended = true));
        await store.get(inputOf('k1').id);
        await new Promise((resolve) => setImmediate(resolve));
        expect(ended).toBe(false);
        expect(await much).toBe(expected);
      },
      { keepDoneMs: 5_000 },
    );
  }); // prettier-ignore

  it('a page in bites is one page: the next goes on behind it, and the last says that it is', async () => {
    await withStore(async ({ store }) => {
      await makeMany(store);
      const ids: string[] = [];
      const sizes: number[] = [];
      let after: string | null = null;
      do {
        const page = await store.list({ limit: 450, after });
        ids.push(...page.operations.map(({ id }) => id));
        sizes.push(page.operations.length);
        after = page.next;
      } while (after !== null);
      expect(sizes).toEqual([450, 450, 100]);
      expect(ids).toEqual(Array.from({ length: MANY }, (_, at) => inputOf(`k${at}`).id));
    });
  });

  it('a flush looks at a long queue in parts, and finds what is at its end', async () => {
    await withStore(async ({ store }) => {
      const make = (at: number) => store.create(inputOf(`k${at}`, { partition: at < 4_500 ? 'a' : 'b', dueInMs: at % 2 }));
      await Promise.all(Array.from({ length: 4_600 }, (_, at) => make(at)));
      const flush = async (limit: number) => (await store.flush({ provider: 'crm', partition: 'b', olderThanMs: 0, limit })).length;
      expect([await flush(30), await flush(1_000), await flush(1_000)]).toEqual([30, 70, 0]);
      expect((await store.counts()).counts.map(({ state, count }) => [state, count])).toEqual(
        expect.arrayContaining([['queued', 2_250], ['waiting', 2_250], ['dead', 100]]),
      );
    });
  }); // prettier-ignore

  it('a claim makes no more than 500 of what fell due ready, and claim after claim hands out all of it', async () => {
    await withStore(async ({ store, clock, path }) => {
      const make = (at: number) => store.create(inputOf(`k${at}`, { tenant: `t${at % 20}`, dueInMs: 1_000 }));
      await Promise.all(Array.from({ length: MANY }, (_, at) => make(at)));
      await clock.advance(1_000);
      const first = await store.claim({ ...CLAIM, limit: 20 });
      expect([first.claimed.length, first.nextInMs]).toEqual([20, 0]);
      const raw = openRaw(path);
      expect(raw.get("SELECT COUNT(*) AS count FROM operations WHERE state = 'waiting' AND due_at IS NULL")).toEqual({ count: 480 });
      raw.close();
      let taken = 20;
      for (;;) {
        const { claimed, nextInMs } = await store.claim({ ...CLAIM, limit: 100 });
        taken += claimed.length;
        if (nextInMs !== 0) break;
      }
      expect(taken).toBe(MANY);
    });
  }); // prettier-ignore
});
