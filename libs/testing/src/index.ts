export { sluiceTesting, SluiceTestingModule, type SluiceTestingOptions } from './nest-testing.js';
export { SeededRandom } from './seeded-random.js';
export { storeOn } from './store-on.js';
export { VirtualClock, type VirtualClockOptions } from './virtual-clock.js';

// the simulated provider
export {
  answer,
  type Behaviour,
  type BodyPart,
  drip,
  executedBut,
  hang,
  hangAfterExecuting,
  late,
  reset,
  resetAfterExecuting,
  type ScriptStep,
  type SimulatedAnswer,
  slow,
} from './simulator/answer.js';
export type { BackgroundUser } from './simulator/background.js';
export type { Faults } from './simulator/faults.js';
export type { SimulatedIdempotency } from './simulator/idempotency.js';
export type { LimitView } from './simulator/judge.js';
export type { SimulatedLimit } from './simulator/limits/options.js';
export type { Arrival, Effect } from './simulator/log.js';
export type { SimulatorOptions } from './simulator/options.js';
export type { QuotaBody, QuotaHeaders, QuotaView, RefusalOptions } from './simulator/refusal.js';
export type { SimulatedRequest } from './simulator/request.js';
export type { Handler, HandlerContext, Routes } from './simulator/routes.js';
export { forever, type Script, script } from './simulator/script.js';
export { ProviderSimulator } from './simulator/simulator.js';
export type { TransportOptions } from './simulator/transport.js';

// what every durable store must do
export { type ConformanceCheck, storeConformance } from './store/conformance.js';
export type { MakeStore, StoreUnderTest } from './store/world.js';
export { unguarded } from './unguarded.js';
