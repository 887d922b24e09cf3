import { getEventListeners } from 'node:events';
import { whenAborted } from './when-aborted.js';

const listeners = (signal: AbortSignal): number => getEventListeners(signal, 'abort').length;

describe('under one signal', () => {
  it('many wait with one listener, and each is called once, in order', () => {
    const controller = new AbortController();
    const called: number[] = [];
    for (let i = 0; i < 50; i += 1) whenAborted(controller.signal, () => called.push(i));
    expect(listeners(controller.signal)).toBe(1);
    controller.abort();
    controller.signal.dispatchEvent(new Event('abort'));
    expect(called).toEqual(Array.from({ length: 50 }, (_, index) => index));
    expect(listeners(controller.signal)).toBe(0);
  });

  it('who has had enough is not called, and the last takes the listener away', () => {
    const controller = new AbortController();
    const called: string[] = [];
    const cancels = ['a', 'b'].map((name) => whenAborted(controller.signal, () => called.push(name)));
    cancels[0]?.();
    cancels[0]?.();
    expect(listeners(controller.signal)).toBe(1);
    cancels[1]?.();
    expect(listeners(controller.signal)).toBe(0);
    whenAborted(controller.signal, () => called.push('c'));
    controller.abort();
    expect(called).toEqual(['c']);
  });

  it('one who takes another off while all are called keeps him from being called', () => {
    const controller = new AbortController();
    const called: string[] = [];
    let cancelB = (): void => undefined;
    whenAborted(controller.signal, () => {
      called.push('a');
      cancelB();
    });
    cancelB = whenAborted(controller.signal, () => called.push('b'));
    controller.abort();
    expect(called).toEqual(['a']);
  });
});
