import { Database, type Value } from './worker/database.js';

/** Two rows of two columns, as arrays where that was asked for; and what was bound. */
class Statement {
  readonly bound: (readonly unknown[])[] = [];
  isRaw = false;

  run(...values: readonly unknown[]) {
    this.bound.push(values);
    return { changes: 2n };
  }

  get(...values: readonly unknown[]) {
    return this.all(...values)[0];
  }

  all(...values: readonly unknown[]): unknown[] {
    this.bound.push(values);
    const rows: readonly Value[][] = [[1, null], [2, 'b']]; // prettier-ignore
    return rows.map(([seq, id]) => (this.isRaw ? [seq, id] : { seq, id }));
  }
}

class Named extends Statement {
  columns() {
    return [{ name: 'seq' }, { name: 'id' }];
  }
}

class WithRaw extends Named {
  raw(isRaw: boolean) {
    this.isRaw = isRaw;
  }
}

class WithReturnArrays extends Named {
  setReturnArrays(isRaw: boolean) {
    this.isRaw = isRaw;
  }
}

describe.each([
  ['gives objects alone', Statement, false],
  ['names its columns and gives objects', Named, false],
  ['gives arrays by `raw`', WithRaw, true],
  ['gives arrays by `setReturnArrays`', WithReturnArrays, false],
])('a driver that %s', (_, Driver, takesArrays) => {
  const open = () => {
    const statement = new Driver();
    return { statement, database: new Database({ prepare: () => statement, exec: () => null, close: () => null }, takesArrays) }; // prettier-ignore
  };

  it('is read alike: rows by the names of their columns', () => {
    const { database } = open();
    expect(database.all('SELECT')).toEqual([{ seq: 1, id: null }, { seq: 2, id: 'b' }]); // prettier-ignore
    expect(database.get('SELECT')).toEqual({ seq: 1, id: null });
  });

  it('is asked alike: its values in order, and how many rows changed is a number', () => {
    const { statement, database } = open();
    expect(database.run('UPDATE', 1, 'a', null)).toBe(2);
    database.get('SELECT', 7);
    expect(statement.bound).toEqual(takesArrays ? [[[1, 'a', null]], [[7]]] : [[1, 'a', null], [7]]); // prettier-ignore
  });
});
