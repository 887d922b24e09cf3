import { Inject, Injectable } from '@nestjs/common';
import { Throttled } from 'nestjs-sluice';
import type { VimeoToken } from '../tokens/token-store.js';
import { forUser } from './for-user.js';
import { asGraphqlError } from './vimeo-problem.js';
import { VIMEO_URL } from './vimeo.constants.js';
import { type VimeoSdkHeaders, type VimeoSdkRequest, VimeoSdk } from './vimeo-sdk.js';
import { USER_FIELDS, type VimeoUserBody } from './vimeo.bodies.js';

interface SdkAnswer<T = unknown> {
  readonly status: number;
  readonly headers: VimeoSdkHeaders;
  readonly body: T;
}

/** What the SDK's callback told, as an error. */
export class VimeoSdkError extends Error {
  constructor(
    cause: Error,
    readonly answer: SdkAnswer | null,
  ) {
    super(cause.message, { cause });
    this.name = 'VimeoSdkError';
  }
}

/** Calls through an SDK that knows neither promises nor Axios: the method itself is the attempt. */
@Injectable()
export class VimeoSdkService {
  constructor(@Inject(VIMEO_URL) private readonly baseURL: string) {}

  /** The user whose token it is. */
  async me(token: VimeoToken): Promise<VimeoUserBody> {
    try {
      return (await this.get<VimeoUserBody>(token, { path: '/me', query: { fields: USER_FIELDS } })).body;
    } catch (error) {
      throw asGraphqlError(error, error instanceof VimeoSdkError ? error.answer?.status : undefined);
    }
  }

  @Throttled('vimeo', {
    ...forUser,
    guard: 'method',
    safe: true,
    answer: (result: SdkAnswer | undefined, error: unknown) =>
      result ?? (error instanceof VimeoSdkError ? (error.answer ?? undefined) : undefined),
  })
  get<T>(token: VimeoToken, request: VimeoSdkRequest): Promise<SdkAnswer<T>> {
    const sdk = new VimeoSdk(this.baseURL);
    sdk.setAccessToken(token.accessToken);
    return new Promise((resolve, reject) => {
      sdk.request(request, (error, body, status, headers) => {
        const answer = status === undefined ? null : { status, headers, body: body as T };
        if (error === null && answer !== null) resolve(answer);
        else reject(new VimeoSdkError(error ?? new Error('Vimeo gave no status.'), answer));
      });
    });
  }
}
