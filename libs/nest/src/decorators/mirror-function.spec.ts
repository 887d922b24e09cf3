import 'reflect-metadata';
import { mirrorFunction } from './mirror-function.js';

test('metadata that is written to the original later does not reach the copy, nor the other way round', () => {
  const original = (): void => {};
  Reflect.defineMetadata('early', 1, original);
  const copy = mirrorFunction(original, () => {});
  Reflect.defineMetadata('late', 2, original);
  Reflect.defineMetadata('copied', 3, copy);
  expect(Reflect.getMetadataKeys(copy)).toEqual(['early', 'copied']);
  expect(Reflect.getMetadataKeys(original)).toEqual(['early', 'late']);
});

test('functions of every kind can be mirrored', () => {
  const kinds = [async function named(): Promise<void> {}, function* generator() {}, class {}.prototype.constructor];
  for (const kind of kinds) {
    const copy = mirrorFunction(kind as () => unknown, function () {} as () => unknown);
    expect(copy.name).toBe(kind.name);
    expect(Object.getPrototypeOf(copy)).toBe(Object.getPrototypeOf(kind));
  }
});
