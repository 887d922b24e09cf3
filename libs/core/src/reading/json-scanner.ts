/**
 * Goes through a text by the grammar of JSON (RFC 8259) without building anything. Each function is given where something begins
 * and tells where it ends; what is no JSON throws {@link NotJson}.
 */

export const QUOTE = 0x22;
export const COMMA = 0x2c;
export const COLON = 0x3a;
export const BACKSLASH = 0x5c;
export const LIST = 0x5b;
export const LIST_END = 0x5d;
export const OBJECT = 0x7b;
export const OBJECT_END = 0x7d;

/**
 * Longest text that is gone through: in it, however hostile, what is wanted is found within 2 ms. The lists and objects that are
 * open at once have room.
 */
export const MAX_SCANNED = 65_536;
const opened = new Uint8Array(MAX_SCANNED);

/**
 * The characters of a text, and a 0 behind them. To look at one of these takes half the time that one of a text does; they are
 * good until the next text is laid out.
 */
export type Codes = Uint16Array;

const bytes = Buffer.alloc(2 * (MAX_SCANNED + 1));
const room = new Uint16Array(bytes.buffer, bytes.byteOffset, MAX_SCANNED + 1);
const isBigEndian = new Uint8Array(Uint16Array.of(1).buffer)[0] === 0;

export function codesOf(text: string): Codes {
  const length = bytes.write(text.slice(0, MAX_SCANNED), 'utf16le') / 2;
  if (isBigEndian) bytes.subarray(0, length * 2).swap16();
  room[length] = 0;
  return room.subarray(0, length + 1);
}

/** Letters of the longest thing that is judged as one: an escape. */
const LONGEST = 6;

export class NotJson extends Error {
  /** `atEnd`: the text is cut, or wrong only just before its end. */
  constructor(readonly atEnd: boolean) {
    super('not JSON');
  }
}
const CUT = new NotJson(true);
const WRONG = new NotJson(false);

export function fail(codes: Codes, at: number): never {
  throw at + LONGEST >= codes.length ? CUT : WRONG;
}

export function codeAt(codes: Codes, at: number): number {
  return codes[at]!;
}

export function isSpace(code: number): boolean {
  return code <= 0x20 && (code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09);
}

export function spaceEnd(codes: Codes, from: number): number {
  let at = from;
  while (isSpace(codeAt(codes, at))) at += 1;
  return at;
}

/** From the quotation mark of a member's name to where its value begins. */
export function nameEnd(codes: Codes, from: number): number {
  if (codeAt(codes, from) !== QUOTE) fail(codes, from);
  const at = spaceEnd(codes, stringEnd(codes, from));
  if (codeAt(codes, at) !== COLON) fail(codes, at);
  return spaceEnd(codes, at + 1);
}

/** A value, however deep. */
export function valueEnd(codes: Codes, from: number): number {
  return endOf(codes, from, 0);
}

/** From an element of a list to the end of the list. */
export function listEnd(codes: Codes, from: number): number {
  opened[0] = LIST;
  return endOf(codes, from, 1);
}

/** From a value to the end of the outermost list or object that is open; `open` = how many are. */
function endOf(codes: Codes, from: number, open: number): number {
  let depth = open;
  let at = spaceEnd(codes, from);
  for (;;) {
    const code = codeAt(codes, at);
    if (code === OBJECT || code === LIST) {
      opened[depth++] = code;
      at = spaceEnd(codes, at + 1);
      if (codeAt(codes, at) !== code + 2) {
        if (code === OBJECT) at = nameEnd(codes, at);
        continue;
      }
      at += 1;
      depth -= 1;
    } else at = scalarEnd(codes, at);
    for (; ; depth -= 1) {
      if (depth === 0) return at;
      at = spaceEnd(codes, at);
      const inner = opened[depth - 1]!;
      const next = codeAt(codes, at);
      if (next !== COMMA && next !== inner + 2) fail(codes, at);
      at += 1;
      if (next !== COMMA) continue;
      at = spaceEnd(codes, at);
      if (inner === OBJECT) at = nameEnd(codes, at);
      break;
    }
  }
}

/** A text, a number or a word. */
export function scalarEnd(codes: Codes, from: number): number {
  const code = codeAt(codes, from);
  if (code === QUOTE) return stringEnd(codes, from);
  if (code === 0x74) return wordEnd(codes, from, 'true');
  if (code === 0x66) return wordEnd(codes, from, 'false');
  if (code === 0x6e) return wordEnd(codes, from, 'null');
  return numberEnd(codes, from);
}

export function stringEnd(codes: Codes, from: number): number {
  let at = from + 1;
  for (;;) {
    const code = codeAt(codes, at);
    // Most letters are told from all that matters by one look.
    if (code > BACKSLASH) at += 1;
    else if (code === QUOTE) return at + 1;
    else if (code >= 0x20 && code !== BACKSLASH) at += 1;
    else at = escapeEnd(codes, at);
  }
}

function escapeEnd(codes: Codes, from: number): number {
  if (codeAt(codes, from) !== BACKSLASH) fail(codes, from);
  const what = codeAt(codes, from + 1);
  if (what === 0x75) {
    for (let at = from + 2; at < from + 6; at += 1) if (!isHex(codeAt(codes, at))) fail(codes, from);
    return from + 6;
  }
  if (!isShort(what)) fail(codes, from);
  return from + 2;
}

function numberEnd(codes: Codes, from: number): number {
  let at = codeAt(codes, from) === 0x2d ? from + 1 : from;
  at = codeAt(codes, at) === 0x30 ? at + 1 : digitsEnd(codes, at);
  let code = codeAt(codes, at);
  if (code === 0x2e) {
    at = digitsEnd(codes, at + 1);
    code = codeAt(codes, at);
  }
  if (code !== 0x65 && code !== 0x45) return at;
  const sign = codeAt(codes, at + 1);
  return digitsEnd(codes, sign === 0x2b || sign === 0x2d ? at + 2 : at + 1);
}

function digitsEnd(codes: Codes, from: number): number {
  let at = from;
  while (isDigit(codeAt(codes, at))) at += 1;
  if (at === from) fail(codes, from);
  return at;
}

function wordEnd(codes: Codes, from: number, word: string): number {
  for (let i = 1; i < word.length; i += 1) if (codeAt(codes, from + i) !== word.charCodeAt(i)) fail(codes, from);
  return from + word.length;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function isHex(code: number): boolean {
  return isDigit(code) || (code >= 0x41 && code <= 0x46) || (code >= 0x61 && code <= 0x66);
}

/** What may stand after a backslash: `"\/bfnrt`. */
function isShort(code: number): boolean {
  return (
    code === QUOTE ||
    code === BACKSLASH ||
    code === 0x2f ||
    code === 0x62 ||
    code === 0x66 ||
    code === 0x6e ||
    code === 0x72 ||
    code === 0x74
  );
}
