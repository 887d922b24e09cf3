import { HttpService } from '@nestjs/axios';
import { Injectable } from '@nestjs/common';
import { firstValueFrom } from 'rxjs';
import {
  absent,
  Durable,
  found,
  Idempotent,
  inconclusive,
  InjectProvider,
  type Reconciled,
  Throttled,
} from 'nestjs-sluice';
import { ProviderSimulator } from 'nestjs-sluice/testing';
import { type DurableApp, DurableWorld } from './support/durable-world.js';

let look: () => Reconciled;
/** What became of a request that its method did not wait for. */
let forgotten: Promise<unknown>;

/** An order is written down, paid and confirmed; its payment is an operation of its own. */
@Injectable()
class Shop {
  constructor(@InjectProvider('crm') private readonly http: HttpService) {}

  @Durable({ name: 'order' })
  @Throttled('crm')
  @Idempotent({ key: (id: string) => `order ${id}` })
  async order(id: string): Promise<unknown> {
    return this.ordered(() => this.pay(id));
  }

  @Durable({ name: 'order with a payment that has no key' })
  @Throttled('crm')
  @Idempotent({ key: (id: string) => `order ${id}` })
  async orderBare(id: string): Promise<unknown> {
    return this.ordered(() => this.payBare(id));
  }

  @Throttled('crm')
  @Idempotent({ key: (id: string) => `order ${id}` })
  async orderByCaller(id: string): Promise<unknown> {
    return this.ordered(() => this.pay(id));
  }

  @Throttled('crm')
  @Idempotent({ key: (id: string) => id, reconcile: 'look' })
  async pay(id: string): Promise<unknown> {
    return this.post('/payments', id);
  }

  @Throttled('crm')
  @Idempotent()
  async payBare(id: string): Promise<unknown> {
    return this.post('/payments', id);
  }

  async look(_id: string): Promise<Reconciled> {
    return look();
  }

  @Throttled('crm')
  @Idempotent({ key: (id: string) => id })
  async forgetful(id: string): Promise<void> {
    forgotten = this.post('/forgotten', id).catch((error: unknown) => error);
  }

  @Durable({ name: 'asks for itself' })
  @Throttled('crm')
  @Idempotent({ key: (id: string) => id })
  async itself(id: string): Promise<unknown> {
    return this.itself(id);
  }

  @Durable({ name: 'asks for itself through another' })
  @Throttled('crm')
  @Idempotent({ key: (id: string) => id })
  async throughAnother(id: string): Promise<unknown> {
    return this.another(id);
  }

  @Throttled('crm')
  @Idempotent({ key: (id: string) => id })
  async another(id: string): Promise<unknown> {
    return this.throughAnother(id);
  }

  private async ordered(pay: () => Promise<unknown>): Promise<unknown> {
    await this.post('/orders', '');
    const payment = await pay();
    await this.post('/mails', '');
    return payment;
  }

  private async post(path: string, id: string): Promise<unknown> {
    return (await firstValueFrom(this.http.post(path, { id }))).data;
  }
}

let world: DurableWorld;
let provider: ProviderSimulator;
let app: DurableApp;
let shop: Shop;

beforeEach(async () => {
  const answer = (): { status: number; body: unknown } => ({ status: 201, body: { number: 7 } });
  provider = new ProviderSimulator({ routes: { 'POST /orders': answer, 'POST /payments': answer, 'POST /mails': answer } }); // prettier-ignore
  world = await DurableWorld.begin(provider);
  app = await world.start({
    providers: [Shop],
    contract: { timeouts: { attempt: '2s' }, reconcile: { settleTime: '10s' }, breaker: false },
    module: { operations: { maxChecks: 2 } },
  });
  shop = app.module.get(Shop);
});
afterEach(() => world.end());

const paymentsAreLost = (when: 'before' | 'after'): void => {
  provider.faults = { applies: ({ path }) => path === '/payments', reset: when };
};
const sent = (): string[] => provider.log.map(({ path }) => path);
const stateOf = async (name: string): Promise<{ id: string; state: string; cause: string } | undefined> =>
  (await world.go(app.operations.list({}))).operations.find((operation) => operation.name === name);
const endOf = async (name: string): Promise<unknown> => {
  const { id } = (await stateOf(name))!;
  const { state, cause, result } = await world.go(app.operations.wait(id, { deadline: '10m' }));
  return { state, cause, result };
};

describe('a durable operation whose operation inside, which has a key, may have happened', () => {
  test('law 7: waits until that is looked up, and is done with what was found; nothing is sent twice', async () => {
    look = () => found({ number: 7 });
    paymentsAreLost('after');
    await expect(world.go(shop.order('1'))).rejects.toMatchObject({ code: 'DEFERRED' });
    expect(await endOf('order')).toEqual({ state: 'done', cause: 'completed', result: { number: 7 } });
    expect(sent()).toEqual(['/orders', '/payments', '/mails']);
  });

  test('law 7: lets that be sent once more where it was absent twice', async () => {
    look = absent;
    paymentsAreLost('before');
    const { id } = await world.go(app.operations.defer(Shop, 'order', ['1']));
    await world.until(() => sent().includes('/payments'));
    provider.faults = {};
    expect(await world.go(app.operations.wait(id, { deadline: '10m' }))).toMatchObject({ state: 'done' });
    expect(sent()).toEqual(['/orders', '/payments', '/payments', '/mails']);
  });

  test('law 8: ends with a person where the lookup could not tell, and is done when that one has settled the other', async () => {
    look = inconclusive;
    paymentsAreLost('after');
    const { id } = await world.go(app.operations.defer(Shop, 'order', ['1']));
    expect(await endOf('order')).toMatchObject({ state: 'dead', cause: 'unresolved' });
    await world.pass(120_000, 1_000);
    const payment = (await stateOf('Shop.pay'))!;
    expect(payment).toMatchObject({ state: 'dead', cause: 'unresolved' });
    await world.go(app.operations.redrive(id));
    expect(await endOf('order')).toMatchObject({ state: 'dead', cause: 'unresolved' });
    await world.go(app.operations.resolve(payment.id, { number: 8 }, 'seen in the list of payments'));
    await world.go(app.operations.redrive(id));
    expect(await endOf('order')).toMatchObject({ state: 'done', result: { number: 8 } });
    expect(sent()).toEqual(['/orders', '/payments', '/mails']);
  });
});

test('law 7: an operation whose operation inside has no key is not run again: that would be another one', async () => {
  paymentsAreLost('after');
  await world.go(app.operations.defer(Shop, 'orderBare', ['1']));
  expect(await endOf('order with a payment that has no key')).toMatchObject({ state: 'dead', cause: 'unresolved' });
  expect(sent()).toEqual(['/orders', '/payments']);
});

test('a request that its method did not wait for, and that had not left, is not sent, and says what to do', async () => {
  await world.go(shop.forgetful('1'));
  expect(await world.go(forgotten)).toMatchObject({
    code: 'OPERATION_IN_PROGRESS',
    message: expect.stringMatching(/has ended, and this request came after.* Await all requests/),
  });
  expect(sent()).toEqual([]);
});

test.each(['itself', 'throughAnother'] as const)(
  'law 8: work that asks for itself (%s) is dead at once, and keeps no worker waiting for it',
  async (method) => {
    const { id } = await world.go(app.operations.defer(Shop, method, ['1']));
    expect(await world.go(app.operations.wait(id, { deadline: '10s' }))).toMatchObject({
      state: 'dead',
      cause: 'rejected',
      error: { code: 'CONFIG', message: expect.stringContaining('asks for itself') },
    });
  },
);

test('an operation that only its caller can run is begun again by who asks again, and given what was found inside', async () => {
  look = () => found({ number: 7 });
  paymentsAreLost('after');
  await expect(world.go(shop.orderByCaller('1'))).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' });
  expect(await stateOf('Shop.orderByCaller')).toMatchObject({ state: 'dead', cause: 'cancelled' });
  await world.pass(5_000);
  expect(await world.go(shop.orderByCaller('1'))).toEqual({ number: 7 });
  expect(sent()).toEqual(['/orders', '/payments', '/mails']);
});
