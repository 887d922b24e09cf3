/** What TypeScript refuses at compile time, refused for JavaScript, and for values that were cast, at run time. */
import type { OperationsOptions, ProviderContract } from '../../core/src/index.js';
import type { DurableOptions } from './decorators/durable.options.js';
import type { ThrottledOptions } from './decorators/throttled.options.js';
import type { IdempotentOptions } from './decorators/idempotent.options.js';
import type { RateLimitModuleExtras } from './rate-limit.module-definition.js';
import type {
  InboundOptions,
  RateLimitModuleOptions,
  ShutdownOptions,
} from './interfaces/rate-limit-module-options.interface.js';
import {
  durableNameExpected,
  needsReconcile,
  noStore,
  operationsWithoutStore,
  unknownWayOut,
} from './operations.messages.js';
import { answerWithoutGuard, nameExpected, noContract, noOptions, unknownOption } from './rate-limit.messages.js';

type Names<T> = Record<keyof Required<T>, true>;

const MODULE: Names<RateLimitModuleOptions & RateLimitModuleExtras> = {
  gate: true,
  store: true,
  operations: true,
  providers: true,
  clock: true,
  random: true,
  inbound: true,
  shutdown: true,
  isGlobal: true,
  injectable: true,
};
const INBOUND: Names<InboundOptions> = { tenant: true, partition: true, deadline: true };
const SHUTDOWN: Names<ShutdownOptions> = { grace: true };
const OPERATIONS: Names<OperationsOptions> = {
  concurrency: true,
  poll: true,
  lease: true,
  maxHold: true,
  maxChecks: true,
};
const THROTTLED: Names<ThrottledOptions> = {
  lane: true,
  tenant: true,
  partition: true,
  units: true,
  deadline: true,
  safe: true,
  guard: true,
  answer: true,
};
const IDEMPOTENT: Names<IdempotentOptions> = {
  key: true,
  fingerprint: true,
  reconcile: true,
  reference: true,
  onUnknown: true,
};
const DURABLE: Names<DurableOptions> = { name: true, orderingKey: true };

/** @throws SluiceError CONFIG */
export function checkModuleOptions(options: RateLimitModuleOptions | undefined): void {
  if (typeof options !== 'object' || options === null) throw noOptions();
  const where = 'The options of RateLimitModule';
  checkNames(where, options, MODULE);
  checkNames(`${where}, inbound`, options.inbound, INBOUND);
  checkNames(`${where}, shutdown`, options.shutdown, SHUTDOWN);
  checkNames(`${where}, operations`, options.operations, OPERATIONS);
  const { store } = options;
  if (store !== undefined && typeof (store as Partial<typeof store> | null)?.open !== 'function') throw noStore();
  if (store === undefined && options.operations !== undefined) throw operationsWithoutStore();
  (options.providers ?? []).forEach((contract, index) => checkContract(contract, `providers[${index}]`));
}

/** @throws SluiceError CONFIG */
export function checkContract(contract: ProviderContract | undefined, where: string): void {
  const resolved = contract?.resolved as { readonly limits?: unknown } | undefined;
  if (!Array.isArray(resolved?.limits)) throw noContract(where);
}

/** @throws SluiceError CONFIG */
export function checkThrottled(label: string, provider: unknown, options: ThrottledOptions): void {
  if (typeof provider !== 'string' || provider === '') throw nameExpected(label);
  checkNames(`@Throttled on ${label}`, options, THROTTLED);
  if (options.answer !== undefined && options.guard !== 'method') throw answerWithoutGuard(label);
}

/** @throws SluiceError CONFIG */
export function checkIdempotent(label: string, options: IdempotentOptions): void {
  checkNames(`@Idempotent on ${label}`, options, IDEMPOTENT);
  const { reconcile, reference, onUnknown } = options;
  if (onUnknown !== undefined && onUnknown !== 'raise' && onUnknown !== 'wait') throw unknownWayOut(label);
  if (reconcile !== undefined) return;
  if (reference !== undefined) throw needsReconcile(label, 'reference');
  if (onUnknown === 'wait') throw needsReconcile(label, 'onUnknown');
}

/** @throws SluiceError CONFIG */
export function checkDurable(label: string, options: Partial<DurableOptions> | undefined): void {
  checkNames(`@Durable on ${label}`, options, DURABLE);
  if (typeof options?.name !== 'string' || options.name === '') throw durableNameExpected(label);
}

function checkNames(where: string, options: object | undefined, known: Readonly<Record<string, true>>): void {
  const stranger = Object.keys(options ?? {}).find((name) => !Object.hasOwn(known, name));
  if (stranger !== undefined) throw unknownOption(where, stranger, Object.keys(known));
}
