import { bounded } from '../time/bounded.js';
import { WALL_SLACK_MS, WallHistory } from '../time/wall-history.js';
import { Claims, GIVEN_BACK } from './claims.js';
import type { OperationHandler, StoredInvocation } from './handler.js';
import type { HeldOperation } from './hold-keeper.js';
import type { Job } from './jobs.js';
import { keptResult } from './kept-result.js';
import type { Claimed } from './port/claim.js';
import type { Ending, Settled } from './port/hold.js';
import type { Reconciled } from './reconciled.js';
import { settleHold } from './settle-hold.js';
import { storableError, type StoredError } from './stored-error.js';
import { storedErrorOf } from './stored-error-of.js';
import type { LookupRun } from './trail.js';
import { invocationOf, unknownName, type WorkerDeps } from './worker-deps.js';

/** The longest pause between two looks at one operation, in ms. */
const LONGEST_CHECK_MS = 3_600_000;
/** What was absent after so many sends is not sent again, whatever `retry.maxAttempts` says of fewer. */
const LEAST_SENDS = 2;

/** Looks up at the provider what may have happened: one at a time of each reference, the store sees to that. */
export class Reconciler {
  readonly claims: Claims;
  /** The store goes by a wall clock, which may step, and whoever looked first may have been another process. */
  private readonly wall: WallHistory;

  constructor(private readonly deps: WorkerDeps) {
    this.wall = new WallHistory(deps.access.clock);
    this.claims = new Claims(deps, {
      to: 'reconciling',
      ask: (store, request) => {
        this.wall.note();
        return store.claimUncertain(request);
      },
      workOf: (claimed, held) => ({
        perform: (job) => this.perform(claimed, job),
        giveBack: async () => void (await this.settle(claimed, held, GIVEN_BACK)),
      }),
    });
  }

  private get provider(): string {
    return this.deps.runtime.contract.name;
  }

  private get settleMs(): number {
    return this.deps.runtime.contract.reconcile.settleTimeMs;
  }

  private async perform(claimed: Claimed, job: Job): Promise<void> {
    const ending = await this.judge(claimed, job);
    if (!job.isGone) await this.settle(claimed, job.held, ending);
  }

  private settle({ operation }: Claimed, held: HeldOperation, ending: Ending): Promise<Settled | null> {
    const { access, watch } = this.deps;
    const { hold, provider } = held;
    const settling = settleHold({ access, watch, hold, provider, name: operation.name, from: 'reconciling' }, ending);
    return settling.finally(() => held.release());
  }

  private async judge(claimed: Claimed, job: Job): Promise<Ending> {
    const { operation } = claimed;
    const { name } = operation;
    if (this.claims.isStopping) return GIVEN_BACK;
    // Those that gave no answer took their process with them.
    if (operation.checks >= this.deps.maxChecks) return unresolved(new Error(`It was looked up ${operation.checks} times, and none of the processes that did lived to tell.`)); // prettier-ignore
    const handler = this.deps.handlers.get(name);
    // Another version of the application may know it, if it has arguments to look it up by.
    if (handler === undefined && operation.payload !== null) return this.inconclusive(claimed, unknownName(name));
    const reconcile = handler?.reconcile ?? null;
    if (reconcile === null || operation.payload === null) {
      return notLookedUp(name, operation.error);
    }
    let invocation;
    try {
      invocation = invocationOf(claimed);
    } catch (error) {
      return { to: 'dead', cause: 'unreadable', error: storedErrorOf(error) };
    }
    const lookup: LookupRun = { maxHoldMs: this.deps.maxHoldMs, trail: { postponed: null, sent: false } };
    let said: Reconciled;
    try {
      said = checked(await this.asked(reconcile, invocation, name, job, lookup), name);
    } catch (error) {
      return job.stop.aborted ? GIVEN_BACK : (this.later(lookup, error) ?? this.inconclusive(claimed, error));
    }
    switch (said.type) {
      case 'found':
        return {
          to: 'done',
          cause: 'found',
          result: keptResult(this.deps.watch, this.provider, `what was found of ${name}`, said.value),
        };
      case 'absent':
        return this.absent(claimed);
      case 'inconclusive': {
        const inconclusive = new Error('The lookup was inconclusive.');
        return this.later(lookup, inconclusive) ?? this.inconclusive(claimed, inconclusive);
      }
    }
  }

  /** A lookup that cannot be made now says nothing, and waits where it holds nobody up; null = it was made, or failed. */
  private later({ trail: { postponed } }: LookupRun, error: unknown): Ending | null {
    if (postponed === null || postponed.cause === 'retry') return null;
    const checkInMs = Math.max(0, postponed.dueMono - this.deps.access.clock.monoMs());
    return { to: 'uncertain', cause: 'rescheduled', checkInMs, error: storedErrorOf(error) };
  }

  /** As long as a call may take: one that hangs must not keep its place for ever. */
  private asked(
    reconcile: NonNullable<OperationHandler['reconcile']>,
    invocation: StoredInvocation,
    name: string,
    { held, stop }: Job,
    lookup: LookupRun,
  ): Promise<Reconciled> {
    const { access, runtime } = this.deps;
    const { totalMs } = runtime.contract.timeouts;
    const limit = new AbortController();
    const overdue = (): Error => {
      const error = new Error(
        `The \`reconcile\` method of ${name} gave nothing within ${totalMs} ms (timeouts.total).`,
      );
      limit.abort(error);
      return error;
    };
    const said = reconcile(invocation, AbortSignal.any([held.signal, stop, limit.signal]), lookup);
    // Given back, or in other hands: nobody waits for it any more.
    return bounded(said, access.clock, [held.signal], totalMs, overdue);
  }

  /** What never arrives, however often it is sent, is no matter for one more send. */
  private absent({ operation, requests }: Claimed): Ending {
    const { settleMs, wall } = this;
    const { absentAtMs } = operation;
    if (absentAtMs !== null) {
      const restMs = wall.monoOf(absentAtMs) + settleMs - this.deps.access.clock.monoMs();
      // The wall clock was set forward.
      if (restMs > 2 * WALL_SLACK_MS) return { to: 'uncertain', cause: 'inconclusive', checkInMs: restMs, error: null };
    }
    const mostSends = Math.max(LEAST_SENDS, this.deps.runtime.contract.retry.maxAttempts);
    const sends = Math.max(0, ...requests.filter(({ state }) => state === 'sent').map((request) => request.sends));
    const isSettled = absentAtMs !== null && this.deps.access.clock.wallMs() - absentAtMs >= settleMs;
    if (isSettled && sends >= mostSends) return unresolved(new Error(`It was sent ${sends} times, and is absent at the provider.`)); // prettier-ignore
    return { to: 'absent', settleMs, checkInMs: settleMs };
  }

  /** Later, less and less often; in the end a person has to look. */
  private inconclusive({ operation }: Claimed, cause: unknown): Ending {
    const { checks } = operation;
    if (checks + 1 >= this.deps.maxChecks) return unresolved(cause);
    const checkInMs = Math.min(LONGEST_CHECK_MS, Math.max(1_000, this.settleMs) * 2 ** checks);
    return { to: 'uncertain', cause: 'inconclusive', checkInMs, error: storedErrorOf(cause) };
  }
}

/** Whoever looks for himself needs what the provider said. */
function notLookedUp(name: string, last: StoredError | null): Ending {
  const what = `No \`reconcile\` method looks ${name} up: settle it by hand, by resolve, redrive or discard.`;
  if (last === null) return unresolved(new Error(what));
  // Driven again it comes here once more.
  const message = last.message.startsWith(what) ? last.message : `${what} It ended in: ${last.message}`;
  const error = storableError({ ...last, message });
  return { to: 'dead', cause: 'unresolved', error };
}

function unresolved(error: unknown): Ending {
  return { to: 'dead', cause: 'unresolved', error: storedErrorOf(error) };
}

/** @throws TypeError where a `reconcile` method gives something else. */
function checked(said: Reconciled, name: string): Reconciled {
  const type: unknown = (said as Partial<Reconciled> | null | undefined)?.type;
  if (type === 'found' || type === 'absent' || type === 'inconclusive') return said;
  throw new TypeError(`The \`reconcile\` method of ${name} gave neither found(), absent() nor inconclusive().`);
}
