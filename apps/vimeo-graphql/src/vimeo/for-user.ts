import type { VimeoToken } from '../tokens/token-store.js';

/** Vimeo counts by user, and users are served in fair order. The key is the user, never the token. */
export const forUser = {
  partition: (token: VimeoToken) => ({ user: token.userId }),
  tenant: (token: VimeoToken) => token.userId,
};
