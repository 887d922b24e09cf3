/** What a reconciliation found out. Made by {@link found}, {@link absent} and {@link inconclusive}. */
export type Reconciled<T = unknown> =
  { readonly type: 'found'; readonly value: T } | { readonly type: 'absent' } | { readonly type: 'inconclusive' };

/** It happened; `value` is what the method would have given. */
export function found<T>(value: T): Reconciled<T> {
  return { type: 'found', value };
}

/** The provider does not know it. Said twice, `reconcile.settleTime` apart, it is sent once more. */
export function absent(): Reconciled<never> {
  return { type: 'absent' };
}

/** It cannot be told now: asked again later, in the end by a person. */
export function inconclusive(): Reconciled<never> {
  return { type: 'inconclusive' };
}
