import type { Value } from './database.js';

/** Values by column. */
export type Row = Readonly<Record<string, Value>>;

export interface Column {
  readonly name: string;
  readonly isNull: boolean;
}

/**
 * A statement's text for each set of columns, and for each set of those of them that are null, built once: to build it, and
 * to find its statement by it, takes as long as to run it. There are as many as the code has ways to change a row.
 */
export class Texts {
  private readonly root = new Place([]);

  constructor(private readonly build: (columns: readonly Column[]) => string) {}

  /** null is in the text, for a driver takes longer to bind a value than SQLite to write it; `values` gets all others. */
  of(rows: readonly Row[], values: Value[]): string {
    let place = this.root;
    for (const row of rows) {
      for (const name in row) {
        const value = row[name]!;
        place = place.next(name, value === null);
        if (value !== null) values.push(value);
      }
    }
    return (place.text ??= this.build(place.columns));
  }
}

/** After some columns. */
class Place {
  text: string | null = null;
  private readonly nulls = new Map<string, Place>();
  private readonly others = new Map<string, Place>();

  constructor(readonly columns: readonly Column[]) {}

  next(name: string, isNull: boolean): Place {
    const places = isNull ? this.nulls : this.others;
    let place = places.get(name);
    if (place === undefined) {
      place = new Place([...this.columns, { name, isNull }]);
      places.set(name, place);
    }
    return place;
  }
}
