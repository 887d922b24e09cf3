import { GraphQLError } from 'graphql';

/** Codes that clients of this API may act on, as `extensions.code`. Those of the module (`PAUSED`, `UPSTREAM_LIMITED` ...) come besides. */
export type ErrorCode =
  | 'UNAUTHENTICATED'
  | 'BAD_USER_INPUT'
  | 'VIMEO_TOKEN_MISSING'
  | 'VIMEO_TOKEN_MISMATCH'
  | 'VIMEO_TOKEN_REJECTED'
  | 'VIMEO_TOKEN_NOT_REMOVED'
  | 'VIMEO_NOT_FOUND'
  | 'VIMEO_WRONG_ANSWER';

export function gqlError(code: ErrorCode, message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code } });
}
