/** One text for equal values: what two callers mean by "the same". */
import { hash } from 'node:crypto';
import { types } from 'node:util';

const MAX_DEPTH = 100;

/** A value that has no canonical text. `path` names where, `problem` what; neither holds any value. */
export class NotCanonicalError extends Error {
  override readonly name = 'NotCanonicalError';

  constructor(
    readonly path: string,
    readonly problem: string,
    cause?: unknown,
  ) {
    super(`${path} ${problem}`, cause === undefined ? undefined : { cause });
  }
}

/**
 * The canonical text of a value. Order of keys, of map entries and of set members does not count; a field that is
 * undefined counts as absent; a value with `toJSON` counts as what that gives; class instances count as their own
 * enumerable fields. Types are kept apart: `1`, `"1"` and `1n` differ.
 *
 * @throws NotCanonicalError for cycles, functions, symbols, promises, invalid dates and nesting beyond 100 levels.
 */
export function canonicalText(value: unknown): string {
  return write(value, null, null);
}

/** SHA-256, as 43 characters of base64url. */
export function sha256(text: string): string {
  return hash('sha256', text, 'base64url');
}

/** The objects around a value, from the inside out. */
interface Within {
  readonly value: object;
  readonly depth: number;
  readonly outer: Within | null;
  /** Where in `outer` it is. A path is put together only for an error. */
  readonly at: At;
}

/** A field by its name, an element by its index; null = the very place: what a `toJSON` gave. */
type At = string | number | null;

function write(value: unknown, outer: Within | null, at: At): string {
  switch (typeof value) {
    case 'string':
      return JSON.stringify(value);
    case 'number':
      return String(value === 0 ? 0 : value);
    case 'bigint':
      return `${value}n`;
    case 'boolean':
    case 'undefined':
      return String(value);
    case 'object':
      return value === null ? 'null' : writeObject(value, outer, at);
    default:
      throw new NotCanonicalError(pathTo(outer, at), `is a ${typeof value}`);
  }
}

function writeObject(value: object, outer: Within | null, at: At): string {
  for (let each = outer; each !== null; each = each.outer) {
    if (each.value === value) throw new NotCanonicalError(pathTo(outer, at), 'refers back to what it is part of');
  }
  const depth = outer === null ? 1 : outer.depth + 1;
  if (depth > MAX_DEPTH) {
    throw new NotCanonicalError(pathTo(outer, at), `is nested deeper than ${MAX_DEPTH} levels`);
  }
  const within: Within = { value, depth, outer, at };
  if (Array.isArray(value)) return writeElements(value, within);
  const prototype: unknown = Object.getPrototypeOf(value);
  // Most are plain, and need not be asked what else they might be.
  return prototype === Object.prototype || prototype === null
    ? writeFields(value, within)
    : writeSpecial(value, within);
}

function writeElements(values: readonly unknown[], within: Within): string {
  let text = '';
  for (let index = 0; index < values.length; index += 1) {
    if (index > 0) text += ',';
    text += write(values[index], within, index);
  }
  return `[${text}]`;
}

function writeSpecial(value: object, within: Within): string {
  const each = (part: unknown, index: number): string => write(part, within, index);
  if (types.isDate(value)) {
    if (Number.isNaN(value.getTime())) throw new NotCanonicalError(pathOf(within), 'is an invalid date');
    return `Date(${value.toISOString()})`;
  }
  if (types.isSet(value)) return `Set(${Array.from(value, each).sort().join()})`;
  if (types.isMap(value)) {
    const entries = Array.from(value, ([key, part], index) => `${each(key, index)}=>${each(part, index)}`);
    return `Map(${entries.sort().join()})`;
  }
  if (value instanceof URLSearchParams) return `Query(${JSON.stringify([...value])})`;
  if (types.isRegExp(value) || value instanceof URL)
    return `${value.constructor.name}(${JSON.stringify(String(value))})`;
  if (types.isPromise(value)) throw new NotCanonicalError(pathOf(within), 'is a promise');
  if (ArrayBuffer.isView(value)) {
    return `Bytes(${Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64')})`;
  }
  if (types.isAnyArrayBuffer(value)) return `Bytes(${Buffer.from(value).toString('base64')})`;
  return writeFields(value, within);
}

function writeFields(value: object, within: Within): string {
  let text = '';
  try {
    const { toJSON } = value as { toJSON?: unknown };
    if (typeof toJSON === 'function') return write(toJSON.call(value, ''), within, null);
    for (const key of inOrder(Object.keys(value))) {
      const part = (value as Record<string, unknown>)[key];
      if (part === undefined) continue;
      if (text !== '') text += ',';
      text += `${JSON.stringify(key)}:${write(part, within, key)}`;
    }
  } catch (error) {
    if (error instanceof NotCanonicalError) throw error;
    throw new NotCanonicalError(pathOf(within), 'cannot be read', error);
  }
  return `{${text}}`;
}

/** Sorts names. Many come in order already: to see that is less work than a sort. */
export function inOrder(keys: string[]): string[] {
  for (let i = 1; i < keys.length; i += 1) if (keys[i - 1]! > keys[i]!) return keys.sort();
  return keys;
}

function pathOf({ outer, at }: Within): string {
  return pathTo(outer, at);
}

function pathTo(outer: Within | null, at: At): string {
  if (outer === null) return '$';
  const step = at === null ? '' : typeof at === 'number' ? `[${at}]` : `.${at}`;
  return `${pathOf(outer)}${step}`;
}
