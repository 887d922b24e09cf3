import { type ErrorCode, gqlError } from '../graphql-errors.js';

const PROBLEMS: Readonly<Record<number, readonly [ErrorCode, string]>> = {
  401: ['VIMEO_TOKEN_REJECTED', 'Vimeo does not accept the access token: connect the account again.'],
  404: ['VIMEO_NOT_FOUND', 'Vimeo knows no such user.'],
};

/** What a client can act on becomes an error with its code; all else stays as it is, for the module's exception filter. */
export function asGraphqlError(error: unknown, status: number | undefined): unknown {
  const problem = status === undefined ? undefined : PROBLEMS[status];
  return problem === undefined ? error : gqlError(...problem);
}
