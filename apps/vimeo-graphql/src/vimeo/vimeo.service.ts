import { HttpService } from '@nestjs/axios';
import { Injectable } from '@nestjs/common';
import { isAxiosError } from 'axios';
import { InjectProvider, Throttled } from 'nestjs-sluice';
import { firstValueFrom } from 'rxjs';
import { gqlError } from '../graphql-errors.js';
import type { VimeoToken } from '../tokens/token-store.js';
import { forUser } from './for-user.js';
import { expectId, idOfUri } from './uri.js';
import { asGraphqlError } from './vimeo-problem.js';
import { USER_FIELDS, VIDEO_FIELDS, type VimeoPageBody, type VimeoUserBody } from './vimeo.bodies.js';

export interface VideoQuery {
  readonly limit: number;
  readonly offset: number;
  readonly sort: string;
  readonly direction: string;
  readonly search?: string;
}

/** Calls to Vimeo, each with the token of the user it is made for. */
@Injectable()
export class VimeoService {
  constructor(@InjectProvider('vimeo') private readonly http: HttpService) {}

  @Throttled('vimeo', forUser)
  async user(token: VimeoToken, id: string): Promise<VimeoUserBody> {
    const user = await this.get<VimeoUserBody>(token, `/users/${encodeURIComponent(id)}`, { fields: USER_FIELDS });
    expectId(id, idOfUri(user.uri, 'users'));
    return user;
  }

  @Throttled('vimeo', forUser)
  async videos(token: VimeoToken, userId: string, query: VideoQuery): Promise<VimeoPageBody> {
    const { limit, offset, sort, direction, search } = query;
    const page = await this.get<VimeoPageBody>(token, `/users/${encodeURIComponent(userId)}/videos`, {
      page: offset / limit + 1,
      per_page: limit,
      sort,
      direction,
      filter: 'playable',
      filter_playable: true,
      fields: VIDEO_FIELDS,
      ...(search ? { query: search } : {}),
    });
    expectId(userId, idOfUri(page.paging.first, 'users'));
    return page;
  }

  /** Takes the token back at Vimeo: afterwards it is worth nothing. */
  @Throttled('vimeo', forUser)
  async removeToken(token: VimeoToken): Promise<void> {
    try {
      await firstValueFrom(this.http.delete('/tokens', { headers: bearer(token) }));
    } catch (error) {
      const status = isAxiosError(error) ? error.response?.status : undefined;
      if (status === 401) return; // It was taken back before.
      if (status === 429 || status === undefined) throw error;
      throw gqlError(
        'VIMEO_TOKEN_NOT_REMOVED',
        'Vimeo did not take the token back; the account stays connected. Try again later.',
      );
    }
  }

  private async get<T>(token: VimeoToken, path: string, params: object): Promise<T> {
    try {
      return (await firstValueFrom(this.http.get<T>(path, { params, headers: bearer(token) }))).data;
    } catch (error) {
      throw asGraphqlError(error, isAxiosError(error) ? error.response?.status : undefined);
    }
  }
}

const bearer = (token: VimeoToken): { authorization: string } => ({ authorization: `Bearer ${token.accessToken}` });
