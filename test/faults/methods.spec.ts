import { AsyncLocalStorage } from 'node:async_hooks';
import { EventEmitter } from 'node:events';
import type { HttpService } from '@nestjs/axios';
import { Inject, Injectable, Scope } from '@nestjs/common';
import { ContextIdFactory, REQUEST } from '@nestjs/core';
import type { AxiosResponse } from 'axios';
import { InjectProvider, Throttled } from 'nestjs-sluice';
import { slow } from 'nestjs-sluice/testing';
import { firstValueFrom, Observable } from 'rxjs';
import { closeWorlds, world } from './faults.fixture.js';

afterEach(closeWorlds);

const HOUR = 3_600_000;

/** Whose request this is. */
@Injectable({ scope: Scope.REQUEST })
class Tenant {
  constructor(@Inject(REQUEST) readonly request: { readonly account: string }) {}
}

@Injectable()
class PerRequest {
  constructor(
    private readonly tenant: Tenant,
    @InjectProvider('crm') private readonly http: HttpService,
  ) {}

  @Throttled('crm', { partition: (account: string) => ({ account }) })
  async read(_account: string): Promise<[string, AxiosResponse]> {
    return [this.tenant.request.account, await firstValueFrom(this.http.get('/x'))];
  }
}

test('cases 110 and 111: services of two requests at once have their own dependencies, and send their own credentials', async () => {
  const opened = await world({
    s: 'slow(50) 503 x2, 200 x2',
    providers: [Tenant, PerRequest],
    p: {
      dimensions: ['account'],
      auth: { credentials: ({ account }) => ({ headers: { authorization: `Bearer of ${account}` } }) },
    },
  });
  const resolved = async (account: string): Promise<PerRequest> => {
    const contextId = ContextIdFactory.create();
    opened.app.registerRequestByContextId({ account }, contextId);
    return opened.app.resolve(PerRequest, contextId);
  };
  const sent = [];
  for (const account of ['T1', 'T2']) sent.push(opened.watch((await resolved(account)).read(account)));
  await opened.clock.advance(HOUR);
  expect(sent.map(({ value }) => (value as [string, AxiosResponse])[0])).toEqual(['T1', 'T2']);
  const credentials = opened.provider.log.map(({ headers }) => headers['authorization']);
  expect(credentials.sort()).toEqual(['Bearer of T1', 'Bearer of T1', 'Bearer of T2', 'Bearer of T2']);
  await opened.leavesNothing();
});

test("case 117: after a pause of a second the caller's context is there, and each of two has its own", async () => {
  const storage = new AsyncLocalStorage<string>();
  const seen: string[] = [];
  const opened = await world({
    s: '429(retry-after: 1) x2, 200, 500',
    p: { retry: { maxAttempts: 1 }, beforeSend: () => void seen.push(`send ${storage.getStore()}`) },
  });
  const call = (name: string) =>
    storage.run(name, () =>
      opened.watch(
        opened.caller.send({ url: '/x' }, {}).then(
          () => seen.push(`done ${storage.getStore()}`),
          () => seen.push(`failed ${storage.getStore()}`),
        ),
      ),
    );
  call('a');
  call('b');
  await opened.clock.advance(HOUR);
  expect(seen.slice(0, 4)).toEqual(['send a', 'send b', 'send a', 'done a']);
  expect(seen.slice(4)).toEqual(['send b', 'failed b']);
  await opened.leavesNothing();
});

test('case 120: a stream of three values whose second fails is one subscription and one permit', async () => {
  let subscriptions = 0;
  @Injectable()
  class Streams {
    @Throttled('crm', { guard: 'method' })
    three(): Observable<number> {
      return new Observable((subscriber) => {
        subscriptions += 1;
        subscriber.next(1);
        const cancel = opened.clock.schedule(100, () => subscriber.error(new Error('the second failed')));
        return cancel;
      });
    }
  }
  const opened = await world({ providers: [Streams] });
  const stream = opened.app.get(Streams).three();
  await opened.clock.advance(0);
  expect([subscriptions, (await opened.limits.inspect('crm')).active]).toEqual([0, 0]);
  const values: number[] = [];
  const ended = opened.watch(
    new Promise((_, reject) => stream.subscribe({ next: (n) => values.push(n), error: reject })),
  );
  await opened.clock.advance(99);
  expect((await opened.limits.inspect('crm')).active).toBe(1);
  await opened.clock.advance(1);
  expect([values, subscriptions, ended.atMs]).toEqual([[1], 1, 100]);
  expect((await opened.limits.inspect('crm')).active).toBe(0);
  await opened.leavesNothing();
});

test('case 157: the deadline of a method ends the call inside, and nothing is sent or told after it', async () => {
  const opened = await world({ s: [slow(1000), 500, 500, 500] });
  const sent = opened.call('/x', { deadline: 500 });
  await opened.clock.advance(500);
  expect([sent.told, sent.atMs]).toEqual(['DEADLINE_EXCEEDED', 500]);
  expect(opened.provider.log[0]).toMatchObject({ end: 'client-left', endedAtMs: 500 });
  const told = opened.events.length;
  await opened.clock.advance(HOUR);
  expect([opened.log, opened.events.length]).toEqual([[0], told]);
  await opened.leavesNothing();
});

describe('case 161: a guarded function of an SDK', () => {
  const wrap = async (fn: (clock: { schedule(ms: number, fn: () => void): unknown }) => Promise<unknown>) => {
    const opened = await world({ p: { timeouts: { attempt: '10s', total: '1d' } } });
    const sent = opened.watch(opened.limits.run('crm', () => fn(opened.clock)));
    await opened.clock.advance(HOUR);
    expect(opened.ofType('granted')).toHaveLength(1);
    await opened.leavesNothing();
    return sent;
  };

  test("that fails by a later 'error' event reaches its caller", async () => {
    const failed = await wrap((clock) => {
      const upload = new EventEmitter();
      clock.schedule(500, () => upload.emit('error', new Error('of the upload')));
      return new Promise((resolve, reject) => upload.on('end', resolve).on('error', reject));
    });
    expect([failed.told, failed.atMs]).toEqual(['OUTCOME_UNKNOWN', 500]);
    expect(failed.error.cause).toMatchObject({ message: 'of the upload' });
  });

  test('that calls back twice has its first word', async () => {
    const twice = await wrap(
      (clock) =>
        new Promise((resolve, reject) => {
          clock.schedule(100, () => resolve('first'));
          clock.schedule(200, () => reject(new Error('second')));
        }),
    );
    expect([twice.told, twice.atMs]).toEqual(['first', 100]);
  });

  test('that never calls back ends by its time limit, and is not run again', async () => {
    const never = await wrap(() => new Promise(() => undefined));
    expect([never.told, never.atMs]).toEqual(['OUTCOME_UNKNOWN', 10_000]);
  });
});
