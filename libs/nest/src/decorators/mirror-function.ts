import 'reflect-metadata';

/** Gives `copy` all that others read from `original`: name, length, own properties, prototype, metadata. */
export function mirrorFunction<F extends (...args: never[]) => unknown>(original: F, copy: F): F {
  Object.setPrototypeOf(copy, Object.getPrototypeOf(original) as object | null);
  for (const key of Reflect.ownKeys(original)) {
    const descriptor = Object.getOwnPropertyDescriptor(original, key);
    // `prototype`, and in sloppy code `caller` and `arguments`, are fixed on every function.
    if (descriptor === undefined || Object.getOwnPropertyDescriptor(copy, key)?.configurable === false) continue;
    Object.defineProperty(copy, key, descriptor);
  }
  for (const key of Reflect.getOwnMetadataKeys(original)) {
    Reflect.defineMetadata(key, Reflect.getOwnMetadata(key, original), copy);
  }
  return copy;
}
