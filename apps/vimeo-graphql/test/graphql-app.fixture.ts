import type { INestApplication } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import type { RateLimitModuleOptions } from 'nestjs-sluice';
import { startVimeo, type VimeoServer, type VimeoStandInOptions } from '../../provider-simulator/src/vimeo/stand-in.js';
import { AppModule } from '../src/app.module.js';
import { CALLER_HEADER } from '../src/caller/caller.decorator.js';
import { TokenStore } from '../src/tokens/token-store.js';
import type { VimeoContractOptions } from '../src/vimeo/vimeo.contract.js';

export interface GraphqlAnswer {
  readonly data: any;
  readonly errors?: readonly { readonly message: string; readonly extensions: Readonly<Record<string, unknown>> }[];
}

export interface RunningApp {
  readonly vimeo: VimeoServer;
  readonly tokens: TokenStore;
  /** Asks as a user; null = as nobody. */
  ask(userId: string | null, query: string): Promise<GraphqlAnswer>;
  close(): Promise<void>;
}

export interface RunningAppOptions {
  readonly vimeo?: VimeoStandInOptions;
  readonly contract?: Omit<VimeoContractOptions, 'baseURL'>;
  readonly rateLimit?: RateLimitModuleOptions;
}

/** The application over HTTP, in front of a stand-in of Vimeo. Users `user-<id>` hold the token of `<id>`. */
export async function runApp({ vimeo: options, contract, rateLimit }: RunningAppOptions = {}): Promise<RunningApp> {
  const vimeo = await startVimeo(options);
  const module = await Test.createTestingModule({
    imports: [AppModule.register({ vimeo: { baseURL: vimeo.url, ...contract }, rateLimit })],
  }).compile();
  const app: INestApplication = module.createNestApplication({ logger: false });
  await app.listen(0, '127.0.0.1');
  const tokens = app.get(TokenStore);
  for (const [accessToken, vimeoId] of vimeo.tokens) {
    const userId = `user-${vimeoId}`;
    tokens.keep({ userId }, { userId, vimeoId, accessToken });
  }
  const url = `${await app.getUrl()}/graphql`;
  return {
    vimeo,
    tokens,
    async ask(userId, query) {
      const headers = { 'content-type': 'application/json', ...(userId === null ? {} : { [CALLER_HEADER]: userId }) };
      const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ query }) });
      return (await response.json()) as GraphqlAnswer;
    },
    async close() {
      await app.close();
      await vimeo.stop();
    },
  };
}

/** The codes of the errors that a client sees. */
export const codesOf = ({ errors = [] }: GraphqlAnswer): unknown[] =>
  errors.map(({ extensions }) => extensions['code']);
