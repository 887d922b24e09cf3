import { HttpService } from '@nestjs/axios';
import { Injectable } from '@nestjs/common';
import { firstValueFrom } from 'rxjs';
import { Durable, found, Idempotent, InjectProvider, type Reconciled, Throttled } from 'nestjs-sluice';
import { answer, forever, hangAfterExecuting, ProviderSimulator, slow } from 'nestjs-sluice/testing';
import { type DurableApp, DurableWorld } from './support/durable-world.js';

/** Held back until a test lets it go on. */
let looking: Promise<void>;

@Injectable()
class Payments {
  constructor(@InjectProvider('crm') private readonly http: HttpService) {}

  @Durable({ name: 'pay' })
  @Throttled('crm')
  @Idempotent({ key: (id: string) => id, reconcile: 'look' })
  async pay(id: string): Promise<number> {
    return (await firstValueFrom(this.http.post(`/payments/${id}`, {}))).status;
  }

  async look(): Promise<Reconciled> {
    await looking;
    return found(201);
  }
}

let world: DurableWorld;
let provider: ProviderSimulator;
/** A worker's, and an operator's that runs nothing itself. */
let app: DurableApp;

beforeEach(async () => {
  looking = Promise.resolve();
  provider = new ProviderSimulator();
  world = await DurableWorld.begin(provider);
  app = await world.start({
    providers: [Payments],
    contract: { timeouts: { attempt: '20s' }, reconcile: { settleTime: '10s' } },
  });
});
afterEach(() => world.end());

const defer = async (): Promise<string> => (await world.go(app.operations.defer(Payments, 'pay', ['7']))).id;
const isNow = (to: string) => (): boolean => app.events.some((event) => event.type === 'operation' && event.to === to);
const refusal = { code: 'CONFIG', message: expect.stringContaining('nothing was changed') };
const orders = {
  redrive: (id: string) => app.operations.redrive(id),
  discard: (id: string) => app.operations.discard(id, 'not wanted'),
  resolve: (id: string) => app.operations.resolve(id, 1, 'seen'),
  hasten: (id: string) => app.operations.hasten(id),
};

test.each(Object.entries(orders))(
  'law 8: %s of what a worker runs is refused, and that runs to its end',
  async (_, order) => {
    provider.play([slow(5_000)]);
    const id = await defer();
    await world.until(isNow('running'));
    await expect(world.go(order(id))).rejects.toMatchObject(refusal);
    expect(await world.go(app.operations.wait(id))).toMatchObject({ state: 'done', result: 200 });
    expect(provider.log).toHaveLength(1);
  },
);

test.each(Object.entries(orders))(
  'law 7: %s of what is being looked up is refused, and what was found is its end',
  async (_, order) => {
    let found: () => void = () => undefined;
    looking = new Promise((resolve) => (found = resolve));
    provider.play([hangAfterExecuting]);
    const id = await defer();
    await world.until(isNow('reconciling'));
    await expect(world.go(order(id))).rejects.toMatchObject(refusal);
    found();
    expect(await world.go(app.operations.wait(id))).toMatchObject({ state: 'done', cause: 'found' });
    expect(provider.log).toHaveLength(1);
  },
);

test('law 8: of an order and a claim at the same moment one happens: what was discarded is never sent, what was sent is never discarded', async () => {
  provider.play(forever(slow(1_000)));
  const deferred = Array.from({ length: 40 }, (_, each) => app.operations.defer(Payments, 'pay', [`${each}`]));
  const ids = (await world.go(Promise.all(deferred))).map(({ id }) => id);
  const discard = (id: string): Promise<string | null> => app.operations.discard(id, 'not wanted').then(() => id, () => null); // prettier-ignore
  await world.until(() => provider.log.length > 0);
  // Some while the first run, the others in the moment in which those end and the next are claimed.
  const discardAll = (some: readonly string[]) => Promise.all(some.map(discard));
  const meanwhile = discardAll(ids.slice(0, 20));
  const then = new Promise<(string | null)[]>((resolve) => {
    world.clock.schedule(1_000, () => resolve(discardAll(ids.slice(20))));
  });
  const gone = new Set((await world.go(Promise.all([meanwhile, then]))).flat());
  gone.delete(null);
  expect(gone.size).toBeGreaterThan(0);
  expect(gone.size).toBeLessThan(ids.length);
  await world.pass(10_000);
  const { operations } = await world.go(app.operations.list({ provider: 'crm', limit: 100 }));
  expect(operations.map(({ id, state }) => [id, state])).toEqual(ids.map((id) => [id, gone.has(id) ? 'discarded' : 'done'])); // prettier-ignore
  expect(provider.log).toHaveLength(ids.filter((id) => !gone.has(id)).length);
});

test('law 8: two operators who drive one dead letter again begin it once', async () => {
  provider.play([answer(422)]);
  const id = await defer();
  await world.go(app.operations.wait(id));
  const both = await world.go(Promise.allSettled([app.operations.redrive(id), app.operations.redrive(id)]));
  expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  expect(await world.go(app.operations.wait(id))).toMatchObject({ state: 'done' });
  expect(provider.log).toHaveLength(2);
});
