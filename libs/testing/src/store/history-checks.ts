import assert from 'node:assert/strict';
import {
  canMove,
  type Claimed,
  type Ending,
  type Hold,
  isFinal,
  isHeld,
  type Operation,
  type OperationStore,
} from '../../../core/src/index.js';
import { SeededRandom } from '../seeded-random.js';
import { type Check, give, holdOf, later, LEASE, request, type World } from './world.js';

const SEEDS = [1, 2, 3];
const STEPS = 150;
const KEYS = Array.from({ length: 12 }, (_, index) => `k${index}`);

export const historyChecks: readonly Check[] = SEEDS.map((seed) => ({
  name: `law 8: in a random history over two connections nothing is lost, moved illegally or held twice (seed ${seed})`,
  run: (world) => new History(world, seed).run(),
}));

/** Random users of one store; after each step every operation is compared with what it was before. */
class History {
  private readonly random: SeededRandom;
  private readonly holds = new Map<string, Hold>();
  private readonly before = new Map<string, Operation>();

  constructor(
    private readonly world: World,
    seed: number,
  ) {
    this.random = new SeededRandom(seed);
  }

  async run(): Promise<void> {
    const stores = [this.world.store, await this.world.open()];
    for (let step = 0; step < STEPS; step += 1) {
      await this.step(this.pick(stores));
      await this.look();
    }
    await this.endAll();
  }

  private pick<T>(list: readonly T[]): T {
    return list[Math.floor(this.random.next() * list.length)]!;
  }

  private async step(store: OperationStore): Promise<void> {
    const { world } = this;
    const key = this.pick(KEYS);
    const actions = [
      () => store.create(world.input(key, { tenant: key.slice(-1), orderingKey: this.pick([null, 'o']) })),
      async () => this.take(await world.claim(2, store)),
      async () => this.take(await world.claimUncertain(2, store)),
      () => this.withHold(async (hold) => void (await store.recordRequest(hold, request({ repeatableForMs: this.pick([0, null, LEASE]) })))), // prettier-ignore
      () => this.withHold((hold) => this.settle(store, hold)),
      () => this.withHold((hold) => this.settle(store, hold)),
      () => store.recover(5),
      () => world.clock.advance(this.pick([1, 1_000, LEASE])),
      () => store.redrive(world.id(key)),
      () => (this.random.next() < 0.1 ? store.discard(world.id(key), 'x') : null),
    ];
    await this.pick(actions)();
  }

  private take(claimed: readonly Claimed[]): void {
    for (const entry of claimed) {
      const old = this.before.get(entry.operation.id);
      assert.ok(old !== undefined && !isHeld(old.state), 'an operation was handed out while it was held');
      this.holds.set(entry.operation.id, holdOf(entry));
    }
  }

  private async withHold(use: (hold: Hold) => Promise<void>): Promise<void> {
    const hold = this.pick([...this.holds.values()]);
    if (hold !== undefined) await use(hold);
  }

  private async settle(store: OperationStore, hold: Hold): Promise<void> {
    const reconciles = (await store.get(hold.id))?.state === 'reconciling';
    const endings: readonly Ending[] = reconciles
      ? [give, { to: 'absent', settleMs: 1_000, checkInMs: 0 }, { to: 'done', cause: 'found', result: null }]
      : [give, later(1_000), { to: 'done', cause: 'completed', result: null }, { to: 'dead', cause: 'rejected', error: null }]; // prettier-ignore
    const current = this.before.get(hold.id)!;
    const settled = await store.settle(hold, this.pick(endings));
    const valid = isHeld(current.state) && current.fence === hold.fence;
    assert.equal(settled.type, valid ? 'settled' : 'stale');
    if (valid) this.holds.delete(hold.id);
  }

  /** Each operation is where a legal move, or several, may have led it. */
  private async look(): Promise<void> {
    for (const key of KEYS) {
      const id = this.world.id(key);
      const now = await this.world.store.get(id);
      const was = this.before.get(id);
      assert.ok(now !== null || was === undefined, `${key} is lost`);
      if (now === null) continue;
      assert.ok(now.fence >= (was?.fence ?? 0), 'a fence went back');
      assert.equal(now.owner !== null, isHeld(now.state), 'held without an owner, or owned without a hold');
      if (was !== undefined && was.state !== now.state) {
        assert.ok(canMove(was.state, now.state, now.cause), `${was.state} became ${now.state} for ${now.cause}`);
      }
      this.before.set(id, now);
    }
    const { counts } = await this.world.store.counts();
    assert.equal(counts.reduce((sum, { count }) => sum + count, 0), this.before.size, 'the counts are wrong'); // prettier-ignore
  }

  /** Whatever happened, work and time bring every operation to an end. */
  private async endAll(): Promise<void> {
    const { world } = this;
    for (let round = 0; round < 60; round += 1) {
      await world.clock.advance(LEASE);
      await world.store.recover(100);
      for (const entry of await world.claim(100)) await world.done(holdOf(entry));
      for (const entry of await world.claimUncertain(100)) {
        await world.settles(holdOf(entry), { to: 'done', cause: 'found', result: null }, 'done');
      }
    }
    for (const id of this.before.keys()) {
      const state = (await world.store.get(id))!.state;
      assert.ok(isFinal(state), `an operation stays ${state}`);
    }
  }
}
