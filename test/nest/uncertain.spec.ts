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
  type OperationsOptions,
  type ProviderOptions,
  type Reconciled,
  Throttled,
} from 'nestjs-sluice';
import { answer, ProviderSimulator, resetAfterExecuting } from 'nestjs-sluice/testing';
import { DurableWorld } from './support/durable-world.js';

let look: () => Reconciled | Promise<Reconciled>;
let looks: number;

@Injectable()
class Crm {
  constructor(@InjectProvider('crm') private readonly http: HttpService) {}

  @Durable({ name: 'pay' })
  @Throttled('crm')
  @Idempotent({ key: (id: string) => id, reconcile: 'look' })
  async pay(id: string): Promise<unknown> {
    return (await firstValueFrom(this.http.post('/payments', { id }))).data;
  }

  @Throttled('crm')
  @Idempotent({ key: (id: string) => id })
  async payUnlooked(id: string): Promise<unknown> {
    return (await firstValueFrom(this.http.post('/payments', { id }))).data;
  }

  @Throttled('crm')
  @Idempotent({ key: (id: string) => id, reconcile: 'look', onUnknown: 'wait' })
  async payWaiting(id: string): Promise<unknown> {
    return (await firstValueFrom(this.http.post('/payments', { id }))).data;
  }

  async look(_id: string): Promise<Reconciled> {
    looks += 1;
    return look();
  }
}

let world: DurableWorld;
let provider: ProviderSimulator;

beforeEach(async () => {
  looks = 0;
  provider = new ProviderSimulator({ routes: { 'POST /payments': () => 201 } });
  provider.play([resetAfterExecuting]);
  world = await DurableWorld.begin(provider);
});
afterEach(() => world.end());

const start = (contract: Partial<ProviderOptions>, operations: OperationsOptions = {}) =>
  world.start({
    providers: [Crm],
    contract: { timeouts: { attempt: '2s', total: '30s' }, ...contract },
    module: { operations },
  });
const unknown = { code: 'OUTCOME_UNKNOWN' };

test('laws 7 and 16: two looks are settleTime apart, though the wall clock was set forward between them', async () => {
  look = absent;
  const app = await start({ reconcile: { settleTime: '10m' } });
  await expect(world.go(app.module.get(Crm).pay('7'))).rejects.toMatchObject(unknown);
  await world.until(() => looks === 1);
  const firstMono = world.clock.monoMs();
  world.clock.stepWall(3_600_000);
  await world.until(() => provider.log.length === 2, 1_200_000);
  expect(world.clock.monoMs() - firstMono).toBeGreaterThanOrEqual(600_000);
});

test('laws 7 and 16: two looks are settleTime apart, though the wall clock was set forward between them and another process has the second', async () => {
  look = absent;
  const app = await start({ reconcile: { settleTime: '10m' } });
  const other = await start({ reconcile: { settleTime: '10m' } });
  await expect(world.go(app.module.get(Crm).pay('7'))).rejects.toMatchObject(unknown);
  await world.until(() => looks === 1);
  const firstMono = world.clock.monoMs();
  const lookedIn = [app, other].find(({ events }) =>
    events.some((e) => e.type === 'operation' && e.to === 'reconciling'),
  );
  await world.stop(lookedIn!.module);
  world.clock.stepWall(3_600_000);
  await world.until(() => provider.log.length === 2, 1_200_000);
  expect(world.clock.monoMs() - firstMono).toBeGreaterThanOrEqual(600_000);
});

test('a person who has to look is told the answer that made it uncertain, where no method looks it up', async () => {
  provider.play([answer(502, {}, 'upstream is away')]);
  const { module, operations } = await start({});
  const lost = world.go(module.get(Crm).payUnlooked('7'));
  const { sluice } = (await lost.catch((error: unknown) => error)) as { sluice: { operationId: string } };
  expect(await world.go(operations.wait(sluice.operationId))).toMatchObject({
    cause: 'unresolved',
    error: {
      message: expect.stringMatching(/^No `reconcile` method looks Crm\.payUnlooked up.* It ended in: .*502/),
      status: 502,
      body: 'upstream is away',
    },
  });
});

test('law 4: a lookup that hangs keeps its place no longer than a call may take, and is made again', async () => {
  look = () => new Promise<never>(() => undefined);
  const app = await start({ reconcile: { settleTime: '10s' } });
  await expect(world.go(app.module.get(Crm).pay('7'))).rejects.toMatchObject(unknown);
  await world.until(() => looks === 2, 60_000);
});

test('law 4: who waits for the lookup is told at the deadline that it is unknown still, and who asks again later gets what was found', async () => {
  look = inconclusive;
  const app = await start({ reconcile: { settleTime: '10s' } });
  const crm = app.module.get(Crm);
  const startMono = world.clock.monoMs();
  const byReconcile = expect.stringContaining('Its `reconcile` method looks it up');
  await expect(world.go(crm.payWaiting('7'))).rejects.toMatchObject({ ...unknown, message: byReconcile });
  const waitedMs = world.clock.monoMs() - startMono;
  expect(waitedMs).toBeGreaterThanOrEqual(29_900);
  expect(waitedMs).toBeLessThan(30_500);
  look = () => found({ number: 7 });
  expect(await world.go(crm.payWaiting('7'))).toEqual({ number: 7 });
  expect(provider.log).toHaveLength(1);
});

test('law 7: a key that went in a header is not left out of a repeat because the contract now wants it in the body', async () => {
  look = inconclusive;
  const once = { retry: { maxAttempts: 1 } };
  const before = await start({ idempotency: { header: 'Idempotency-Key' }, ...once });
  const { id } = await world.go(before.operations.defer(Crm, 'pay', ['7']));
  expect(await world.go(before.operations.wait(id))).toMatchObject({ state: 'dead', cause: 'attempts-exhausted' });
  await world.stop(before.module);
  const { operations } = await start({ idempotency: { bodyField: 'requestId' }, ...once });
  await world.go(operations.redrive(id));
  await world.until(() => looks > 0);
  expect(provider.log).toHaveLength(1);
});

describe('OUTCOME_UNKNOWN says who finds out', () => {
  const told = (call: Promise<unknown>): Promise<unknown> =>
    world.go(
      call.then(
        () => 'a result',
        (error: Error) => error,
      ),
    );
  const unknownWith = (text: string): unknown => expect.objectContaining({ ...unknown, message: expect.stringContaining(text) }); // prettier-ignore
  const byReconcile = 'Its `reconcile` method looks it up';
  const byCaller = 'Look it up at the provider before it is sent again.';

  test('the `reconcile` method, where there is one: to the caller, and to who asks again', async () => {
    look = inconclusive;
    const app = await start({ reconcile: { settleTime: '10m' } });
    const crm = app.module.get(Crm);
    for (const call of [crm.pay('7'), crm.pay('7')]) {
      const error = await told(call);
      expect(error).toEqual(unknownWith(byReconcile));
      expect(error).not.toEqual(unknownWith('before it is sent again'));
    }
    await world.until(() => looks > 0);
    expect(await told(crm.pay('7'))).toEqual(unknownWith(byReconcile));
  });

  test('the caller, where nothing looks it up', async () => {
    const app = await start({});
    const crm = app.module.get(Crm);
    expect(await told(crm.payUnlooked('7'))).toEqual(unknownWith(byCaller));
    expect(await told(crm.payUnlooked('7'))).toEqual(unknownWith(byCaller));
  });

  test('a person, where the lookup did not', async () => {
    look = inconclusive;
    const app = await start({ reconcile: { settleTime: '1s' } }, { maxChecks: 1 });
    expect(await told(app.module.get(Crm).payWaiting('7'))).toEqual(unknownWith('settle it by `Operations.resolve`'));
  });
});
