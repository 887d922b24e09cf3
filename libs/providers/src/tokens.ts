/** What a request to a language model may cost, before anybody has counted it, and what its answer says that it did. */

type Fields = Readonly<Record<string, unknown>>;

const NONE: Fields = {};

/** Letters to a token of English text; other languages have fewer. */
const LETTERS_PER_TOKEN = 4;

/** The fields of a body that is JSON, as a text or as a plain object; of anything else none. */
export function fieldsOf(body: unknown): Fields {
  if (typeof body !== 'string') return isPlain(body) ? body : NONE;
  try {
    const read: unknown = JSON.parse(body);
    return isPlain(read) ? read : NONE;
  } catch {
    return NONE;
  }
}

/** Tokens of everything written in there, roughly; at least one. Files within it are no text and are left out. */
export function writtenTokens(fields: Fields): number {
  try {
    return Math.ceil(JSON.stringify(fields, withoutFiles).length / LETTERS_PER_TOKEN);
  } catch {
    // Not to be written as JSON: nor will it be sent.
    return 1;
  }
}

/** The first of these fields that is a figure; null = none is. */
export function figureOf(fields: Fields, ...names: readonly string[]): number | null {
  for (const name of names) {
    const value = fields[name];
    if (typeof value === 'number' && value >= 0 && value < Infinity) return value;
  }
  return null;
}

function isPlain(value: unknown): value is Fields {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** Images, sounds and documents are sent as base64: in a data URL, or in a field of these names. */
function withoutFiles(name: string, value: unknown): unknown {
  if (typeof value !== 'string') return value;
  return name === 'data' || name === 'file_data' || value.startsWith('data:') ? '' : value;
}
