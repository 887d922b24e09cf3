import type { CallHandler, ExecutionContext } from '@nestjs/common';
import { firstValueFrom, from, Observable } from 'rxjs';
import { currentContext, EventHub, runInContext, SystemClock } from '../../../core/src/index.js';
import type { InboundOptions } from '../interfaces/rate-limit-module-options.interface.js';
import type { SluiceApplication } from '../sluice-application.js';
import { RateLimitInterceptor } from './rate-limit.interceptor.js';

const message = { account: 'acme' };

/** An execution context of a transport, as far as it is asked. */
function execution(type: string, args: readonly unknown[] = []): ExecutionContext {
  return {
    getType: () => type,
    getArgs: () => args,
    getArgByIndex: (index: number) => args[index],
    switchToHttp: () => ({ getRequest: () => ({ headers: { 'x-account': 'http' } }) }),
    switchToRpc: () => ({ getData: () => message, getContext: () => 'channel' }),
  } as unknown as ExecutionContext;
}

function interceptor(inbound: InboundOptions): RateLimitInterceptor {
  const application = { clock: new SystemClock(), events: new EventHub(), inbound, reportFailedHook: () => undefined };
  return new RateLimitInterceptor(application as unknown as SluiceApplication);
}

const tenantInside: CallHandler = {
  handle: () => from(Promise.resolve().then(() => currentContext().inbound?.tenant ?? 'none')),
};

/** The handler is asked within the subscription, so that all it starts has the context. */
const lazily: CallHandler = {
  handle: () => new Observable((subscriber) => tenantInside.handle().subscribe(subscriber)),
};

test('a message of a microservice has a context of its own, read from its data', async () => {
  const subject = interceptor({ tenant: (request) => request['data']?.account });
  expect(await firstValueFrom(subject.intercept(execution('rpc'), lazily))).toBe('acme');
  expect(currentContext().inbound).toBeNull();
});

test('GraphQL without the middleware takes the request of its context, or has none', async () => {
  const subject = interceptor({ tenant: (request) => String(request.headers['x-account'] ?? 'absent') });
  const req = { headers: { 'x-account': 'graphql' } };
  expect(await firstValueFrom(subject.intercept(execution('graphql', [{}, {}, { req }, {}]), lazily))).toBe('graphql');
  expect(await firstValueFrom(subject.intercept(execution('graphql', [{}, {}, undefined, {}]), lazily))).toBe('absent');
  expect(await firstValueFrom(subject.intercept(execution('http'), lazily))).toBe('http');
  expect(await firstValueFrom(subject.intercept(execution('ws', ['client', 'data']), lazily))).toBe('absent');
});

test('where a context is open already it stays', async () => {
  const open = { tenant: 'outer', partition: null, deadlineMono: Infinity, disconnected: null, reuse: new Map() };
  const subject = interceptor({ tenant: () => 'inner' });
  const given = runInContext({ inbound: open, method: null }, () =>
    firstValueFrom(subject.intercept(execution('http'), lazily)),
  );
  expect(await given).toBe('outer');
});

test('the deadline counts from the moment the message came in', async () => {
  const subject = interceptor({ deadline: () => '2s' });
  const left: CallHandler = { handle: () => from(Promise.resolve(currentContext().inbound?.deadlineMono)) };
  const deadlineMono = (await firstValueFrom(subject.intercept(execution('rpc'), left))) as number;
  const leftMs = deadlineMono - new SystemClock().monoMs();
  expect(leftMs).toBeGreaterThan(1_000);
  expect(leftMs).toBeLessThanOrEqual(2_000);
});
