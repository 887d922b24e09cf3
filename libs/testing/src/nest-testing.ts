import { type DynamicModule, Module } from '@nestjs/common';
import { RateLimitModule, type RateLimitModuleOptions } from '../../nest/src/index.js';
import { SeededRandom } from './seeded-random.js';
import { VirtualClock } from './virtual-clock.js';

export interface SluiceTestingOptions extends Omit<RateLimitModuleOptions, 'clock' | 'random'> {
  /** Default: a new one, standing still until it is advanced. */
  readonly clock?: VirtualClock;
  /** Default: seed 1. */
  readonly random?: SeededRandom;
}

/** Gives the clock and the chance of a test to whoever injects them. */
@Module({})
export class SluiceTestingModule {}

/**
 * The module on a virtual clock, in memory, with chance that repeats: one line in the imports of a test.
 *
 *     const app = await Test.createTestingModule({ imports: [sluiceTesting({ providers: [crm] }), CrmModule] }).compile();
 *     await app.get(VirtualClock).advance(60_000);
 */
export function sluiceTesting(options: SluiceTestingOptions = {}): DynamicModule {
  const { clock = new VirtualClock(), random = new SeededRandom(1) } = options;
  return {
    module: SluiceTestingModule,
    global: true,
    imports: [RateLimitModule.forRoot({ ...options, clock, random })],
    providers: [
      { provide: VirtualClock, useValue: clock },
      { provide: SeededRandom, useValue: random },
    ],
    exports: [VirtualClock, SeededRandom],
  };
}
