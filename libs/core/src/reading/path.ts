/** Paths of bodies: names that go by dots, `[]` for every element of a list. */

/** Of a list no more elements than these are looked at. */
export const MAX_ELEMENTS = 50;
export const EVERY = '[]';

export function stepsOf(path: string): readonly string[] {
  return path
    .split('.')
    .flatMap((step) => step.split(/(\[\])/))
    .filter((step) => step !== '');
}

/** Finds the values at a path, `[]` standing for every element of a list. */
export function compilePath(path: string): (value: unknown) => readonly unknown[] {
  const steps = stepsOf(path);
  return (value) => {
    let found: unknown[] = [value];
    for (const step of steps) found = step === EVERY ? elementsOf(found) : membersOf(found, step);
    return found;
  };
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

/** A name of so many letters is seldom met by chance. */
const RARE = 8;

/**
 * A piece of text that stands in all JSON that has this path, but where a name is written with escapes of characters by number;
 * null = there is none. It is of the outermost name that is long, for paths share their first names and what was sought for one
 * is known for all; else of the longest. It begins without a quotation mark, as these are met everywhere and a search looks for
 * its first letter.
 */
export function rarePiece(path: string): string | null {
  const plain = stepsOf(path).filter((step) => /^[\w-]+$/.test(step));
  const longest = plain.reduce((best, step) => (step.length > best.length ? step : best), '');
  const rare = plain.find((step) => step.length >= RARE) ?? longest;
  return rare === '' ? null : `${rare}"`;
}
