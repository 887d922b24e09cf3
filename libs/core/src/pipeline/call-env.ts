import type { Authenticator } from '../auth/authenticator.js';
import type { ProviderContract } from '../contract/resolved.js';
import type { DemandLayer } from '../demand/options.js';
import type { Admission } from '../gate/admission.js';
import type { Clock } from '../time/clock.js';
import type { Random } from '../time/random.js';
import type { Sleepers } from './between-attempts.js';
import type { ProviderReport } from './provider-report.js';

/** What a call needs of its provider. Taken when the call begins: an `update` meanwhile is for later calls. */
export interface CallEnv {
  readonly contract: ProviderContract;
  /** Whose attempts they are. */
  readonly owner: object;
  readonly admission: Admission;
  readonly auth: Authenticator | null;
  readonly clock: Clock;
  readonly random: Random;
  readonly report: ProviderReport;
  readonly sleepers: Sleepers;
  readonly demand: Pick<DemandLayer, 'wrote'>;
  newCallId(): string;
}
