import { OwnAbort, whenAborted } from './when-aborted.js';

describe('an abort of our own', () => {
  it('tells all who wait under it once, in order', () => {
    const own = new OwnAbort();
    const called: string[] = [];
    const cancels = ['a', 'b', 'c'].map((name) => whenAborted(own.signal, () => called.push(name)));
    cancels[1]?.();
    own.abort('enough');
    own.abort('again');
    expect(called).toEqual(['a', 'c']);
    expect(own.signal.reason).toBe('enough');
  });

  it('is a signal like any other to those who listen to it', () => {
    const own = new OwnAbort();
    const reasons: unknown[] = [];
    const gone = (): void => void reasons.push('gone');
    own.signal.addEventListener('abort', () => reasons.push(own.signal.reason), { once: true });
    own.signal.addEventListener('abort', gone);
    own.signal.removeEventListener('abort', gone);
    whenAborted(own.signal, () => undefined)();
    expect(own.signal.aborted).toBe(false);
    own.abort('enough');
    expect(reasons).toEqual(['enough']);
  });
});
