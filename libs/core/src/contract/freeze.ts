/** A deep copy of plain objects and arrays, frozen. Functions and instances of classes (agents, dates) are kept as they are, by reference. */
export function frozenCopy<T>(value: T): T {
  return copy(value, new Map()) as T;
}

function copy(value: unknown, seen: Map<object, object>): unknown {
  if (typeof value !== 'object' || value === null || !(Array.isArray(value) || isPlain(value))) return value;
  const known = seen.get(value);
  if (known !== undefined) return known;
  const target: Record<string, unknown> | unknown[] = Array.isArray(value) ? [] : {};
  seen.set(value, target);
  for (const [key, entry] of Object.entries(value)) {
    Object.defineProperty(target, key, { value: copy(entry, seen), enumerable: true });
  }
  return Object.freeze(target);
}

/** An object written as a literal, or one without a prototype. */
export function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
