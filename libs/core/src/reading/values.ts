/** Finding values in an answer. Whatever the answer holds, what cannot be read is left out. */
import type { HeaderBag } from '../model/outcome.js';
import type { Pattern, ValueMatch, ValueSource } from './options.js';

/** An answer, laid open for reading. */
export interface OpenAnswer {
  /** By lower-case name; trimmed, never empty. */
  readonly headers: ReadonlyMap<string, readonly string[]>;
  /** The parsed body. */
  readonly body: () => unknown;
}

/** Finds the values of one source, as texts. */
export type ValueReader = (answer: OpenAnswer) => readonly string[];

const NONE: readonly string[] = [];
/** Longest text that is looked at, and most elements of a list. */
const MAX_TEXT = 8192;
const MAX_ELEMENTS = 1000;
const MAX_JSON = 1_048_576;

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
    const value: unknown = bag[key];
    const texts = Array.isArray(value) ? present(value.map(textOf)) : textsOf(value);
    if (texts.length > 0) found.set(name, [...(found.get(name) ?? NONE), ...texts]);
  }
  return found;
}

/** The body as a value: a text that looks like JSON is parsed, once and only when asked for. */
export function openBody(body: unknown): () => unknown {
  if (typeof body !== 'string') return () => body;
  let parsed: unknown;
  let done = false;
  return () => {
    if (done) return parsed;
    done = true;
    try {
      if (body.length <= MAX_JSON && /^\s*[[{]/.test(body)) parsed = JSON.parse(body);
    } catch {
      // Not JSON after all: nothing to read.
    }
    return parsed;
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
    const match = pattern.exec(text.slice(0, MAX_TEXT));
    return match === null ? null : textOf(match[1] ?? match[0]);
  };
  if (typeof source === 'object' && 'body' in source) {
    const path = compilePath(source.body);
    return (answer) =>
      present(
        path(answer.body())
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
  const steps = path
    .split('.')
    .flatMap((step) => step.split(/(\[\])/))
    .filter((step) => step !== '');
  return (value) => {
    let found: unknown[] = [value];
    for (const step of steps) {
      found = found.flatMap((one) => {
        if (step === '[]') return Array.isArray(one) ? one.slice(0, MAX_ELEMENTS) : [];
        if (typeof one !== 'object' || one === null || !Object.hasOwn(one, step)) return [];
        return [(one as Record<string, unknown>)[step]];
      });
      if (found.length > MAX_ELEMENTS) found.length = MAX_ELEMENTS;
    }
    return found;
  };
}

export function compileMatch(match: ValueMatch): (values: readonly unknown[]) => boolean {
  if (match instanceof RegExp || (typeof match === 'object' && 'matches' in match)) {
    const pattern = stateless(match instanceof RegExp ? match : match.matches);
    return (values) => values.some((value) => pattern.test((textOf(value) ?? '').slice(0, MAX_TEXT)));
  }
  if (typeof match === 'object') {
    return (values) => values.some((value) => value !== undefined && value !== null) === match.present;
  }
  const wanted = String(match).toLowerCase();
  return (values) => values.some((value) => textOf(value)?.toLowerCase() === wanted);
}

/** The smallest count among the values and their comma-separated items; null = none is a count. */
export function smallestCount(texts: readonly string[]): number | null {
  let smallest: number | null = null;
  for (const text of texts.flatMap((each) => each.split(','))) {
    const count = countOf(text);
    if (count !== null && (smallest === null || count < smallest)) smallest = count;
  }
  return smallest;
}

/** The first item, without parameters, if it is a count. */
export function firstCount(texts: readonly string[]): number | null {
  return texts[0] === undefined ? null : countOf(texts[0].split(/[,;]/)[0]!);
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

function textsOf(value: unknown): readonly string[] {
  const text = textOf(value);
  return text === null ? NONE : [text];
}

function present(texts: readonly (string | null)[]): readonly string[] {
  return texts.filter((text): text is string => text !== null && text !== '');
}

/** A pattern without the flags that make it remember its last match; texts take letters in any case. */
function stateless(pattern: Pattern): RegExp {
  if (typeof pattern === 'string') return new RegExp(pattern, 'i');
  return /[gy]/.test(pattern.flags) ? new RegExp(pattern.source, pattern.flags.replace(/[gy]/g, '')) : pattern;
}
