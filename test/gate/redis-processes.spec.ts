import { concurrency } from '../../libs/core/src/contract/builders.js';
import { Place, Process } from './redis-process.fixture.js';

it('a process takes part from its first step on: it is told so itself, and the others are with their next', async () => {
  const place = new Place();
  const limits = [concurrency({ limit: 1 })];
  const [first, second] = [new Process(place, 'a', limits), new Process(place, 'b', limits)];
  expect(await first.step(0)).toMatchObject({ processes: 1 });
  expect(await second.step(0)).toMatchObject({ processes: 2 });
  expect(await first.step(0)).toMatchObject({ processes: 2 });
  await place.close();
});
