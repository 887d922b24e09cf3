/**
 * What an error of unknown outcome means to the operation in which it was thrown, where it comes from an operation inside that
 * has a key of its own: the outer one has sent nothing of it, and is run again without harm, for the inner one is not.
 */

/** `looked-up`: it is found out what became of it. `given-up`: a person has to settle it first. */
export type Inside = 'looked-up' | 'given-up';

const known = new WeakMap<object, Inside>();

/** Says of an error on its way out of an operation what became of that one. What is known from further inside stays. */
export function tellInside(error: object, inside: Inside): void {
  if (!known.has(error)) known.set(error, inside);
}

/** null = it is the error of no operation inside. */
export function insideOf(error: unknown): Inside | null {
  return (typeof error === 'object' && error !== null && known.get(error)) || null;
}
