export interface DurableOptions<Args extends any[] = any[]> {
  /** What stored work of the method is called: unique in the application, and never changed while there may be some. */
  readonly name: string;
  /**
   * Work of one ordering key is done one after the other, in the order in which it was asked for; keys hold within provider,
   * partition and tenant. Default: in any order. One that throws refuses the call unsent; nothing given means no order.
   */
  readonly orderingKey?: (...args: Args) => string | number | undefined | null;
}
