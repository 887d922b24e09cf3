import { Pace } from './pace.js';

describe('how soon a shared gate is asked again', () => {
  /** Asked two hundred times in a second already. */
  function busy(): Pace {
    const pace = new Pace();
    for (let step = 0; step < 200; step += 1) pace.stepped(step, false);
    return pace;
  }

  /** The pause after a reply, where the last steps were let wait for so long. */
  function pauseAfter(queuedMs: readonly number[], grantedAll = false): number {
    const pace = new Pace();
    let nowMono = 1_000;
    for (const ms of queuedMs) {
      nowMono += 2_000;
      pace.stepped(nowMono - ms, false);
      pace.answered(nowMono, grantedAll, ms);
    }
    return Math.max(0, pace.notBeforeMono - nowMono);
  }

  it('at once, until it has been asked 200 times within a second; from then on after 5 ms', () => {
    const pace = busy();
    expect(pace.notBeforeMono).toBe(199);
    pace.stepped(200, false);
    expect(pace.notBeforeMono).toBe(205);
  });

  it('at once, however often it was asked, where one step was too small for all that is to be asked', () => {
    const pace = busy();
    pace.stepped(200, true);
    expect(pace.notBeforeMono).toBe(200);
  });

  it('at once, however often it was asked, while it grants all that it is asked for', () => {
    const pace = busy();
    pace.stepped(200, false);
    pace.answered(201, true, 0);
    expect(pace.notBeforeMono).toBeLessThanOrEqual(200);
    pace.stepped(201, false);
    expect(pace.notBeforeMono).toBe(206);
  });

  it('at once, where it let only one step wait: that was a hitch', () => {
    expect(pauseAfter([0, 90])).toBe(0);
    expect(pauseAfter([90, 0])).toBe(0);
  });

  it('later, where it lets step after step wait: after as much, where that is 5 ms, and the longer the more so', () => {
    expect(pauseAfter([1, 1])).toBe(0);
    expect(pauseAfter([5, 5])).toBe(5);
    expect(pauseAfter([20, 10])).toBe(40);
    expect(pauseAfter([80, 80])).toBe(1_000);
  });

  it('later even where it grants all that it is asked for', () => {
    expect(pauseAfter([10, 10], true)).toBe(40);
  });
});
