import 'reflect-metadata';
import { isObservable, Observable, throwError } from 'rxjs';
import { type MethodPlan, planOf } from '../rate-limit-metadata.accessor.js';

/** A decorated method, as its stub knows it. */
export interface MethodSite {
  readonly prototype: object;
  readonly key: string | symbol;
  readonly original: (...args: unknown[]) => unknown;
  /** `Class.method`. */
  readonly label: string;
  /** Read at the first call, when all decorators of the class have run. */
  plan?: MethodPlan;
}

export function planAt(site: MethodSite): MethodPlan {
  return (site.plan ??= planOf(site.prototype, site.key));
}

/** Whether the method is declared to give an Observable. False where its declaration does not tell. */
export function declaresObservable(site: Pick<MethodSite, 'prototype' | 'key'>): boolean {
  const declared: unknown = Reflect.getMetadata('design:returntype', site.prototype, site.key);
  return typeof declared === 'function' && (declared === Observable || isObservable(declared.prototype));
}

/** Fails in the shape that the method's caller expects: an Observable, a Promise, or a throw where it may be a plain method. */
export function failAs(site: MethodSite, error: unknown): unknown {
  if (declaresObservable(site)) return throwError(() => error);
  if (planAt(site).own || declaresPromise(site)) return Promise.reject(error);
  throw error;
}

function declaresPromise(site: MethodSite): boolean {
  if (Object.prototype.toString.call(site.original) === '[object AsyncFunction]') return true;
  return Reflect.getMetadata('design:returntype', site.prototype, site.key) === Promise;
}
