/** The only code that reads and writes what the decorators leave behind. */
import 'reflect-metadata';
import type { DurableOptions } from './decorators/durable.options.js';
import type { IdempotentOptions } from './decorators/idempotent.options.js';
import type { ThrottledOptions } from './decorators/throttled.options.js';
import { CLASS_METADATA, METHOD_METADATA, SLOT_METADATA } from './rate-limit.constants.js';

export interface ThrottledUse {
  readonly provider: string;
  readonly options: ThrottledOptions;
}

/** What one method says itself. */
export interface MethodRecord {
  readonly throttled?: ThrottledUse;
  readonly idempotent?: IdempotentOptions;
  readonly durable?: DurableOptions;
}

/** What holds for one method: its own words over those of its class. */
export interface MethodPlan {
  /** null = neither the method nor its class names a provider. */
  readonly throttled: ThrottledUse | null;
  /** Not null where the method is durable: then each invocation is an operation. */
  readonly idempotent: IdempotentOptions | null;
  readonly durable: DurableOptions | null;
  /** The method itself carries one of our decorators. */
  readonly own: boolean;
}

export interface DecoratedMethod {
  /** `Class.method`. */
  readonly label: string;
  readonly prototype: object;
  readonly key: string | symbol;
  readonly plan: MethodPlan;
}

export function readMethodRecord(prototype: object, key: string | symbol): MethodRecord | undefined {
  return Reflect.getOwnMetadata(METHOD_METADATA, prototype, key) as MethodRecord | undefined;
}

export function writeMethodRecord(prototype: object, key: string | symbol, record: MethodRecord): void {
  Reflect.defineMetadata(METHOD_METADATA, record, prototype, key);
}

export function readOwnClassUse(target: Function): ThrottledUse | undefined {
  return Reflect.getOwnMetadata(CLASS_METADATA, target) as ThrottledUse | undefined;
}

export function writeClassUse(target: Function, use: ThrottledUse): void {
  Reflect.defineMetadata(CLASS_METADATA, use, target);
}

/** True the first time for a class and all that extend it: the application is injected once into an instance. */
export function claimSlot(target: Function): boolean {
  if (Reflect.hasMetadata(SLOT_METADATA, target)) return false;
  Reflect.defineMetadata(SLOT_METADATA, true, target);
  return true;
}

export function labelOf(prototype: object, key: string | symbol): string {
  return `${prototype.constructor.name}.${String(key)}`;
}

/** What holds for the method that `prototype` declares; a subclass inherits it with the method. */
export function planOf(prototype: object, key: string | symbol): MethodPlan {
  const record = readMethodRecord(prototype, key);
  const ofClass = Reflect.getMetadata(CLASS_METADATA, prototype.constructor) as ThrottledUse | undefined;
  return {
    throttled: merge(ofClass, record?.throttled),
    idempotent: record?.idempotent ?? (record?.durable === undefined ? null : EACH_ITS_OWN),
    durable: record?.durable ?? null,
    own: record !== undefined && Object.keys(record).length > 0,
  };
}

const EACH_ITS_OWN: IdempotentOptions = {};

/** A method that names another provider than its class takes none of the class's options. */
function merge(ofClass: ThrottledUse | undefined, own: ThrottledUse | undefined): ThrottledUse | null {
  if (own === undefined) return ofClass ?? null;
  if (ofClass === undefined || ofClass.provider !== own.provider) return own;
  return { provider: own.provider, options: { ...ofClass.options, ...own.options } };
}

/** All decorated methods that an instance with this prototype has, inherited ones included; none is read through an accessor. */
export function decoratedMethods(prototype: object | null): DecoratedMethod[] {
  const found: DecoratedMethod[] = [];
  const seen = new Set<string | symbol>();
  for (let p = prototype; p !== null && p !== Object.prototype; p = Object.getPrototypeOf(p)) {
    for (const key of Reflect.ownKeys(p)) {
      if (seen.has(key)) continue;
      seen.add(key);
      if (readMethodRecord(p, key) === undefined) continue;
      found.push({ label: labelOf(p, key), prototype: p, key, plan: planOf(p, key) });
    }
  }
  return found;
}

/** What a method's stored work is called. */
export function operationName({ label, plan }: Pick<DecoratedMethod, 'label' | 'plan'>): string {
  return plan.durable?.name ?? label;
}
