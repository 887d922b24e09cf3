import { concurrency, slidingWindow, tokenBucket } from '../../libs/core/src/contract/builders.js';
import { Place, Process, SECOND } from './redis-process.fixture.js';

const permits = concurrency({ name: 'permits', limit: 2 });
const bucket = tokenBucket({ name: 'bucket', burst: 100, limit: 100, per: '1s' });
const sliding = slidingWindow({ name: 'sliding', limit: 100, per: '1s' });

describe('processes whose contracts differ in their structure, as while one version replaces another', () => {
  let place: Place;
  beforeEach(() => {
    place = new Place();
  });
  afterEach(() => place.close());

  it('count by the same accounts, in whatever order each names them', async () => {
    const old = new Process(place, 'old', [permits, bucket]);
    const young = new Process(place, 'young', [bucket, sliding, permits]);
    expect((await old.step(1)).grants).toHaveLength(1);
    expect((await young.step(2)).grants).toHaveLength(1);
    expect((await old.step(2)).grants).toHaveLength(0);
  });

  it('give back each what it held, and nothing that it did not, whoever finds that its time is over', async () => {
    const old = new Process(place, 'old', [bucket, permits]);
    const young = new Process(place, 'young', [sliding, bucket]);
    expect((await old.step(3)).grants).toHaveLength(2);
    expect((await young.step(3)).grants).toHaveLength(3);
    place.nowUs += 20 * SECOND;
    await young.step(0);
    expect((await old.step(3)).grants).toHaveLength(2);
    expect((await old.step(3)).grants).toHaveLength(0);
  });

  it('stand in one line, though a ticket of the other is known by the names of its accounts only', async () => {
    const old = new Process(place, 'old', [permits, bucket], 0.5);
    const young = new Process(place, 'young', [bucket, permits]);
    const { grants } = await old.step(4);
    expect(grants).toHaveLength(1);
    expect((await young.step(4)).grants).toHaveLength(1);
    expect((await old.step(4, grants)).grants.length).toBeLessThanOrEqual(1);
  });
});
