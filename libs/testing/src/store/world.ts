import assert from 'node:assert/strict';
import {
  type Claimed,
  type Clock,
  type CreateOperation,
  type Ending,
  type Hold,
  operationId,
  type Operation,
  type OperationState,
  type OperationStore,
  type RequestRecord,
} from '../../../core/src/index.js';
import { VirtualClock } from '../virtual-clock.js';

/** One place where operations are kept, which any number of connections may open. */
export interface StoreUnderTest {
  /**
   * A connection of its own to the same data: another process, or the same one after a restart. The clock is one that the
   * checks move: a store with a clock of its own must take this one for the test.
   */
  open(env: { readonly clock: Clock }): Promise<OperationStore>;
  /** Takes away what is kept, after all connections are closed. */
  destroy(): Promise<void>;
}

export type MakeStore = () => Promise<StoreUnderTest>;

export interface Check {
  readonly name: string;
  run(world: World): Promise<void>;
}

export const MINUTE = 60_000;
export const LEASE = MINUTE;
const PROVIDER = 'crm';

/** What a check needs: a store, a clock and short words for what is done with them. */
export class World {
  readonly clock = new VirtualClock();
  private readonly opened: OperationStore[] = [];

  private constructor(
    private readonly underTest: StoreUnderTest,
    /** The connection that most checks use. */
    public store: OperationStore,
  ) {}

  static async begin(underTest: StoreUnderTest): Promise<World> {
    const world = new World(underTest, undefined as never);
    world.store = await world.open();
    return world;
  }

  async open(): Promise<OperationStore> {
    const store = await this.underTest.open({ clock: this.clock });
    this.opened.push(store);
    return store;
  }

  /** As after a restart: the connection is closed, and another one opened. */
  async restart(): Promise<void> {
    await this.store.close();
    this.store = await this.open();
  }

  async end(): Promise<void> {
    await Promise.all(this.opened.map((store) => store.close()));
    await this.underTest.destroy();
  }

  id(key: string): string {
    return operationId(PROVIDER, 'Invoices.create', key);
  }

  input(key: string, more: Partial<CreateOperation> = {}): CreateOperation {
    return {
      id: this.id(key),
      provider: PROVIDER,
      name: 'Invoices.create',
      fingerprint: 'f1',
      lane: 'background',
      tenant: 'a',
      partition: '',
      orderingKey: null,
      reference: null,
      payload: `{"key":${JSON.stringify(key)}}`,
      start: null,
      dueInMs: 0,
      keepMs: null,
      bounds: null,
      ...more,
    };
  }

  /** Creates operations, one after the other. */
  async add(keys: readonly string[], more: Partial<CreateOperation> = {}): Promise<void> {
    for (const key of keys) {
      const created = await this.store.create(this.input(key, more));
      assert.equal(created.type, 'created', `${key} was not created`);
    }
  }

  /** Makes an operation that this owner holds at once. */
  async start(key: string, more: Partial<CreateOperation> = {}): Promise<Hold> {
    const created = await this.store.create(this.input(key, { start: { owner: 'caller', leaseMs: LEASE }, ...more }));
    assert.equal(created.type, 'created');
    return { id: this.id(key), fence: created.fence };
  }

  async claim(limit = 1, store = this.store, owner = 'worker'): Promise<readonly Claimed[]> {
    const { claimed } = await store.claim({ provider: PROVIDER, owner, leaseMs: LEASE, limit, lanes: LANES });
    return claimed;
  }

  async claimUncertain(limit = 1, store = this.store): Promise<readonly Claimed[]> {
    const request = { provider: PROVIDER, owner: 'reconciler', leaseMs: LEASE, limit };
    return (await store.claimUncertain(request)).claimed;
  }

  /** The keys of what was handed out, in order. */
  keys(claimed: readonly Claimed[]): string[] {
    return claimed.map(({ operation }) => (JSON.parse(operation.payload!) as { key: string }).key);
  }

  async claimOne(): Promise<Hold> {
    const [claimed] = await this.claim();
    assert.ok(claimed, 'nothing was handed out');
    return holdOf(claimed);
  }

  async done(hold: Hold): Promise<void> {
    await this.settles(hold, { to: 'done', cause: 'completed', result: null }, 'done');
  }

  async settles(hold: Hold, ending: Ending, state: OperationState): Promise<void> {
    const settled = await this.store.settle(hold, ending);
    same([settled.type, settled.state], ['settled', state]);
  }

  async get(key: string): Promise<Operation> {
    const operation = await this.store.get(this.id(key));
    assert.ok(operation, `operation ${key} is gone`);
    return operation;
  }

  async isIn(key: string, state: OperationState, cause?: string): Promise<void> {
    const operation = await this.get(key);
    assert.equal(operation.state, state);
    if (cause !== undefined) assert.equal(operation.cause, cause);
  }
}

export const LANES = ['interactive', 'background'];

export async function withWorld(makeStore: MakeStore, run: (world: World) => Promise<void>): Promise<void> {
  const world = await World.begin(await makeStore());
  try {
    await run(world);
  } finally {
    await world.end();
  }
}

export function holdOf({ operation }: Claimed): Hold {
  return { id: operation.id, fence: operation.fence };
}

/** A write without a key, unless it is said otherwise. */
export function request(more: Partial<RequestRecord> = {}): RequestRecord {
  return {
    step: 'POST /invoices 0',
    method: 'POST',
    route: 'invoices',
    providerKey: null,
    bodyHash: 'h1',
    body: new Uint8Array([1, 0, 255]),
    contentType: 'application/octet-stream',
    repeatableForMs: 0,
    ...more,
  };
}

export const give = { to: 'queued', cause: 'given-back' } as const;

export function later(dueInMs: number, cause: 'rescheduled' | 'retry' = 'rescheduled'): Ending {
  return { to: 'waiting', cause, dueInMs, error: null };
}

/** Equal as data. What comes from another thread has its prototypes from elsewhere, in some test runners. */
export function same(actual: unknown, expected: unknown, message?: string): void {
  assert.deepEqual(plain(actual), plain(expected), message);
}

function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value)) as unknown;
}
