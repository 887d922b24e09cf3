/** Who finds out about a write that may have happened: the `reconcile` method, a person after it could not, or whoever asked. */
export type WhoLooks = 'reconcile' | 'person' | 'caller';

/** What is to be done about a write that may have happened. */
export function whatNow(who: WhoLooks): string {
  switch (who) {
    case 'reconcile':
      return 'Its `reconcile` method looks it up: the same key, or `Operations.wait`, tells what it found.';
    case 'person':
      return 'Its lookup did not find out: look at the provider, then settle it by `Operations.resolve`, `discard` or `redrive`.';
    case 'caller':
      return 'Look it up at the provider before it is sent again.';
  }
}
