import { ApolloDriver, type ApolloDriverConfig } from '@nestjs/apollo';
import { type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { GraphQLModule } from '@nestjs/graphql';
import { RateLimitExceptionFilter, RateLimitModule, type RateLimitModuleOptions } from 'nestjs-sluice';
import { TokenStore } from './tokens/token-store.js';
import { UserResolver } from './users/user.resolver.js';
import { VideosResolver } from './videos/videos.resolver.js';
import type { VimeoContractOptions } from './vimeo/vimeo.contract.js';
import { VimeoModule } from './vimeo/vimeo.module.js';

export interface AppOptions {
  readonly vimeo: VimeoContractOptions;
  readonly rateLimit?: RateLimitModuleOptions;
}

@Module({})
export class AppModule {
  static register({ vimeo, rateLimit = {} }: AppOptions): DynamicModule {
    return {
      module: AppModule,
      imports: [
        GraphQLModule.forRoot<ApolloDriverConfig>({
          driver: ApolloDriver,
          autoSchemaFile: true,
          sortSchema: true,
          includeStacktraceInErrorResponses: false,
        }),
        RateLimitModule.forRoot(rateLimit),
        VimeoModule.register(vimeo),
      ],
      providers: [
        TokenStore,
        UserResolver,
        VideosResolver,
        { provide: APP_FILTER, useClass: RateLimitExceptionFilter },
      ],
    };
  }
}
