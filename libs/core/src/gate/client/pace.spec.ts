import { Pace } from './pace.js';

describe('how soon a shared gate is asked again', () => {
  /** Asked two hundred times in a second already. */
  function busy(): Pace {
    const pace = new Pace();
    for (let step = 0; step < 200; step += 1) pace.stepped(step, false);
    return pace;
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
    pace.grantedAll();
    expect(pace.notBeforeMono).toBeLessThanOrEqual(200);
    pace.stepped(201, false);
    expect(pace.notBeforeMono).toBe(206);
  });
});
