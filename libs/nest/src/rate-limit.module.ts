import {
  type DynamicModule,
  type MiddlewareConsumer,
  Module,
  type NestModule,
  type OnModuleInit,
  type Provider,
  Scope,
} from '@nestjs/common';
import { DiscoveryModule, HttpAdapterHost, INQUIRER, ModuleRef, REQUEST } from '@nestjs/core';
import type { ProviderContract } from '../../core/src/index.js';
import { openInboundFor } from './inbound/open-inbound.js';
import type { RateLimitModuleOptions } from './interfaces/rate-limit-module-options.interface.js';
import { Operations } from './operations/operations.service.js';
import { RateLimitExplorer } from './rate-limit.explorer.js';
import { RateLimitLifecycle } from './rate-limit.lifecycle.js';
import { checkContract, checkModuleOptions } from './rate-limit.checks.js';
import { missingProvider, noContract, requestScopedOptions } from './rate-limit.messages.js';
import {
  type ASYNC_OPTIONS_TYPE,
  ConfigurableModuleClass,
  MODULE_OPTIONS_TOKEN,
  type OPTIONS_TYPE,
} from './rate-limit.module-definition.js';
import { RateLimitService } from './rate-limit.service.js';
import { getProviderToken } from './rate-limit.tokens.js';
import { SLUICE_APPLICATION } from './rate-limit.constants.js';
import { openApplication, type SluiceApplication } from './sluice-application.js';

/** Adds providers beside the client that owns them; the root module holds the application. */
@Module({})
export class RateLimitFeatureModule {}

@Module({
  imports: [DiscoveryModule],
  providers: [
    {
      provide: SLUICE_APPLICATION,
      useFactory: (options: RateLimitModuleOptions) => openApplication(options),
      inject: [MODULE_OPTIONS_TOKEN],
    },
    RateLimitService,
    Operations,
    RateLimitExplorer,
    RateLimitLifecycle,
  ],
  exports: [SLUICE_APPLICATION, RateLimitService, Operations],
})
export class RateLimitModule extends ConfigurableModuleClass implements NestModule, OnModuleInit {
  constructor(private readonly moduleRef: ModuleRef) {
    super();
  }

  /** Global unless `isGlobal: false`. The clients of `providers` are injectable by `@InjectProvider(name)`. */
  static override forRoot(options: typeof OPTIONS_TYPE): DynamicModule {
    checkModuleOptions(options);
    const names = (options.providers ?? []).map((contract) => contract.name);
    return withClients(super.forRoot(options), [...new Set([...names, ...(options.injectable ?? [])])]);
  }

  /**
   * Options from a factory, a class or an existing provider. Name the providers whose clients are to be injected in
   * `injectable`: what a factory will give is not known when modules are put together.
   *
   * @throws SluiceError CONFIG when the options depend on the request: each request would count on its own.
   */
  static override forRootAsync(options: typeof ASYNC_OPTIONS_TYPE): DynamicModule {
    const asked = (options.inject ?? []).map((token) =>
      typeof token === 'object' && 'token' in token ? token.token : token,
    );
    if (asked.includes(REQUEST) || asked.includes(INQUIRER)) throw requestScopedOptions();
    return withClients(super.forRootAsync(options), options.injectable ?? []);
  }

  /** Adds providers in the module that owns their clients. Needs the root module to be global, as it is by default. */
  static forFeature(contracts: readonly ProviderContract[]): DynamicModule {
    if (!Array.isArray(contracts)) throw noContract('the argument of forFeature, which is a list,');
    contracts.forEach((contract, index) => checkContract(contract, `forFeature, contract ${index}`));
    const providers = contracts.map((contract): Provider => ({
      provide: getProviderToken(contract.name),
      useFactory: (application: SluiceApplication) => {
        application.register(contract);
        return application.client(contract.name);
      },
      inject: [SLUICE_APPLICATION],
    }));
    return { module: RateLimitFeatureModule, providers, exports: contracts.map((c) => getProviderToken(c.name)) };
  }

  /** Nest calls it before any route is registered: the inbound context is around all of them, GraphQL's included. */
  configure(_consumer: MiddlewareConsumer): void {
    if (this.isRequestScoped()) return;
    const { httpAdapter } = this.moduleRef.get(HttpAdapterHost, { strict: false });
    if (httpAdapter) openInboundFor(httpAdapter, this.moduleRef.get<SluiceApplication>(SLUICE_APPLICATION));
  }

  onModuleInit(): void {
    if (this.isRequestScoped()) throw requestScopedOptions();
  }

  private isRequestScoped(): boolean {
    return this.moduleRef.introspect(SLUICE_APPLICATION).scope === Scope.REQUEST;
  }
}

function withClients(definition: DynamicModule, names: readonly string[]): DynamicModule {
  const clients = names.map((name): Provider => ({
    provide: getProviderToken(name),
    useFactory: (application: SluiceApplication) => {
      if (!application.has(name)) throw missingProvider(name);
      return application.client(name);
    },
    inject: [SLUICE_APPLICATION],
  }));
  return {
    ...definition,
    providers: [...(definition.providers ?? []), ...clients],
    exports: [...(definition.exports ?? []), ...names.map(getProviderToken)],
  };
}
