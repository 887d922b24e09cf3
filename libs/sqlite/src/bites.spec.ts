import { inBites } from './bites.js';

const numbers = (from: number, count: number): number[] => Array.from({ length: count }, (_, at) => from + at);

test('asks for no more than a bite, and in all for no more than the limit', async () => {
  const asked: number[] = [];
  const bite = await inBites(25, 10, (limit) => {
    asked.push(limit);
    return Promise.resolve({ items: numbers((asked.length - 1) * 10, limit), isLast: false });
  });
  expect([asked, bite]).toEqual([[10, 10, 5], { items: numbers(0, 25), isLast: false }]);
});

test('a bite may be empty and not the last; after the last nothing is asked', async () => {
  const bites = [[], [1], [], [2]];
  const bite = await inBites(10, 5, () => Promise.resolve({ items: bites.shift()!, isLast: bites.length === 0 }));
  expect(bite).toEqual({ items: [1, 2], isLast: true });
});

test('what failed is told where nothing had happened before; else what had happened is, and that there may be more', async () => {
  const failing = (after: number) => {
    let bites = 0;
    return inBites(10, 2, () => {
      bites += 1;
      return bites > after ? Promise.reject(new Error('full')) : Promise.resolve({ items: [bites], isLast: false });
    });
  };
  await expect(failing(0)).rejects.toThrow('full');
  expect(await failing(2)).toEqual({ items: [1, 2], isLast: false });
});
