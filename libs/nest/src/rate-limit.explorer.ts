import { Inject, Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { InstanceWrapper } from '@nestjs/core/injector/instance-wrapper.js';
import { durationMs, type ResolvedContract } from '../../core/src/index.js';
import type { ThrottledOptions } from './decorators/throttled.options.js';
import { handlerOf, isStored, operationNameOn, reconcileProblem } from './operations/stored-methods.js';
import {
  durableWithoutStore,
  keysShared,
  nameTaken,
  notSingleton,
  reconcileWithoutStore,
} from './operations.messages.js';
import { SLUICE_APPLICATION } from './rate-limit.constants.js';
import {
  foreignObject,
  frozenObject,
  keysInMemory,
  secondRoot,
  shortDeadline,
  uncountedUnits,
  unknownLane,
  withoutThrottled,
} from './rate-limit.messages.js';
import { type DecoratedMethod, decoratedMethods, operationName } from './rate-limit-metadata.accessor.js';
import type { SluiceApplication } from './sluice-application.js';

/**
 * Walks all providers and controllers once, at start: fails on what cannot work, and gives the application to objects that
 * Nest did not construct itself (`useFactory`, `useValue`).
 */
@Injectable()
export class RateLimitExplorer implements OnModuleInit {
  private readonly logger = new Logger('RateLimitModule');

  constructor(
    private readonly discovery: DiscoveryService,
    @Inject(SLUICE_APPLICATION) private readonly application: SluiceApplication,
  ) {}

  async onModuleInit(): Promise<void> {
    try {
      this.explore();
    } catch (error) {
      await this.application.close();
      throw error;
    }
  }

  private explore(): void {
    const seen = new Set<object>();
    const keyed: string[] = [];
    const keyedNames = new Map<string, object>();
    for (const wrapper of [...this.discovery.getProviders(), ...this.discovery.getControllers()]) {
      if (wrapper.token === SLUICE_APPLICATION && wrapper.instance !== this.application) throw secondRoot();
      const instance: unknown = wrapper.isDependencyTreeStatic() ? wrapper.instance : undefined;
      if (typeof instance === 'object' && instance !== null) this.adopt(instance);
      const prototype = prototypeOf(instance, wrapper.inject ? undefined : wrapper.metatype);
      if (prototype === null) continue;
      const methods = decoratedMethods(prototype);
      if (!seen.has(prototype)) {
        seen.add(prototype);
        for (const method of methods) {
          this.check(method, prototype);
          if (method.plan.idempotent?.key === undefined) continue;
          keyed.push(method.label);
          if (!isStored(method)) claimName(keyedNames, method, prototype);
        }
      }
      for (const method of methods) if (isStored(method)) this.hold(method, wrapper, instance);
    }
    this.application.running = true;
    if (keyed.length > 0 && this.application.operations === null) {
      this.logger.warn(keysInMemory([...new Set(keyed)]));
    }
  }

  /**
   * Makes this application the object's own, where it has decorated methods and belongs to no running application.
   *
   * @throws SluiceError CONFIG when it belongs to another one, or is frozen.
   */
  adopt(instance: object): void {
    const prototype = Object.getPrototypeOf(instance) as object | null;
    if (decoratedMethods(prototype).length === 0) return;
    const owner = (instance as { readonly [SLUICE_APPLICATION]?: SluiceApplication })[SLUICE_APPLICATION];
    if (owner === this.application) return;
    const name = prototype?.constructor.name ?? 'Object';
    if (owner?.running === true) throw foreignObject(name);
    if (!Object.hasOwn(instance, SLUICE_APPLICATION) && !Object.isExtensible(instance)) throw frozenObject(name);
    Object.defineProperty(instance, SLUICE_APPLICATION, {
      value: this.application,
      configurable: true,
      writable: true,
      enumerable: false,
    });
  }

  /** Gives a method that may run without its caller to the workers. */
  private hold(method: DecoratedMethod, wrapper: InstanceWrapper, instance: unknown): void {
    const { application } = this;
    const { label, plan } = method;
    const name = operationName(method);
    if (wrapper.isTransient || !wrapper.isDependencyTreeStatic()) throw notSingleton(label);
    if (application.operations === null || plan.throttled === null) return;
    if (typeof instance !== 'object' || instance === null) return;
    const known = application.stored.get(name);
    if (known?.host === instance && known.method.key === method.key) return;
    if (known !== undefined) throw nameTaken(name, label);
    application.stored.set(name, { host: instance, method });
    const runtime = application.runtime(plan.throttled.provider, label);
    application.operations.register(handlerOf(application, method, instance), runtime);
  }

  private check(method: DecoratedMethod, prototype: object): void {
    const { label, plan } = method;
    const { throttled, idempotent, durable } = plan;
    if (throttled === null) throw withoutThrottled(label);
    const { contract } = this.application.runtime(throttled.provider, label);
    const { lane } = throttled.options;
    const lanes = contract.lanes.map(({ name }) => name);
    if (typeof lane === 'string' && !lanes.includes(lane)) throw unknownLane(label, contract.name, lane, lanes);
    this.checkUnits(label, throttled.options.units, contract);
    this.warnOfDeadline(label, throttled.options, idempotent !== null || durable !== null, contract);
    if (this.application.operations === null) {
      if (durable !== null) throw durableWithoutStore(label, contract.name);
      if (idempotent?.reconcile !== undefined) throw reconcileWithoutStore(label, contract.name);
    }
    const problem = reconcileProblem(method, prototype);
    if (problem !== null) throw problem;
  }

  private checkUnits(label: string, units: unknown, { name, defaultUnits }: ResolvedContract): void {
    if (typeof units !== 'object' || units === null) return;
    const known = [...new Set(['requests', ...Object.keys(defaultUnits)])];
    const stranger = Object.keys(units).find((unit) => !known.includes(unit));
    if (stranger !== undefined) throw uncountedUnits(label, name, stranger, known);
  }

  /** Methods that are declared safe, and operations of a provider that honours keys, have no bare writes to refuse. */
  private warnOfDeadline(
    label: string,
    { deadline, safe }: ThrottledOptions,
    isOperation: boolean,
    { name, timeouts, idempotency }: ResolvedContract,
  ): void {
    const ms = durationMs(deadline);
    if (ms === null || ms >= timeouts.attemptMs || safe === true) return;
    if (isOperation && idempotency !== null) return;
    this.logger.warn(shortDeadline(`@Throttled on ${label}`, ms, name, timeouts.attemptMs));
  }
}

/** @throws SluiceError CONFIG where a key of one class would be a key of another. */
function claimName(taken: Map<string, object>, method: DecoratedMethod, prototype: object): void {
  const name = operationNameOn(method, prototype.constructor);
  const ofProvider = `${method.plan.throttled?.provider} ${name}`;
  const known = taken.get(ofProvider);
  if (known !== undefined && known !== prototype) throw keysShared(name);
  taken.set(ofProvider, prototype);
}

function prototypeOf(instance: unknown, metatype: unknown): object | null {
  if (typeof instance === 'object' && instance !== null) return Object.getPrototypeOf(instance) as object | null;
  return typeof metatype === 'function' ? ((metatype.prototype as object | undefined) ?? null) : null;
}
