/** What of a body is asked for: all paths of a contract as one tree, so that one look at a text finds everything. */
import { EVERY } from './path.js';

export interface Name {
  readonly name: string;
  /** What follows the quotation mark before it: most names of a text are told apart by that. */
  readonly first: number;
  readonly wanted: Wanted;
}

export class Wanted {
  readonly names: Name[] = [];
  /** Of every element of a list. */
  elements: Wanted | null = null;
  /** Names of headers, in lower case; they may be spelt in any case. */
  readonly headers: Name[] = [];

  /** Whether nothing within it is asked for. */
  get isLeaf(): boolean {
    return this.names.length === 0 && this.elements === null && this.headers.length === 0;
  }

  /** Asks for what stands at the end of these steps; gives its place in the tree. */
  add(steps: readonly string[]): Wanted {
    const [step, ...rest] = steps;
    if (step === undefined) return this;
    if (step === EVERY) return this.#element().add(rest);
    // The elements of a list have numbers for names.
    if (/^\d+$/.test(step)) this.#element().add(rest);
    return this.#member(step).add(rest);
  }

  /** Asks here for all that another tree asks for. */
  addAll(other: Wanted): void {
    for (const { name, wanted } of other.names) this.#member(name).addAll(wanted);
    if (other.elements !== null) this.#element().addAll(other.elements);
  }

  /** Asks here for all lines of these headers. */
  addHeaders(names: Iterable<string>): void {
    for (const name of names) this.headers.push(named(name.toLowerCase(), LINES));
  }

  #element(): Wanted {
    return (this.elements ??= new Wanted());
  }

  #member(name: string): Wanted {
    let known = this.names.find((each) => each.name === name);
    if (known === undefined) this.names.push((known = named(name, new Wanted())));
    return known.wanted;
  }
}

const LINES = new Wanted();
LINES.add([EVERY]);

function named(name: string, wanted: Wanted): Name {
  return { name, first: `${name}"`.charCodeAt(0), wanted };
}
