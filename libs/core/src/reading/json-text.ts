/** A body that came as a text: what its contract wants of it, as if it had been parsed. */
import {
  BACKSLASH,
  codeAt,
  type Codes,
  codesOf,
  COLON,
  COMMA,
  isSpace,
  LIST,
  LIST_END,
  MAX_SCANNED,
  OBJECT,
  OBJECT_END,
  QUOTE,
} from './json-scanner.js';
import { pick, pickMembers } from './pick.js';
import type { Wanted } from './wanted.js';

/** A text that is too long is read at its beginning and at its end; the end is gone through twice. */
const MAX_HEAD = MAX_SCANNED / 2;
const MAX_TAIL = MAX_SCANNED / 4;
/** A shorter text is parsed: usual ones take half the time so, and the worst a tenth of what reading may take. */
const MAX_PARSED = 4096;
/** It costs less to go through a text once than to seek more pieces in it than these. */
const MAX_SOUGHT = 3;

export class JsonText {
  readonly #head: string;
  /** Null where the head is the whole text. */
  readonly #tail: string | null;
  readonly #wanted: Wanted;
  readonly #looksLikeJson: boolean;
  #value: unknown;
  #isRead = false;
  readonly #lacking: string[] = [];
  #escaped: boolean | null = null;

  constructor(text: string, wanted: Wanted) {
    const isLong = text.length > MAX_SCANNED;
    this.#head = isLong ? text.slice(0, MAX_HEAD) : text;
    this.#tail = isLong ? text.slice(-MAX_TAIL) : null;
    this.#wanted = wanted;
    this.#looksLikeJson = /^[ \t\n\r]*[[{]/.test(this.#head);
  }

  /** What is wanted of it; undefined where it is no JSON, or where it can be seen unread that this piece of text is nowhere in it. */
  at(piece: string | null): unknown {
    return this.#isRead || !this.#lacks(piece) ? this.#read() : undefined;
  }

  #lacks(piece: string | null): boolean {
    if (!this.#looksLikeJson) return true;
    if (piece === null) return false;
    if (this.#lacking.includes(piece)) return true;
    if (this.#lacking.length === MAX_SOUGHT || this.#includes(piece)) return false;
    if ((this.#escaped ??= this.#includes('\\u'))) return false;
    this.#lacking.push(piece);
    return true;
  }

  #includes(piece: string): boolean {
    return this.#head.includes(piece) || this.#tail?.includes(piece) === true;
  }

  #read(): unknown {
    if (this.#isRead) return this.#value;
    this.#isRead = true;
    return (this.#value =
      this.#tail === null ? wholeOf(this.#head, this.#wanted) : ends(this.#head, this.#tail, this.#wanted));
  }
}

function wholeOf(text: string, wanted: Wanted): unknown {
  if (text.length <= MAX_PARSED) return parsed(text);
  const picked = pick(text, codesOf(text), wanted);
  return picked?.whole === true ? picked.value : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Of both ends of a text; what the end says counts, as it comes last. What is between is taken for JSON. */
function ends(head: string, tail: string, wanted: Wanted): unknown {
  const picked = pick(head, codesOf(head), wanted);
  if (picked === null) return undefined;
  const { value: first, whole } = picked;
  const codes = codesOf(tail);
  if (whole) return lastOf(codes) === 0 ? first : undefined;
  const isList = Array.isArray(first);
  if (lastOf(codes) !== (isList ? LIST_END : OBJECT_END)) return undefined;
  const from = isList ? -1 : firstMember(codes);
  if (from < 0) return first;
  const last = pickMembers(tail, codes, from, wanted);
  if (last?.whole !== true) return undefined;
  for (const name of Object.keys(last.value)) {
    Object.defineProperty(first, name, Object.getOwnPropertyDescriptor(last.value, name)!);
  }
  return first;
}

/** The last character that is no white space; 0 where there is none. */
function lastOf(codes: Codes): number {
  let at = codes.length - 2;
  while (at >= 0 && isSpace(codeAt(codes, at))) at -= 1;
  return at < 0 ? 0 : codeAt(codes, at);
}

/** Where the first member of the outermost object begins that is wholly in this end of a text; -1 = none is. */
function firstMember(codes: Codes): number {
  let depth = 0;
  let next = 0;
  /** Of a name that begins a member if a comma stands before it. */
  let name = -1;
  let found = -1;
  for (let at = codes.length - 2; at >= 0; at -= 1) {
    const code = codeAt(codes, at);
    if (isSpace(code)) continue;
    if (code === COMMA && name >= 0) found = name;
    name = -1;
    if (code === QUOTE) {
      at = beginOf(codes, at);
      if (depth === 1 && next === COLON) name = at;
    } else if (code === OBJECT_END || code === LIST_END) depth += 1;
    else if (code === OBJECT || code === LIST) depth -= 1;
    if (depth < 1) return -1;
    next = code;
  }
  return found;
}

/** Where the text begins that ends with the quotation mark there; -1 = before all this. */
function beginOf(codes: Codes, end: number): number {
  for (let at = end - 1; at >= 0; at -= 1) {
    if (codeAt(codes, at) !== QUOTE) continue;
    let before = at;
    while (before > 0 && codeAt(codes, before - 1) === BACKSLASH) before -= 1;
    if ((at - before) % 2 === 0) return at;
    at = before;
  }
  return -1;
}
