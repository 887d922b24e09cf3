/** Chance, passed in so that a test can repeat a run. */
export interface Random {
  /** A number from 0 (included) to 1 (excluded). */
  next(): number;
}
