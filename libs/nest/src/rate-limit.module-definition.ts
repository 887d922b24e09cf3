import { ConfigurableModuleBuilder } from '@nestjs/common';
import type { RateLimitModuleOptions } from './interfaces/rate-limit-module-options.interface.js';

export interface RateLimitModuleExtras {
  /** Default: true. Decorated services of every module find the application then. */
  readonly isGlobal?: boolean;
  /**
   * For `forRootAsync`: names of the providers its options will bring whose clients are to be injectable. (`forRoot` and
   * `forFeature` know them.) Default: none.
   */
  readonly injectable?: readonly string[];
}

export const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN, OPTIONS_TYPE, ASYNC_OPTIONS_TYPE } =
  new ConfigurableModuleBuilder<RateLimitModuleOptions>({
    optionsInjectionToken: Symbol.for('nestjs-sluice/options@1'),
  })
    .setClassMethodName('forRoot')
    .setFactoryMethodName('createRateLimitOptions')
    .setExtras<RateLimitModuleExtras>({ isGlobal: true, injectable: [] }, (definition, extras) => ({
      ...definition,
      global: extras.isGlobal ?? true,
    }))
    .build();
