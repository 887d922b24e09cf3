import { VirtualClock } from '../../../testing/src/index.js';
import { currentCall, currentContext, runInContext } from './context.js';
import { enterInbound, enterMethod } from './enter.js';

const clock = new VirtualClock();

test('outside of everything there is neither a context nor a call', () => {
  expect(currentContext()).toMatchObject({ inbound: null, method: null });
  expect(currentCall()).toBeUndefined();
});

test('a guarded method tells what is left of its deadline, and whose it is', async () => {
  const operation = { id: 'op-1', key: 'key-1', ordinals: new Map() };
  await enterMethod({ provider: 'crm', clock, options: { deadline: '5s' }, operation }, async () => {
    await clock.advance(2000);
    expect(currentCall()).toMatchObject({
      provider: 'crm',
      attempt: 0,
      remainingMs: 3000,
      operationId: 'op-1',
      idempotencyKey: null,
    });
    expect(currentCall()?.deadlineAt).toEqual(new Date(clock.wallMs() + 3000));
    expect(currentCall()?.signal.aborted).toBe(false);
  });
});

test('without a deadline all the time there is remains, and its date exists', () => {
  enterMethod({ provider: 'crm', clock }, () => {
    expect(currentCall()?.remainingMs).toBeNull();
    expect(currentCall()?.deadlineAt).toBeNull();
  });
});

test('a nested method stays in its operation unless it has its own, and hears of both callers giving up', () => {
  const operation = { id: 'outer', key: 'k', ordinals: new Map() };
  const [outer, inner] = [new AbortController(), new AbortController()];
  enterMethod({ provider: 'crm', clock, operation, signal: outer.signal }, () => {
    enterMethod({ provider: 'crm', clock, signal: inner.signal }, () => {
      expect(currentCall()?.operationId).toBe('outer');
      expect(currentCall()?.signal.aborted).toBe(false);
      outer.abort();
      expect(currentCall()?.signal.aborted).toBe(true);
    });
    enterMethod({ provider: 'crm', clock, operation: null }, () => expect(currentCall()?.operationId).toBeNull());
  });
});

test('an inbound request begins anew: what surrounds it is no part of it', () => {
  enterMethod({ provider: 'crm', clock, options: { deadline: 10 } }, () => {
    enterInbound({ clock, tenant: 'acme', deadline: '1s' }, () => {
      expect(currentContext()).toMatchObject({
        method: null,
        inbound: { tenant: 'acme', deadlineMono: clock.monoMs() + 1000 },
      });
    });
  });
});

test('case 117: two requests at once see their own context, across waits', async () => {
  const seen = await Promise.all(
    ['a', 'b'].map((tenant) =>
      enterInbound({ clock, tenant }, async () => {
        await Promise.resolve();
        return currentContext().inbound?.tenant;
      }),
    ),
  );
  expect(seen).toEqual(['a', 'b']);
});

test('a context is entered as it was left', () => {
  const context = enterInbound({ clock, tenant: 'acme' }, () => currentContext());
  expect(runInContext(context, () => currentContext().inbound)).toBe(context.inbound);
});

test('a deadline that is none is a CONFIG error that names the provider', () => {
  expect(() => enterMethod({ provider: 'crm', clock, options: { deadline: 'soon' as never } }, () => 1)).toThrow(
    /"crm".*deadline/,
  );
});
