/** Methods that a worker may run or look up without their caller. */
import { isObservable, lastValueFrom, toArray } from 'rxjs';
import {
  enterInbound,
  enterMethod,
  found,
  type OperationHandler,
  type Reconciled,
  runInContext,
  type SluiceError,
} from '../../../core/src/index.js';
import { declaresObservable } from '../guard/method-site.js';
import { runStored } from '../guard/stored-run.js';
import { noReconcileMethod, reconcilesByOperation } from '../operations.messages.js';
import { type DecoratedMethod, decoratedMethods, labelOf, operationName } from '../rate-limit-metadata.accessor.js';
import type { SluiceApplication } from '../sluice-application.js';

type Methods = Readonly<Record<string | symbol, (...args: unknown[]) => unknown>>;

export function isStored({ plan }: Pick<DecoratedMethod, 'plan'>): boolean {
  return plan.durable !== null || plan.idempotent?.reconcile !== undefined;
}

/**
 * What the operations of a method are called on objects of that class. Of what may run without its caller there is one object;
 * of any other method each class that inherits it has operations of its own, for they may do different work.
 */
export function operationNameOn(
  method: Pick<DecoratedMethod, 'label' | 'plan' | 'prototype' | 'key'>,
  ofClass: { readonly name: string },
): string {
  const { prototype, key } = method;
  if (isStored(method) || ofClass === prototype.constructor) return operationName(method);
  return `${ofClass.name}.${String(key)} of ${prototype.constructor.name}`;
}

/** Why the method that `reconcile` names cannot look anything up; null = it can. */
export function reconcileProblem({ label, plan }: DecoratedMethod, prototype: object): SluiceError | null {
  const name = plan.idempotent?.reconcile;
  if (name === undefined) return null;
  if (typeof (prototype as Methods)[name] !== 'function') {
    const isStatic = typeof (prototype.constructor as unknown as Methods)[name] === 'function';
    return noReconcileMethod(label, name, isStatic ? 'static' : 'missing');
  }
  const decorated = decoratedMethods(prototype).find(({ key }) => key === name);
  return decorated !== undefined && decorated.plan.idempotent !== null ? reconcilesByOperation(label, name) : null;
}

/** Runs and looks up the method of `host`. */
export function handlerOf(application: SluiceApplication, method: DecoratedMethod, host: object): OperationHandler {
  const { key, prototype, plan } = method;
  const provider = plan.throttled?.provider ?? '';
  const reconcile = plan.idempotent?.reconcile;
  return {
    provider,
    name: operationName(method),
    run: ({ args, owner }, operation, signal) =>
      runInContext(NOBODY, () =>
        runStored({ host, prototype, key, owner, operation, signal }, () => valueOf((host as Methods)[key]!(...args))),
      ),
    reconcile:
      reconcile === undefined
        ? null
        : ({ args, owner }, signal, lookup) => {
            const { clock } = application;
            const label = labelOf(prototype, reconcile);
            // Calls of the method, decorated or not, are the owner's, as those of an inbound request are.
            return enterInbound({ clock, tenant: owner.tenant || null, partition: owner.partition }, () =>
              enterMethod({ provider, clock, label, operation: null, lookup, signal }, async () => {
                const said = await lastOf((host as Methods)[reconcile]!(...args));
                return saidOf(said as Reconciled, declaresObservable(method));
              }),
            );
          },
  };
}

const NOBODY = { inbound: null, method: null };

/** What is stored of an Observable is the list of its values. */
async function valueOf(given: unknown): Promise<unknown> {
  return isObservable(given) ? lastValueFrom(given.pipe(toArray())) : given;
}

async function lastOf(given: unknown): Promise<unknown> {
  return isObservable(given) ? lastValueFrom(given) : given;
}

function saidOf(said: Reconciled, isList: boolean): Reconciled {
  return isList && said?.type === 'found' ? found([said.value]) : said;
}
