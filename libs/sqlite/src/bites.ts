/** What may be much is asked for bite by bite: between two of them the store's thread serves others, and this one's loop turns. */

/** Operations that one command moves or forgets, and that one shows. */
export const MOVED_PER_BITE = 100;
export const SHOWN_PER_BITE = 200;

export interface Bite<Item> {
  readonly items: readonly Item[];
  readonly isLast: boolean;
}

/**
 * Up to `limit` of what `take` gives, which is asked for at most `most` at a time. Where a later bite fails the earlier
 * ones have happened and are told; whoever comes for the rest hears of the failure.
 */
export async function inBites<Item>(
  limit: number,
  most: number,
  take: (limit: number) => Promise<Bite<Item>>,
): Promise<Bite<Item>> {
  const items: Item[] = [];
  let isLast = false;
  while (items.length < limit && !isLast) {
    try {
      const bite = await take(Math.min(most, limit - items.length));
      items.push(...bite.items);
      isLast = bite.isLast;
    } catch (error) {
      if (items.length === 0) throw error;
      break;
    }
  }
  return { items, isLast };
}
