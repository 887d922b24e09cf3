/**
 * A decorated method is replaced by a stub when its class is defined: Nest registers routes before any start-up hook, so an
 * instance patched later would never be met by a request. The stub holds no application; it finds its own through `this`,
 * where Nest has injected it, whatever the scope of the instance.
 */
import { Inject, Optional } from '@nestjs/common';
import { invokeGuarded } from '../guard/invoke.js';
import { LIFECYCLE_HOOKS } from './lifecycle-hooks.js';
import {
  claimSlot,
  labelOf,
  type MethodRecord,
  readMethodRecord,
  readOwnClassUse,
  type ThrottledUse,
  writeClassUse,
  writeMethodRecord,
} from '../rate-limit-metadata.accessor.js';
import { SLUICE_APPLICATION } from '../rate-limit.constants.js';
import { decoratedTwice, misplacedDecorator } from '../rate-limit.messages.js';
import { mirrorFunction } from './mirror-function.js';

const FIELD = {
  Throttled: 'throttled',
  Idempotent: 'idempotent',
  Durable: 'durable',
} as const satisfies Record<string, keyof MethodRecord>;

/** Notes what a decorator was told, and puts the stub in place unless another of our decorators did. */
export function decorateMethod(
  decorator: keyof typeof FIELD,
  target: object,
  key: string | symbol,
  descriptor: PropertyDescriptor | undefined,
  addition: MethodRecord,
): void {
  if (typeof target === 'function') {
    throw misplacedDecorator(decorator, `${target.name}.${String(key)}`, 'a static method');
  }
  const label = labelOf(target, key);
  if (typeof descriptor?.value !== 'function') {
    const what = descriptor === undefined ? 'a property' : 'an accessor';
    throw misplacedDecorator(decorator, label, what);
  }
  if (isGenerator(descriptor.value)) throw misplacedDecorator(decorator, label, 'a generator');
  const before = readMethodRecord(target, key);
  if (before?.[FIELD[decorator]] !== undefined) {
    throw decoratedTwice(decorator, label);
  }
  writeMethodRecord(target, key, { ...before, ...addition });
  if (before === undefined)
    descriptor.value = createStub(target, key, descriptor.value as (...args: unknown[]) => unknown);
  injectApplication(target);
}

/** Makes `use` the default of the class, and stubs those of its own methods that no decorator has stubbed. */
export function decorateClass(target: Function, use: ThrottledUse): void {
  if (readOwnClassUse(target) !== undefined) {
    throw decoratedTwice('Throttled', target.name);
  }
  writeClassUse(target, use);
  const prototype = target.prototype as object;
  for (const key of Reflect.ownKeys(prototype)) {
    if (key === 'constructor' || LIFECYCLE_HOOKS.has(key) || readMethodRecord(prototype, key) !== undefined) continue;
    const descriptor = Object.getOwnPropertyDescriptor(prototype, key);
    if (typeof descriptor?.value !== 'function' || descriptor.configurable !== true) continue;
    if (isGenerator(descriptor.value)) continue;
    writeMethodRecord(prototype, key, {});
    Object.defineProperty(prototype, key, { ...descriptor, value: createStub(prototype, key, descriptor.value) });
  }
  injectApplication(prototype);
}

/** It runs bit by bit, whenever it is asked: there is no one invocation to guard. */
function isGenerator(method: unknown): boolean {
  return Object.prototype.toString.call(method).endsWith('GeneratorFunction]');
}

function createStub(
  prototype: object,
  key: string | symbol,
  original: (...args: unknown[]) => unknown,
): (...args: unknown[]) => unknown {
  const site = { prototype, key, original, label: labelOf(prototype, key) };
  const stub = function (this: unknown, ...args: unknown[]): unknown {
    return invokeGuarded(site, this, args);
  };
  return mirrorFunction(original, stub);
}

/** Optional, so that an application without the module gets our message when it calls, not Nest's when it starts. */
function injectApplication(prototype: object): void {
  if (!claimSlot(prototype.constructor)) return;
  Inject(SLUICE_APPLICATION)(prototype, SLUICE_APPLICATION);
  Optional()(prototype, SLUICE_APPLICATION);
}
