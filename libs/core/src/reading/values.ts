/** Finding values in an answer. Whatever the answer holds, what cannot be read is left out. */
import type { HeaderBag } from '../model/outcome.js';
import type { Pattern, ValueMatch, ValueSource } from './options.js';

/** An answer, laid open for reading. */
export interface OpenAnswer {
  /** By lower-case name; trimmed, never empty. */
  readonly headers: ReadonlyMap<string, readonly string[]>;
  readonly body: OpenBody;
}

export interface OpenBody {
  /** The body as a value; undefined where it is long, and where its text shows, unparsed, that this key is nowhere in it. */
  at(key: string | null): unknown;
  /** The same for a function of the contract, which may look for anything. */
  whole(): unknown;
}

/** Finds the values of one source, as texts. */
export type ValueReader = (answer: OpenAnswer) => readonly string[];

const NONE: readonly string[] = [];
/**
 * Reading an answer takes under 2 ms: of more than this nothing is looked at (`npm run bench reading`). Only JSON as long as may
 * be, with thousands of names that are all different, takes a few ms to parse.
 */
const MAX_HEADER = 4096;
const MAX_LINES = 32;
const MAX_MATCHED = 1024;
const MAX_ELEMENTS = 50;
const MAX_BODY = 65_536;
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

/**
 * The body as a value: a text that looks like JSON is parsed, once and only when asked for. Asked for what is under a key of
 * plain letters, a text without the key is not parsed: most answers hold nothing of what the rules look for.
 */
export function openBody(body: unknown): OpenBody {
  if (typeof body !== 'string') return { at: () => body, whole: () => body };
  let parsed: unknown;
  let done = false;
  const parse = (): unknown => {
    if (done) return parsed;
    done = true;
    try {
      if (/^\s*[[{]/.test(body)) parsed = JSON.parse(body);
    } catch {
      // Not JSON after all: nothing to read.
    }
    return parsed;
  };
  let escaped: boolean | null = null;
  const lacks = (key: string | null): boolean =>
    key !== null && !body.includes(key) && !(escaped ??= body.includes('\\u'));
  return {
    at: (key) => (body.length > MAX_BODY || (!done && lacks(key)) ? undefined : parse()),
    whole: () => (body.length > MAX_WHOLE_BODY ? undefined : parse()),
  };
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
    const key = rarestKey(source.body);
    return (answer) =>
      present(
        path(answer.body.at(key))
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

/** Finds the values at a path, `[]` standing for every element of a list. */
export function compilePath(path: string): (value: unknown) => readonly unknown[] {
  const steps = stepsOf(path);
  return (value) => {
    let found: unknown[] = [value];
    for (const step of steps) found = step === '[]' ? elementsOf(found) : membersOf(found, step);
    return found;
  };
}

function stepsOf(path: string): readonly string[] {
  return path
    .split('.')
    .flatMap((step) => step.split(/(\[\])/))
    .filter((step) => step !== '');
}

function elementsOf(lists: readonly unknown[]): unknown[] {
  const found: unknown[] = [];
  for (const list of lists) {
    if (Array.isArray(list)) found.push(...list.slice(0, MAX_ELEMENTS - found.length));
    if (found.length === MAX_ELEMENTS) break;
  }
  return found;
}

function membersOf(objects: readonly unknown[], name: string): unknown[] {
  const found: unknown[] = [];
  for (const one of objects) {
    if (typeof one !== 'object' || one === null || !Object.hasOwn(one, name)) continue;
    found.push((one as Record<string, unknown>)[name]);
  }
  return found;
}

/** The longest key of a path, as JSON writes it, if there is one way only to write it but for its escapes of characters by number. */
export function rarestKey(path: string): string | null {
  const plain = stepsOf(path).filter((step) => /^[\w-]+$/.test(step));
  const longest = plain.reduce((best, step) => (step.length > best.length ? step : best), '');
  return longest === '' ? null : `"${longest}"`;
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
