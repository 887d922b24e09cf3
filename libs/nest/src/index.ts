/** The package's main entry: what an application uses, name by name. */

// module and service
export { RateLimitModule } from './rate-limit.module.js';
export { RateLimitService } from './rate-limit.service.js';
export type { InboundRequest } from './interfaces/inbound-request.interface.js';
export type {
  InboundOptions,
  RateLimitModuleOptions,
  RateLimitOptionsFactory,
  ShutdownOptions,
} from './interfaces/rate-limit-module-options.interface.js';
export type { RateLimitModuleExtras } from './rate-limit.module-definition.js';
export { getProviderToken } from './rate-limit.tokens.js';

// operations
export { Operations } from './operations/operations.service.js';
export type { DeferOptions, ListedOperations, WaitOptions } from './operations/operations.options.js';
export type { OperationDetails, OperationView } from './operations/operation-view.js';
export type { ArgumentsOf, ServiceClass } from './operations/method-types.js';
export { absent, found, inconclusive } from '../../core/src/index.js';
export type {
  BackfillSource,
  DeadCause,
  Deferred,
  DurableStore,
  OperationAge,
  OperationCount,
  OperationCounts,
  OperationsOptions,
  OperationState,
  OperationStore,
  Reconciled,
  StoredError,
  TransitionCause,
} from '../../core/src/index.js';

// decorators
export { Durable, type DurableDecorator } from './decorators/durable.decorator.js';
export type { DurableOptions } from './decorators/durable.options.js';
export { Idempotent, type IdempotentDecorator } from './decorators/idempotent.decorator.js';
export type { IdempotentOptions } from './decorators/idempotent.options.js';
export { InjectProvider } from './decorators/inject-provider.decorator.js';
export { Throttled, type ThrottledDecorator } from './decorators/throttled.decorator.js';
export type { FromArguments, ThrottledOptions } from './decorators/throttled.options.js';

// inbound requests and their answers
export { RateLimitInterceptor } from './inbound/rate-limit.interceptor.js';
export { RateLimitMiddleware } from './inbound/rate-limit.middleware.js';
export { RateLimitExceptionFilter } from './errors/rate-limit.exception-filter.js';

// contracts
export { concurrency, defineProvider, fixedWindow, quota, slidingWindow, tokenBucket } from '../../core/src/index.js';
export type {
  AnswerMeaning,
  AnswerView,
  AuthOptions,
  BreakerOptions,
  Classification,
  ConcurrencyOptions,
  Credentials,
  DemandOptions,
  Duration,
  FixedWindowOptions,
  IdempotencyOptions,
  LaneOptions,
  LimitOptions,
  Mode,
  PauseOptions,
  ProviderContract,
  ProviderOptions,
  ProviderPatch,
  QueueOptions,
  ReconcileOptions,
  QuotaHeaderOptions,
  QuotaOptions,
  ReadingOptions,
  RequestView,
  RetryBudgetOptions,
  RetryOptions,
  SlidingWindowOptions,
  TenantOptions,
  TimeoutOptions,
  TokenBucketOptions,
} from '../../core/src/index.js';

// calls
export { currentCall, memoryGate, readAnswer } from '../../core/src/index.js';
export type {
  AdmissionView,
  Answer,
  AttemptContext,
  CallOptions,
  Clock,
  CurrentCall,
  ExplainedAnswer,
  Gate,
  GateView,
  HeaderBag,
  Outcome,
  Partition,
  Random,
  Reading,
  ReadingKind,
  ReadingPart,
  RunOptions,
  StopReason,
  Units,
} from '../../core/src/index.js';

export {
  type AxiosLike,
  type ErrorSluice,
  type RequestSluice,
  type ResponseSluice,
  sluiceOf,
} from '../../axios/src/index.js';

// errors and events
export {
  isSluiceError,
  SLUICE_ERROR_CODES,
  SluiceError,
  type SluiceErrorCode,
  type SluiceErrorInit,
} from '../../core/src/index.js';
export type { SluiceEvent, SluiceEventType, SluiceListener } from '../../core/src/index.js';
