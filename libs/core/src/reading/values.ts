/** Finding values in an answer. Whatever the answer holds, what cannot be read is left out. */
import type { HeaderBag } from '../model/outcome.js';
import { JsonText } from './json-text.js';
import type { Pattern, ValueMatch, ValueSource } from './options.js';
import { compilePath, MAX_ELEMENTS, rarePiece } from './path.js';
import { Wanted } from './wanted.js';

/** An answer, laid open for reading. */
export interface OpenAnswer {
  /** By lower-case name; trimmed, never empty. */
  readonly headers: ReadonlyMap<string, readonly string[]>;
  readonly body: OpenBody;
}

export interface OpenBody {
  /**
   * The body as a value: of a text what the contract wants of it. Undefined where it is no JSON, and where its text shows,
   * unread, that this piece of it is nowhere in it.
   */
  at(piece: string | null): unknown;
  /** All of it, for a function of the contract, which may look for anything; of a text over 1 MiB nothing. */
  whole(): unknown;
}

/** Finds the values of one source, as texts. */
export type ValueReader = (answer: OpenAnswer) => readonly string[];

const NONE: readonly string[] = [];
/** Reading an answer takes under 2 ms: of more than this nothing is looked at (`npm run bench reading`). */
const MAX_HEADER = 4096;
const MAX_LINES = 32;
const MAX_MATCHED = 1024;
/** What a function of the contract is given parsed. */
const MAX_WHOLE_BODY = 1_048_576;

/** Lower-cases names, and keeps of each header the values that are text. `wanted` null = all. */
export function openHeaders(
  bag: HeaderBag | null | undefined,
  wanted: ReadonlySet<string> | null,
): Map<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  if (typeof bag !== 'object' || bag === null) return found;
  for (const key of Object.keys(bag)) {
    const name = key.toLowerCase();
    if (wanted !== null && !wanted.has(name)) continue;
    const texts = found.get(name);
    if (texts !== undefined && texts.length >= MAX_LINES) continue;
    const value: unknown = bag[key];
    const lines = Array.isArray(value) ? linesWithin(value) : lineOf(value);
    if (lines.length > 0) found.set(name, texts === undefined ? lines : linesWithin([...texts, ...lines]));
  }
  return found;
}

function lineOf(value: unknown): readonly string[] {
  const text = textOf(value);
  return text === null || text.length > MAX_HEADER ? NONE : [text];
}

/** As many of the lines as are looked at. */
function linesWithin(lines: readonly unknown[]): readonly string[] {
  const found: string[] = [];
  let length = 0;
  for (const line of lines.slice(0, MAX_LINES)) {
    const text = textOf(line);
    if (text === null) continue;
    length += text.length;
    if (length > MAX_HEADER) break;
    found.push(text);
  }
  return found;
}

/** The body as a value. Of a text the contract's own paths are `wanted`; it is gone through once, and only when asked for. */
export function openBody(body: unknown, wanted: Wanted = new Wanted()): OpenBody {
  if (typeof body !== 'string') return { at: () => body, whole: () => body };
  return new TextBody(body, wanted);
}

class TextBody extends JsonText implements OpenBody {
  #parsed: unknown = undefined;
  #isParsed = false;

  constructor(
    private readonly text: string,
    wanted: Wanted,
  ) {
    super(text, wanted);
  }

  whole(): unknown {
    if (!this.#isParsed && this.text.length <= MAX_WHOLE_BODY) this.#parsed = parse(this.text);
    this.#isParsed = true;
    return this.#parsed;
  }
}

function parse(text: string): unknown {
  try {
    return /^\s*[[{]/.test(text) ? JSON.parse(text) : undefined;
  } catch {
    // Not JSON after all: nothing to read.
    return undefined;
  }
}

export function headerOf(source: ValueSource): string | null {
  if (typeof source === 'string') return source.toLowerCase();
  return 'header' in source ? source.header.toLowerCase() : null;
}

export function compileSource(source: ValueSource): ValueReader {
  const pattern = typeof source === 'string' || source.pattern === undefined ? null : stateless(source.pattern);
  const pick = (text: string): string | null => {
    if (pattern === null) return text;
    const match = pattern.exec(text.slice(0, MAX_MATCHED));
    return match === null ? null : textOf(match[1] ?? match[0]);
  };
  if (typeof source === 'object' && 'body' in source) {
    const path = compilePath(source.body);
    const piece = rarePiece(source.body);
    return (answer) =>
      present(
        path(answer.body.at(piece))
          .map(textOf)
          .map((text) => (text === null ? null : pick(text))),
      );
  }
  const name = headerOf(source)!;
  const index = typeof source === 'object' ? source.index : undefined;
  return (answer) => {
    const texts = answer.headers.get(name);
    if (texts === undefined) return NONE;
    if (pattern === null && index === undefined) return texts;
    return present(texts.map((text) => pick(index === undefined ? text : (textOf(text.split(',')[index]) ?? ''))));
  };
}

export function compileMatch(match: ValueMatch): (values: readonly unknown[]) => boolean {
  if (match instanceof RegExp || (typeof match === 'object' && 'matches' in match)) {
    const pattern = stateless(match instanceof RegExp ? match : match.matches);
    return (values) => values.some((value) => pattern.test((textOf(value) ?? '').slice(0, MAX_MATCHED)));
  }
  if (typeof match === 'object') {
    return (values) => values.some((value) => value !== undefined && value !== null) === match.present;
  }
  const wanted = String(match).toLowerCase();
  return (values) =>
    values.some((value) => {
      const text = textOf(value);
      return text !== null && text.length === wanted.length && text.toLowerCase() === wanted;
    });
}

/** The smallest count among the values and their comma-separated items; null = none is a count. */
export function smallestCount(texts: readonly string[]): number | null {
  let smallest: number | null = null;
  for (const text of texts) {
    for (const item of text.includes(',') ? text.split(',', MAX_ELEMENTS) : [text]) {
      const count = countOf(item);
      if (count !== null && (smallest === null || count < smallest)) smallest = count;
    }
  }
  return smallest;
}

/** The first item, without parameters, if it is a count. */
export function firstCount(texts: readonly string[]): number | null {
  return texts[0] === undefined ? null : countOf(texts[0].split(/[,;]/, 1)[0]!);
}

function countOf(text: string): number | null {
  if (!/^\d{1,16}(?:\.\d{1,16})?$/.test(text.trim())) return null;
  const count = Number(text);
  return count <= Number.MAX_SAFE_INTEGER ? count : null;
}

function textOf(value: unknown): string | null {
  if (typeof value === 'string') return value.trim() || null;
  if (typeof value === 'boolean') return String(value);
  return typeof value === 'number' && Number.isFinite(value) ? String(value) : null;
}

function present(texts: readonly (string | null)[]): readonly string[] {
  return texts.filter((text): text is string => text !== null && text !== '');
}

/** A pattern without the flags that make it remember its last match; texts take letters in any case. */
function stateless(pattern: Pattern): RegExp {
  if (typeof pattern === 'string') return new RegExp(pattern, 'i');
  return /[gy]/.test(pattern.flags) ? new RegExp(pattern.source, pattern.flags.replace(/[gy]/g, '')) : pattern;
}
