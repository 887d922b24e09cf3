/** Of known names the one that was most likely meant. */

/** Letters that may differ: one of a short name, a third of a longer one. */
const wrongLetters = (name: string): number => Math.max(1, Math.floor(name.length / 3));

/** More letters than any name of ours has: nobody means one by it. */
const LONGEST = 64;

/** ` (did you mean plan?)`, or nothing where no name is near. */
export function didYouMean(name: string, known: readonly string[]): string {
  let best: string | null = null;
  let least = wrongLetters(name) + 1;
  for (const each of name.length > LONGEST ? [] : known) {
    const distance = distanceOf(name.toLowerCase(), each.toLowerCase());
    if (distance < least) [best, least] = [each, distance];
  }
  return best === null ? '' : ` (did you mean ${best}?)`;
}

/** Letters to add, to leave out, to change, or to swap with the next one, from one text to the other (optimal string alignment). */
function distanceOf(a: string, b: string): number {
  let [before, last]: [number[], number[]] = [[], Array.from({ length: b.length + 1 }, (_, index) => index)];
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      row[j] = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + same);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (swapped) row[j] = Math.min(row[j]!, before[j - 2]! + 1);
    }
    [before, last] = [last, row];
  }
  return last[b.length]!;
}
