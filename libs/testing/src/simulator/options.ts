import type { Random } from '../../../core/src/index.js';
import type { BackgroundUser } from './background.js';
import type { Faults } from './faults.js';
import type { SimulatedIdempotency } from './idempotency.js';
import type { SimulatedLimit } from './limits/options.js';
import type { QuotaBody, QuotaHeaders, RefusalOptions } from './refusal.js';
import type { SimulatedRequest } from './request.js';
import type { Routes } from './routes.js';
import type { Script } from './script.js';

export interface SimulatorOptions {
  /** Default: none, every request is let in. */
  readonly limits?: readonly SimulatedLimit[];
  /** Handlers by template. Default: every request is answered 200 with `{}`. */
  readonly routes?: Routes;
  /** Time the provider works on an admitted request. Default: 0. */
  readonly latencyMs?: number | ((request: SimulatedRequest, random: Random) => number);
  /** How it says no. */
  readonly refusal?: RefusalOptions;
  /** What it tells of its limits on every judged answer. Default: `none`. */
  readonly quotaHeaders?: QuotaHeaders;
  /** The same in the bodies: makes that of every judged answer from the one it would have. Default: as it is. */
  readonly quotaBody?: QuotaBody;
  /** Default: keys are not honoured. */
  readonly idempotency?: SimulatedIdempotency;
  /** Other programs that use the account. */
  readonly others?: readonly BackgroundUser[];
  /** What is wrong at the start; `simulator.faults` switches it later. */
  readonly faults?: Faults;
  /** What happens to the first admitted requests. */
  readonly script?: Script;
  /** What the provider does when the client leaves before the answer: go on to the end, or stop at once. Default: `stop`. */
  readonly afterDisconnect?: 'finish' | 'stop';
  /** Default: `SeededRandom(1)`. */
  readonly random?: Random;
}
