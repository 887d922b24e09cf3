import { SluiceError } from '../errors/sluice-error.js';
import type { ProviderRuntime } from '../pipeline/runtime.js';
import type { BackfillPlaces } from './backfill.js';
import type { OperationHandler, StoredInvocation } from './handler.js';
import type { HoldKeeper } from './hold-keeper.js';
import { decodePayload } from './payload.js';
import type { ClaimReply, Claimed } from './port/claim.js';
import type { StoreAccess } from './store-access.js';
import type { OperationWatch } from './watch.js';

/** Where the store says "now" and gives nothing, it is asked again after so long, in ms. */
const EMPTY_HANDED_MS = 50;

/** What the worker and the reconciler of one provider share. */
export interface WorkerDeps {
  readonly access: StoreAccess;
  readonly keeper: HoldKeeper;
  readonly watch: OperationWatch;
  /** Names this process in the store. */
  readonly owner: string;
  readonly runtime: ProviderRuntime;
  readonly handlers: ReadonlyMap<string, OperationHandler>;
  readonly places: BackfillPlaces;
  readonly concurrency: number;
  readonly pollMs: number;
  readonly maxHoldMs: number;
  readonly maxChecks: number;
}

/** When to ask the store again. */
export function nextOf({ claimed, moved, nextInMs }: ClaimReply): number | null {
  return nextInMs !== null && claimed.length + moved.length === 0 ? Math.max(EMPTY_HANDED_MS, nextInMs) : nextInMs;
}

/** @throws SyntaxError where no process of this application could read it. */
export function invocationOf({ operation }: Claimed): StoredInvocation {
  const { payload } = operation;
  if (payload === null) throw new TypeError('Its arguments are not stored.');
  return decodePayload(payload) as StoredInvocation;
}

export function unknownName(name: string): Error {
  return new Error(`No method of this application has the name ${name}.`);
}

export function stopping(provider: string): SluiceError {
  return new SluiceError({
    code: 'SHUTDOWN',
    provider,
    message: `Provider "${provider}": the application is stopping; the operation is given back and goes on elsewhere, or after the next start.`,
  });
}
