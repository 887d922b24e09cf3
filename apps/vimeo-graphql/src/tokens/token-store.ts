import { Injectable } from '@nestjs/common';
import type { Caller } from '../caller/caller.decorator.js';
import { gqlError } from '../graphql-errors.js';

/** A user's access to Vimeo. */
export interface VimeoToken {
  /** Whose it is, in this application. */
  readonly userId: string;
  /** Who that is at Vimeo. */
  readonly vimeoId: string;
  readonly accessToken: string;
}

/** Tokens in memory, by user. */
@Injectable()
export class TokenStore {
  private readonly tokens = new Map<string, VimeoToken>();

  /** The caller's token, or undefined. */
  find(caller: Caller): VimeoToken | undefined {
    return this.tokens.get(caller.userId);
  }

  /** @throws GraphQLError VIMEO_TOKEN_MISSING, or VIMEO_TOKEN_MISMATCH when what is kept is not the caller's own. */
  require(caller: Caller): VimeoToken {
    const token = this.find(caller);
    if (token === undefined)
      throw gqlError('VIMEO_TOKEN_MISSING', `User ${caller.userId} has not connected an account of Vimeo.`);
    if (token.userId !== caller.userId) {
      throw gqlError(
        'VIMEO_TOKEN_MISMATCH',
        `The token kept for user ${caller.userId} is that of user ${token.userId}.`,
      );
    }
    return token;
  }

  keep(caller: Caller, token: VimeoToken): void {
    this.tokens.set(caller.userId, token);
  }

  remove(caller: Caller): void {
    this.tokens.delete(caller.userId);
  }
}
