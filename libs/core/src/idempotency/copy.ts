/**
 * A deep copy of plain data. Instances of classes and functions are no data: they are shared as they are, and so is a
 * value that cannot be read. Never throws: what has happened has happened, whatever its result looks like.
 */
export function copyData<T>(value: T): T {
  try {
    return copy(value, new Map()) as T;
  } catch {
    return value;
  }
}

function copy(value: unknown, seen: Map<object, object>): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const known = seen.get(value);
  if (known !== undefined) return known;
  if (Array.isArray(value)) {
    const items: unknown[] = [];
    seen.set(value, items);
    for (const item of value) items.push(copy(item, seen));
    return items;
  }
  if (!isPlain(value)) return value;
  const fields: object = Object.create(Object.getPrototypeOf(value));
  seen.set(value, fields);
  for (const [key, field] of Object.entries(value)) {
    Object.defineProperty(fields, key, {
      value: copy(field, seen),
      enumerable: true,
      writable: true,
      configurable: true,
    });
  }
  return fields;
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
