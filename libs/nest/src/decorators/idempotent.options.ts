export interface IdempotentOptions<Args extends any[] = any[]> {
  /**
   * Identity of the work, from the method's arguments: free of personal data and of anything that changes from try to try.
   * An invocation with a key that is under way joins it; with one that succeeded, gets the same result. Default: each
   * invocation is its own operation. One that throws or gives nothing refuses the call unsent.
   */
  readonly key?: (...args: Args) => string | number;
  /** What may not differ between two invocations with one key. Default: all arguments. */
  readonly fingerprint?: (...args: Args) => unknown;
  /**
   * Name of the method of the same class that looks an uncertain write up at the provider: it gets the same arguments and
   * gives `found(result)`, `absent()` or `inconclusive()`. It needs a durable store, and arguments that are plain data.
   * Default: a person settles it, by `Operations`.
   */
  readonly reconcile?: string;
  /**
   * With `reconcile`: what the work is looked up by at the provider. Of one reference one operation is looked up at a time,
   * and none while another of it is under way. Default: each operation is looked up by itself. One that throws or gives
   * nothing refuses the call unsent.
   */
  readonly reference?: (...args: Args) => string | number;
  /**
   * With `reconcile`: what a caller gets whose write may have happened. `raise`: OUTCOME_UNKNOWN, at once. `wait`: the result
   * that the reconciliation finds, within the deadline. Default: `raise`.
   */
  readonly onUnknown?: 'raise' | 'wait';
}
