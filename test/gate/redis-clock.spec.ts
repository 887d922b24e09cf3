import { tokenBucket } from '../../libs/core/src/contract/builders.js';
import { Place, Process, SECOND } from './redis-process.fixture.js';

describe("law 16: where the clock of Redis goes back, as another machine's does that takes over", () => {
  let place: Place;
  let caller: Process;
  beforeEach(async () => {
    place = new Place();
    caller = new Process(place, 'a', [tokenBucket({ burst: 2, limit: 1, per: '1s' })]);
    expect((await caller.step(3)).grants).toHaveLength(2);
    place.nowUs -= 600 * SECOND;
  });
  afterEach(() => place.close());

  it('case 45: nothing is granted for that', async () => {
    expect((await caller.step(1)).grants).toHaveLength(0);
  });

  it("the gate's time goes on, at half the pace until both meet", async () => {
    await caller.step(1);
    place.nowUs += 2 * SECOND - 2;
    expect((await caller.step(1)).grants).toHaveLength(0);
    place.nowUs += 2;
    expect((await caller.step(1)).grants).toHaveLength(1);
    const { nowUs } = await caller.step(0);
    place.nowUs += 1_300 * SECOND;
    expect((await caller.step(0)).nowUs).toBe(place.nowUs);
    expect(place.nowUs).toBeGreaterThan(nowUs);
  });
});
