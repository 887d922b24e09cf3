/** Builds of a JSON text what is wanted, and goes over the rest. What is built is what `JSON.parse` gives, with all else left out. */
import {
  type Codes,
  codeAt,
  COMMA,
  fail,
  LIST,
  LIST_END,
  listEnd,
  nameEnd,
  NotJson,
  OBJECT,
  OBJECT_END,
  scalarEnd,
  spaceEnd,
  stringEnd,
  valueEnd,
} from './json-scanner.js';
import { isNamed, letterAt, lowerCase } from './json-name.js';
import { MAX_ELEMENTS } from './path.js';
import type { Name, Wanted } from './wanted.js';

type Built = Record<string, unknown> | unknown[];

/** V8 copies a shorter piece of a text; a longer one would keep the whole text in memory. */
const SHORT = 13;
/** Values beyond these are gone over, though they are asked for: no provider tells so much, and to build takes longer than to look. */
const MAX_BUILT = 1000;
/** And headers of answers within an answer: a batch of Microsoft Graph has twenty of some ten each. */
const MAX_HEADERS = 256;

export interface Picked {
  readonly value: Built;
  /** Whether the text went on to the end of the value, with nothing after it. */
  readonly whole: boolean;
}

/**
 * What is wanted of an object or a list; of a text that ends too early what came before. Null where it is no JSON.
 *
 * @param codes of the text
 */
export function pick(text: string, codes: Codes, wanted: Wanted): Picked | null {
  const from = spaceEnd(codes, 0);
  const first = codeAt(codes, from);
  if (first !== OBJECT && first !== LIST) return null;
  return new Picker(text, codes, from + 1).picked(first === OBJECT ? {} : [], wanted);
}

/** The same of an object whose members go on at `from`, up to its end and that of the text. */
export function pickMembers(text: string, codes: Codes, from: number, wanted: Wanted): Picked | null {
  return new Picker(text, codes, from).picked({}, wanted);
}

class Picker {
  private left = MAX_BUILT;
  private headersLeft = MAX_HEADERS;

  constructor(
    private readonly text: string,
    private readonly codes: Codes,
    private at: number,
  ) {}

  picked(value: Built, wanted: Wanted): Picked | null {
    let whole = true;
    try {
      this.fill(value, wanted);
      if (spaceEnd(this.codes, this.at) < this.text.length) return null;
    } catch (error) {
      if (!(error instanceof NotJson)) throw error;
      if (!error.atEnd) return null;
      whole = false;
    }
    read(value);
    return { value, whole };
  }

  /** Goes on after a bracket. It fills while it reads, so that of a text that is cut all is there that came before. */
  private fill(into: Built, wanted: Wanted): void {
    if (Array.isArray(into)) this.elements(into, wanted.elements);
    else this.members(into, wanted);
  }

  private members(into: Record<string, unknown>, wanted: Wanted): void {
    if (this.closes(OBJECT_END)) return;
    do {
      const from = (this.at = spaceEnd(this.codes, this.at));
      this.at = nameEnd(this.codes, from);
      const found = this.left > 0 ? this.memberOf(from, wanted) : null;
      if (found === null) this.at = valueEnd(this.codes, this.at);
      else {
        const value = this.begun();
        put(into, found.name, value);
        this.rest(value, found.wanted);
      }
    } while (this.more(OBJECT_END));
  }

  private elements(into: unknown[], wanted: Wanted | null): void {
    if (this.closes(LIST_END)) return;
    do {
      if (wanted === null || into.length === MAX_ELEMENTS || this.left === 0) {
        this.at = listEnd(this.codes, this.at);
        return;
      }
      const value = this.begun();
      into.push(value);
      this.rest(value, wanted);
    } while (this.more(LIST_END));
  }

  private closes(end: number): boolean {
    const at = spaceEnd(this.codes, this.at);
    if (codeAt(this.codes, at) !== end) return false;
    this.at = at + 1;
    return true;
  }

  /** After a value: whether another one comes. */
  private more(end: number): boolean {
    const at = spaceEnd(this.codes, this.at);
    const code = codeAt(this.codes, at);
    if (code !== COMMA && code !== end) fail(this.codes, at);
    this.at = at + 1;
    return code === COMMA;
  }

  /** A list or an object that is still empty; of anything else how it is written, for the last of a name alone has to be read. */
  private begun(): unknown {
    this.left -= 1;
    const from = (this.at = spaceEnd(this.codes, this.at));
    const first = codeAt(this.codes, from);
    if (first === OBJECT) return {};
    if (first === LIST) return [];
    this.at = scalarEnd(this.codes, from);
    // Nothing ends here yet: a number may go on.
    if (this.at === this.text.length) fail(this.codes, this.at);
    return this.text.slice(from, this.at);
  }

  private rest(value: unknown, wanted: Wanted): void {
    if (typeof value === 'string') return;
    if (wanted.isLeaf) {
      this.at = valueEnd(this.codes, this.at);
      return;
    }
    this.at += 1;
    this.fill(value as Built, wanted);
  }

  /** Which of the names that are asked for it is, that begins there. */
  private memberOf(from: number, { names, headers }: Wanted): Name | null {
    const { codes } = this;
    const first = letterAt(codes, from + 1);
    for (const each of names) if (first === each.first && isNamed(codes, from, each.name, false)) return each;
    if (headers.length === 0 || this.headersLeft === 0) return null;
    const lower = lowerCase(first);
    for (const each of headers) {
      if (lower !== each.first || !isNamed(codes, from, each.name, true)) continue;
      this.headersLeft -= 1;
      return { ...each, name: scalarOf(this.text.slice(from, stringEnd(codes, from))) as string };
    }
    return null;
  }
}

/** As `JSON.parse` does, whatever the name: the last of a name counts. */
function put(into: Built, name: string | number, value: unknown): void {
  if (name === '__proto__') {
    Object.defineProperty(into, name, { value, writable: true, enumerable: true, configurable: true });
  } else (into as Record<string | number, unknown>)[name] = value;
}

/** Puts values in the place of how they are written. It goes no deeper than what is wanted. */
function read(value: Built): void {
  for (const name of Object.keys(value)) {
    const within = (value as Record<string, unknown>)[name];
    if (typeof within === 'string') put(value, name, scalarOf(within));
    else read(within as Built);
  }
}

function scalarOf(written: string): unknown {
  if (written.startsWith('"')) {
    if (written.length < SHORT && !written.includes('\\')) return written.slice(1, -1);
    return JSON.parse(written);
  }
  const number = Number(written);
  return Number.isNaN(number) ? JSON.parse(written) : number;
}
