/** What the other libraries use of the core. Named one by one: what is not here is nobody's business but the core's. */

// contract
export { concurrency, fixedWindow, quota, slidingWindow, tokenBucket } from './contract/builders.js';
export { joinPatches } from './contract/apply-patch.js';
export { defineProvider } from './contract/define-provider.js';
export { PROVIDER_OPTIONS } from './contract/shape-provider.js';
export { durationMs, parseDuration } from './contract/durations.js';
export { largestConcurrency, volatileQuotaMissing, warnings } from './contract/facts.js';
export type { AuthOptions, Credentials } from './contract/auth-options.js';
export type {
  AnswerView,
  BreakerOptions,
  ConcurrencyOptions,
  DemandOptions,
  Duration,
  FixedWindowOptions,
  IdempotencyOptions,
  LaneOptions,
  LimitOptions,
  Mode,
  PauseOptions,
  ProviderOptions,
  ProviderPatch,
  QueueOptions,
  ReconcileOptions,
  QuotaOptions,
  RequestView,
  RetryBudgetOptions,
  RetryOptions,
  SlidingWindowOptions,
  TenantOptions,
  TimeoutOptions,
  TokenBucketOptions,
} from './contract/options.js';
export { capacityOf } from './contract/capacity.js';
export type { ProviderContract, ResolvedContract, ResolvedLimit } from './contract/resolved.js';

// auth
export { type HeldCredentials, heldFrom } from './auth/credentials.js';
export { type Renewal, sameCredentials, type SharedCredentials } from './auth/shared-credentials.js';

// context
export { currentCall, currentContext, runInContext } from './context/context.js';
export type { InboundContext, OperationContext, RequestTally } from './context/contexts.js';
export { enterInbound, enterMethod } from './context/enter.js';
export { insideAttempt, withinAttempt } from './context/attempt-scope.js';
export { isUnguarded, runUnguarded } from './context/unguarded.js';

// demand
export { DemandKeys } from './demand/key.js';

// errors
export { configError, configErrorOf, type Finding, showValue } from './errors/config-error.js';
export { didYouMean } from './errors/nearest.js';
export { copyError } from './errors/copy-error.js';
export { quietPromise } from './errors/quiet-promise.js';
export {
  isSluiceError,
  SLUICE_ERROR_CODES,
  SluiceError,
  type SluiceErrorCode,
  type SluiceErrorInit,
} from './errors/sluice-error.js';

// events
export { errorName, EventHub } from './events/event-hub.js';
export type { EventSink, SluiceEvent, SluiceEventType, SluiceListener } from './events/events.js';

// gate
export type { Admission, AdmissionView, Permit, Settlement } from './gate/admission.js';
export { calendarPeriod } from './gate/calendar.js';
export { ceilingBucket } from './gate/ceiling.js';
export { guaranteedBy } from './gate/guaranteed.js';
export { CEILING_CHARGE, PERMIT_CHARGE, stageKey, type Template, templatesOf } from './gate/memory/layout.js';
export { memoryGate } from './gate/memory/memory-gate.js';
export { createAdmission } from './gate/client/create-admission.js';
export { hashValue } from './gate/client/hashing.js';
export type {
  Ask,
  Denial,
  Gate,
  GateChange,
  GateCommand,
  GateEnv,
  Grant,
  Head,
  LeaseId,
  ProviderGate,
  QuotaSeen,
  Settle,
  SettleEnd,
  SettleReply,
  StepInput,
  StepReply,
  Ticket,
  Wait,
  WaitCause,
} from './gate/port.js';
export type { GateView } from './gate/gate-view.js';
export type { Fleet } from './gate/fleet.js';
export type { UsedBook, UsedEntry } from './gate/used-book.js';

// idempotency
export { fingerprintOf, randomOperation } from './idempotency/keys.js';
export { createLedger } from './idempotency/ledger.js';
export type { DurableRequest, Ledger } from './idempotency/options.js';

// model
export type { AnswerMeaning, HeaderBag, Outcome, Partition, Safety, Units } from './model/outcome.js';

// operations
export { type CreateOperations, createOperations } from './operations/create-operations.js';
export type { OperationHandler, StoredInvocation, StoredOwner } from './operations/handler.js';
export type {
  BackfillSource,
  Deferred,
  DeferRequest,
  OperationsOptions,
  OperationsRuntime,
} from './operations/operations.js';
export { type OperationPlace, operationScope, placeOf } from './operations/place.js';
export { absent, found, inconclusive, type Reconciled } from './operations/reconciled.js';
export { operationId } from './operations/operation-id.js';
export { decodePayload, encodePayload } from './operations/payload.js';
export type { DurableStore, OperationStore, UsedAmount } from './operations/port.js';
export type { Claimed, ClaimReply, ClaimRequest, ClaimWork } from './operations/port/claim.js';
export type { Created, CreateOperation, StoreBounds, StoreRefusal } from './operations/port/create.js';
export type { Checkpointed, Ending, Hold, Settled, Stale } from './operations/port/hold.js';
export type { Moved, Operation, OperationSummary } from './operations/port/operation.js';
export type {
  Hastened,
  HastenQuery,
  ListQuery,
  OperationAge,
  OperationCount,
  OperationCounts,
  OperationPage,
  Ordered,
} from './operations/port/operator.js';
export type { AnswerRecorded, Recorded, RequestEnd, RequestRecord, StoredRequest } from './operations/port/request.js';
export { harmlessHeaders } from './operations/redact.js';
export {
  canBeginAgain,
  canMove,
  type DeadCause,
  isFinal,
  isHeld,
  MAX_DELIVERIES,
  OPERATION_STATES,
  type OperationState,
  type TransitionCause,
  TRANSITIONS,
} from './operations/states.js';
export { storableError, type StoredError } from './operations/stored-error.js';
export { storeRefusal } from './operations/store-refusal.js';

// pipeline
export { ANSWER_TOO_LARGE } from './retry/trouble.js';
export { STALE_GRANT } from './pipeline/call.js';
export type {
  AttemptContext,
  AttemptEnd,
  AttemptOptions,
  AttemptResult,
  Call,
  CallIdentity,
  CallOptions,
  CallSpec,
  CurrentCall,
  FirstBody,
  Recordable,
  StopReason,
  WritableBody,
} from './pipeline/call.js';
export { createProviderRuntime } from './pipeline/create-runtime.js';
export type { ExplainedAnswer, ProviderRuntime, RunOptions } from './pipeline/runtime.js';

// reading
export type { Classification, QuotaHeaderOptions, ReadingOptions } from './reading/options.js';
export { readAnswer } from './reading/read-answer.js';
export type { Answer, Reading, ReadingKind, ReadingPart } from './reading/reading.js';

// time
export { joinSignals } from './time/bounded.js';
export { type Cancel, type Clock, MAX_TIMER_MS } from './time/clock.js';
export { dateOf } from './time/dates.js';
export type { Random } from './time/random.js';
export { SystemClock, systemRandom } from './time/system-clock.js';
export { arm, sleep } from './time/timers.js';
export { OwnAbort, whenAborted } from './time/when-aborted.js';
