import { gqlError } from '../graphql-errors.js';

/** The id within a uri such as `/users/101` or `/videos/9`. */
export function idOfUri(uri: string, kind: 'users' | 'videos'): string {
  const id = new RegExp(`^/${kind}/([^/?]+)`).exec(uri)?.[1];
  if (id === undefined) throw gqlError('VIMEO_WRONG_ANSWER', `Vimeo answered with a uri that is none of /${kind}.`);
  return id;
}

/** Another user's data must never be taken for those that were asked for. */
export function expectId(asked: string, got: string): void {
  if (got !== asked) throw gqlError('VIMEO_WRONG_ANSWER', `Asked Vimeo for user ${asked}, got ${got}.`);
}
