/** Arguments and results as text: what a process writes another one reads, with the same types. */
import { types } from 'node:util';
import { SluiceError } from '../errors/sluice-error.js';
import { dateOf } from '../time/dates.js';

const MAX_DEPTH = 100;
/** Key of the object that stands for what JSON has no word for. A plain object with this key is wrapped too. */
const TAG = '$sluice';

/**
 * Writes plain data, dates, big integers, bytes, maps and sets; `undefined` and numbers that JSON does not know keep their
 * value. A field that is undefined is left out.
 *
 * @param what Names the method in the error.
 * @throws SluiceError CONFIG for what would come back as something else: functions, class instances, cycles, promises.
 */
export function encodePayload(provider: string, what: string, value: unknown): string {
  try {
    return JSON.stringify(write(value, '$', []));
  } catch (error) {
    if (!(error instanceof NotStorable)) throw error;
    throw new SluiceError({
      code: 'CONFIG',
      provider,
      message: `Provider "${provider}": ${what} cannot be stored: ${error.path} ${error.problem}. Pass plain data.`,
    });
  }
}

/** @throws SyntaxError for a text that `encodePayload` did not write. */
export function decodePayload(text: string): unknown {
  return read(JSON.parse(text));
}

class NotStorable extends Error {
  constructor(
    readonly path: string,
    readonly problem: string,
  ) {
    super(`${path} ${problem}`);
  }
}

function write(value: unknown, path: string, outer: readonly object[]): unknown {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      return Number.isFinite(value) && !Object.is(value, -0) ? value : tagged('number', numberText(value));
    case 'bigint':
      return tagged('bigint', String(value));
    case 'undefined':
      return tagged('undefined', null);
    case 'object':
      return value === null ? null : writeObject(value, path, outer);
    default:
      throw new NotStorable(path, `is a ${typeof value}`);
  }
}

function writeObject(value: object, path: string, outer: readonly object[]): unknown {
  if (outer.includes(value)) throw new NotStorable(path, 'refers back to what it is part of');
  if (outer.length >= MAX_DEPTH) throw new NotStorable(path, `is nested deeper than ${MAX_DEPTH} levels`);
  const within = [...outer, value];
  const each = (part: unknown, key: string | number): unknown => write(part, `${path}[${key}]`, within);
  if (Array.isArray(value)) return Array.from(value, each);
  if (types.isDate(value)) {
    if (Number.isNaN(value.getTime())) throw new NotStorable(path, 'is an invalid date');
    return tagged('date', value.getTime());
  }
  if (types.isMap(value))
    return tagged(
      'map',
      Array.from(value, ([key, part], at) => [each(key, at), each(part, at)]),
    );
  if (types.isSet(value)) return tagged('set', Array.from(value, each));
  if (types.isUint8Array(value)) {
    return tagged('bytes', Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64'));
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  // A realm's own Object.prototype is the one whose prototype is null.
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) {
    throw new NotStorable(path, 'is an instance of a class');
  }
  const fields: Record<string, unknown> = Object.create(null);
  for (const [key, part] of Object.entries(value)) {
    if (part !== undefined) fields[key] = write(part, `${path}.${key}`, within);
  }
  return TAG in fields ? tagged('object', fields) : fields;
}

function read(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(read);
  return TAG in value ? readTagged(value as unknown as Tagged) : readFields(value);
}

interface Tagged {
  readonly [TAG]: string;
  readonly value: unknown;
}

function tagged(type: string, value: unknown): Tagged {
  return { [TAG]: type, value };
}

function readTagged({ [TAG]: type, value }: Tagged): unknown {
  switch (type) {
    case 'number':
      return Number(value);
    case 'bigint':
      return BigInt(value as string);
    case 'undefined':
      return undefined;
    case 'date':
      return dateOf(value as number);
    case 'map':
      return new Map((value as [unknown, unknown][]).map(([key, part]) => [read(key), read(part)]));
    case 'set':
      return new Set((value as unknown[]).map(read));
    case 'bytes':
      return new Uint8Array(Buffer.from(value as string, 'base64'));
    case 'object':
      return readFields(value as object);
    default:
      throw new SyntaxError(`A stored value has the unknown type ${JSON.stringify(type)}.`);
  }
}

function readFields(value: object): object {
  const fields: object = {};
  for (const [key, part] of Object.entries(value)) {
    // Defined, not assigned: `__proto__` is a name like any other.
    Object.defineProperty(fields, key, { value: read(part), enumerable: true, writable: true, configurable: true });
  }
  return fields;
}

const numberText = (value: number): string => (Object.is(value, -0) ? '-0' : String(value));
