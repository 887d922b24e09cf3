/** Names in Redis. All of a provider, or of one shard of it, bear one hash tag, so that a script may touch them together. */

/** Part of every key: a release that lays the books out in another way counts up, and starts beside the old ones. */
export const LAYOUT = '1';

export interface Place {
  /** `<prefix>:<layout>:{<provider>}` or `...{<provider>:<shard>}`. A key is this, a colon and its own name. */
  readonly base: string;
  /** Redis is a cluster: hints go by sharded channels. */
  readonly sharded: boolean;
}

/** @param shard null = the provider is in one piece */
export function placeOf(prefix: string, provider: string, shard: number | null, sharded: boolean): Place {
  const tag = shard === null ? tagOf(provider) : `${tagOf(provider)}:${shard}`;
  return { base: `${prefix}:${LAYOUT}:{${tag}}`, sharded };
}

/** A brace of the provider's own would end the hash tag, and an empty tag is none. */
function tagOf(provider: string): string {
  return encodeURIComponent(provider);
}

export function keyIn(place: Place, name: string): string {
  return `${place.base}:${name}`;
}

/** Where the hints for one process are published. */
export function channelOf(place: Place, processId: string): string {
  return `${place.base}:wake:${processId}`;
}
