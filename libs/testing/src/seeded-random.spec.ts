import { SeededRandom } from './seeded-random.js';

test('the same seed gives the same sequence, that of mulberry32', () => {
  const random = new SeededRandom(0);
  expect([random.next(), random.next()]).toEqual([0.26642920868471265, 0.0003297457005828619]);
  const again = new SeededRandom(0);
  expect(again.next()).toBe(0.26642920868471265);
  expect(new SeededRandom(1).next()).not.toBe(0.26642920868471265);
});

test('numbers lie in [0, 1) and are spread evenly', () => {
  const random = new SeededRandom(42);
  const tenths = Array.from({ length: 10 }, () => 0);
  for (let i = 0; i < 100_000; i += 1) {
    const value = random.next();
    expect(value >= 0 && value < 1).toBe(true);
    tenths[Math.floor(value * 10)]! += 1;
  }
  for (const count of tenths) expect(Math.abs(count - 10_000)).toBeLessThan(400);
});
