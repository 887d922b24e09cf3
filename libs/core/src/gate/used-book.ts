/** Where a gate writes what has been used, so that its next process starts from it. */

/** Opaque text under an opaque key. */
export interface UsedEntry {
  readonly key: string;
  readonly value: string;
}

/** The used amounts of one provider in a durable store. */
export interface UsedBook {
  /** All that is kept and has not expired. */
  load(): Promise<readonly UsedEntry[]>;
  /** Resolves once all of it is kept, each entry for `keepMs`; an entry of the same key is replaced. 0 = it is forgotten. */
  save(entries: readonly UsedEntry[], keepMs: number): Promise<void>;
}
