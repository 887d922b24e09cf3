import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { DIAGNOSTICS_CHANNEL, EventHub } from './event-hub.js';
import type { SluiceEvent } from './events.js';

const event: SluiceEvent = { type: 'budget', provider: 'crm', at: 0, state: 'spent' };

test('nothing is built while nobody listens', () => {
  const hub = new EventHub();
  let built = 0;
  const build = (): SluiceEvent => {
    built += 1;
    return event;
  };
  hub.emit(build);
  expect([hub.active, built]).toEqual([false, 0]);
  const cancel = hub.subscribe(() => undefined);
  hub.emit(build);
  cancel();
  hub.emit(build);
  expect([hub.active, built]).toEqual([false, 1]);
});

test('who watches for trouble hears of that alone, and makes nothing else be built', () => {
  const hub = new EventHub();
  const heard: string[] = [];
  let built = 0;
  const cancel = hub.watchTrouble(({ type }) => void heard.push(type));
  hub.emit(() => {
    built += 1;
    return event;
  });
  const guess: SluiceEvent = { type: 'guess', provider: 'crm', at: 0, about: 'a', taken: 'b' };
  hub.emit(() => guess, 'trouble');
  cancel();
  hub.emit(() => guess, 'trouble');
  expect([hub.active, built, heard]).toEqual([false, 0, ['guess']]);
});

test('every listener is told, until it ends its own subscription', () => {
  const hub = new EventHub();
  const seen: string[] = [];
  const listener = (): void => void seen.push('twice');
  const first = hub.subscribe(listener);
  hub.subscribe(listener);
  hub.emit(() => event);
  first();
  first();
  hub.emit(() => event);
  expect(seen).toEqual(['twice', 'twice', 'twice']);
});

test('the diagnostics channel of the process hears every event', () => {
  const hub = new EventHub();
  const heard: unknown[] = [];
  const listener = (message: unknown): void => void heard.push(message);
  subscribe(DIAGNOSTICS_CHANNEL, listener);
  expect(hub.active).toBe(true);
  hub.emit(() => event);
  unsubscribe(DIAGNOSTICS_CHANNEL, listener);
  expect(hub.active).toBe(false);
  expect(heard).toEqual([event]);
});

describe('law 13: a listener that fails', () => {
  test('harms neither the emitter nor the others, who are told without its words', () => {
    const hub = new EventHub();
    const heard: SluiceEvent[] = [];
    hub.subscribe(() => {
      throw new TypeError('a secret');
    });
    hub.subscribe((told) => void heard.push(told));
    hub.emit(() => event);
    expect(heard).toContainEqual({
      type: 'hook-failed',
      provider: 'crm',
      at: 0,
      hook: 'listener of budget',
      error: 'TypeError',
    });
    expect(heard).toContainEqual(event);
    expect(JSON.stringify(heard)).not.toContain('secret');
  });

  test('asynchronously is no unhandled rejection', async () => {
    const hub = new EventHub();
    const heard: string[] = [];
    hub.subscribe(async () => {
      await Promise.resolve();
      throw new TypeError('later');
    });
    hub.subscribe(({ type }) => void heard.push(type));
    hub.emit(() => event);
    await new Promise((resolve) => setImmediate(resolve));
    expect(heard).toEqual(['budget', 'hook-failed']);
  });

  test('together with another one does not go on for ever', () => {
    const hub = new EventHub();
    let told = 0;
    for (const _ of [1, 2]) {
      hub.subscribe(() => {
        told += 1;
        throw new Error('always');
      });
    }
    hub.emit(() => event);
    expect(told).toBe(4);
  });

  test('while it is described is left out', () => {
    const hub = new EventHub();
    hub.subscribe(() => undefined);
    expect(() =>
      hub.emit(() => {
        throw new Error('of the builder');
      }),
    ).not.toThrow();
  });
});
