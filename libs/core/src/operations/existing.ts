/** What one who asks for an operation gets that is there already. */
import type { WhoLooks } from '../errors/unknown-outcome.js';
import { inProgress, stillUnknown } from '../idempotency/ends.js';
import { sleep } from '../time/timers.js';
import { type Ask, type Found, isGivenUp } from './begin.js';
import { deferred, discardedBefore, outcomeUnknown, resultNotKept } from './ledger-errors.js';
import { decodePayload } from './payload.js';
import { FIRST_LOOK_MS, lookDelays } from './look-delays.js';
import type { Moved, Operation } from './port/operation.js';
import { canBeginAgain, isFinal } from './states.js';
import type { StoreAccess } from './store-access.js';
import type { OperationWatch } from './watch.js';

/** What is taken back of dead processes in one step. */
const RECOVERED_AT_ONCE = 100;

export interface ExistingDeps {
  readonly access: StoreAccess;
  readonly watch: OperationWatch;
  /** The longest an ask without a deadline waits for another process, in ms. */
  readonly maxWaitMs: number;
  /** Whether a method of this application looks work of that name up. */
  isLookedUp(name: string): boolean;
}

/** Who finds out about a write of it that may have happened. */
export function whoLooks({ isLookedUp }: Pick<ExistingDeps, 'isLookedUp'>, { durable }: Ask): WhoLooks {
  return durable.invocation !== null && isLookedUp(durable.name) ? 'reconcile' : 'caller';
}

/** Its result, that it is to be asked for once more, or that its lookup did not find out. */
export type Answer =
  { readonly type: 'value'; readonly value: unknown } | { readonly type: 'again' } | { readonly type: 'unresolved' };

const AGAIN: Answer = { type: 'again' };
const UNRESOLVED: Answer = { type: 'unresolved' };

/**
 * @param cause What made it unknown, where that was just now.
 * @throws SluiceError DEFERRED, OUTCOME_UNKNOWN, OPERATION_IN_PROGRESS, IDEMPOTENCY_CONFLICT where it was discarded,
 *   PAYLOAD_TOO_LARGE where its result was not kept, STORE_UNAVAILABLE; the signal's reason.
 */
export async function answerOf(deps: ExistingDeps, ask: Ask, found: Found, cause?: unknown): Promise<Answer> {
  const { id, request, durable } = ask;
  const { provider } = request;
  switch (found.state) {
    case 'done':
      if (found.result === null) throw resultNotKept(provider, id);
      return { type: 'value', value: decodePayload(found.result) };
    case 'running':
      await waitWhile(deps, ask, found, ({ state }) => state === 'running');
      return AGAIN;
    case 'queued':
    case 'waiting':
      throw later(deps, ask, found, cause);
    case 'uncertain':
    case 'reconciling': {
      if (durable.whenUnknown === 'raise') throw unknown(ask, cause, whoLooks(deps, ask));
      const after = await waitWhile(deps, ask, found, ({ state }) => !isFinal(state));
      // A person has to look: begun again it would be uncertain again.
      if (after?.state === 'dead' && after.cause === 'unresolved') return UNRESOLVED;
      return AGAIN;
    }
    case 'dead':
    case 'discarded':
      if (isGivenUp(ask, found)) return UNRESOLVED;
      if (!canBeginAgain(found.state, found.cause)) throw discardedBefore(provider, id);
      // Somebody else was faster to begin it again.
      await sleep(deps.access.clock, FIRST_LOOK_MS, request.signal ?? undefined);
      return AGAIN;
  }
}

/** Looks at it until it is otherwise. Null = it is gone. */
async function waitWhile(
  deps: ExistingDeps,
  ask: Ask,
  found: Found,
  isSo: (operation: Operation) => boolean,
): Promise<Operation | null> {
  const { access, watch, maxWaitMs } = deps;
  const { clock } = access;
  const { id, request } = ask;
  const { provider, deadlineMono = Infinity } = request;
  const untilMono = Math.min(deadlineMono, clock.monoMs() + maxWaitMs);
  let last: Found = found;
  const looks = lookDelays();
  for (;;) {
    const leftMs = untilMono - clock.monoMs();
    if (leftMs <= 0) throw outOfTime(deps, ask, last);
    await sleep(clock, Math.min(looks.next().value, leftMs), request.signal ?? undefined);
    const operation = await access.ask(provider, (store) => store.get(id));
    if (operation === null || !isSo(operation)) return operation;
    last = operation;
    if (operation.leaseUntilMs === null || operation.leaseUntilMs > clock.wallMs()) continue;
    // Its holder is gone. Whoever notices takes it back.
    const tell = (moved: readonly Moved[]): void => moved.forEach((move) => watch.moved(move));
    await access.hear(provider, (store) => store.recover(RECOVERED_AT_ONCE), tell);
  }
}

function outOfTime(deps: ExistingDeps, ask: Ask, last: Found): Error {
  const { id, request } = ask;
  switch (last.state) {
    case 'queued':
    case 'waiting':
      return later(deps, ask, last);
    case 'uncertain':
    case 'reconciling':
      return stillUnknown(request.provider, id, undefined, whoLooks(deps, ask));
    default:
      return inProgress(request.provider, id);
  }
}

export function unknown({ id, request: { provider } }: Ask, cause: unknown, who: WhoLooks): Error {
  return cause === undefined ? stillUnknown(provider, id, undefined, who) : outcomeUnknown(provider, id, cause, who);
}

/** It is run by a worker: when it is due, or as soon as its turn comes. */
function later({ access }: ExistingDeps, { id, request }: Ask, { dueAtMs }: Found, cause?: unknown): Error {
  const { clock } = access;
  const inMs = dueAtMs === null ? null : Math.max(0, dueAtMs - clock.wallMs());
  return deferred(request.provider, id, inMs, clock, cause);
}
