import { type DynamicModule, Module } from '@nestjs/common';
import { RateLimitModule } from 'nestjs-sluice';
import { VIMEO_URL } from './vimeo.constants.js';
import { vimeoContract, type VimeoContractOptions } from './vimeo.contract.js';
import { VimeoSdkService } from './vimeo-sdk.service.js';
import { VimeoService } from './vimeo.service.js';

/** The provider beside the clients that own it. */
@Module({})
export class VimeoModule {
  static register(options: VimeoContractOptions): DynamicModule {
    return {
      module: VimeoModule,
      imports: [RateLimitModule.forFeature([vimeoContract(options)])],
      providers: [VimeoService, VimeoSdkService, { provide: VIMEO_URL, useValue: options.baseURL }],
      exports: [VimeoService, VimeoSdkService],
    };
  }
}
