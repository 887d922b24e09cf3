import { type DynamicModule, Module } from '@nestjs/common';
import { RateLimitModule, type RateLimitModuleOptions } from 'nestjs-sluice';
import { AccountingService } from './accounting.service.js';
import { InvoiceRun } from './invoice-run.js';

@Module({})
export class AppModule {
  static with(options: RateLimitModuleOptions): DynamicModule {
    return {
      module: AppModule,
      imports: [RateLimitModule.forRoot(options)],
      providers: [AccountingService, InvoiceRun],
    };
  }
}
