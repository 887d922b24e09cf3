import { hash } from 'node:crypto';
import type { SluiceContext } from '../context/contexts.js';
import { nameRequest, type NamedRequest } from '../idempotency/keys.js';
import { whatNow } from '../errors/unknown-outcome.js';
import type { OperationJournal } from '../operations/journal.js';
import type { RequestEnd, RequestRecord, StoredRequest } from '../operations/port/request.js';
import type { OperationTrail } from '../operations/trail.js';
import type { Trouble } from '../retry/trouble.js';
import { bounded } from '../time/bounded.js';
import type { AttemptOptions, AttemptResult, FirstBody, Recordable, WritableBody } from './call.js';
import type { CallEnv } from './call-env.js';
import type { CallPlan, RequestPlan } from './call-plan.js';
import { failure, type FailureScene } from './failures.js';
import type { Started, Written } from './started.js';

type Answered = Extract<AttemptResult, { type: 'answered' }>;
type Hop = AttemptOptions['hop'];

/** What an earlier send tells of a write before anything is asked for. */
export type Foreknown =
  { readonly type: 'answered'; readonly result: Answered } | { readonly type: 'unknown'; readonly error: unknown };

const NO_FIELDS = Object.freeze({});
const NOTHING_SENT: RequestEnd = { type: 'not-done', status: null };

/** For clients that bring nothing of their own: their writes are known, and neither repeated nor given again. */
const OPAQUE: Recordable = {
  body: () => ({ bytes: null, contentType: null, repeatable: false }),
  keep: () => null,
  restore: () => {
    throw new TypeError('Nothing of its answer was kept.');
  },
};

/** The book of a call that is a write of an operation with a journal; null = it is none. */
export function bookOf(env: CallEnv, plan: CallPlan, { method }: SluiceContext): WriteBook | null {
  const operation = method?.operation;
  if (operation?.journal === undefined || plan.request.safety === 'safe') return null;
  const { view } = plan.request;
  const { method: verb, route, path } = view;
  const name = nameRequest(operation, { step: plan.options.step ?? null, method: verb, route, path });
  return new WriteBook(env, plan, operation.journal, name, operation.trail);
}

/** What one call reads and writes in the journal of its operation. */
export class WriteBook {
  /** What all its attempts send: the key of the first send, whatever the method says now. */
  readonly key: string | null;
  /** Its first send had no key: with one of now it would be another request. */
  readonly keyless: boolean;
  /** Written down, and not handed to the wire since: the grant was stale. */
  private waiting: Written | null = null;
  /** What became of its last send is known. */
  private settled = false;
  private step: string;
  private hops = 0;
  private lastHop: Hop = undefined;

  constructor(
    private readonly env: CallEnv,
    private readonly plan: CallPlan,
    private readonly journal: OperationJournal,
    private readonly name: NamedRequest,
    private readonly trail: OperationTrail | undefined,
  ) {
    const { safety, key } = plan.request;
    const known = journal.known(name.step);
    this.step = name.step;
    this.keyless = known !== undefined && known.providerKey === null;
    this.key = safety !== 'keyed' || this.keyless ? null : (known?.providerKey ?? key ?? name.key);
  }

  /** Null = it is to be sent. */
  foreknown(request: RequestPlan, { hop, recordable = OPAQUE }: AttemptOptions, scene: FailureScene): Foreknown | null {
    const known = this.journal.known(this.at(hop));
    if (known?.state === 'answered') return restored(known, recordable, scene);
    if (known?.state !== 'sent') return null;
    const { repeatableUntilMs: until, providerKey } = known;
    const sendsKey = request.safety === 'keyed' && providerKey !== null && this.travels(providerKey, known);
    const repeatable = until === null || (sendsKey && until > this.env.clock.wallMs());
    return repeatable ? null : { type: 'unknown', error: unknownBefore(scene) };
  }

  /**
   * Writes it down, and resolves with what is to be sent: the key and the bytes of its first send.
   *
   * @throws SluiceError where nothing may be sent; GaveUp when the caller does not wait for it.
   */
  async written(started: Started, options: AttemptOptions, scene: FailureScene): Promise<Started> {
    const { hop, recordable = OPAQUE } = options;
    if (this.waiting !== null) this.checkOpen(scene);
    const written = this.waiting ?? (await this.write(started, hop, recordable, scene));
    this.waiting = written;
    this.settled = false;
    return { ...started, key: written.request.providerKey, written };
  }

  /** The process may have stood still since it was written down. @throws SluiceError where nothing may be sent any more. */
  checkOpen(scene: FailureScene): void {
    if (!this.journal.isOpen) throw notOurs(scene);
  }

  /** An attempt leaves; to be called back when its end is recorded. */
  leaves(): () => void {
    let over: () => void = () => undefined;
    this.trail?.onWire?.add(new Promise<void>((resolve) => (over = resolve)));
    return over;
  }

  /** Resolves when the journal knows what became of it. */
  ended({ step, openBefore, recordable }: Written, result: AttemptResult, trouble: Trouble, keyed: boolean) {
    this.waiting = null;
    const end = endOf(result, trouble, keyed, recordable);
    this.settled = end !== null && !(end.type === 'not-done' && openBefore);
    return end !== null && this.settled ? this.journal.ended(step, end) : Promise.resolve();
  }

  /** The call is over, and what it wrote down has not left; null = there is nothing to be told. */
  unsent(): Promise<void> | null {
    const { waiting } = this;
    this.waiting = null;
    return waiting === null || waiting.openBefore ? null : this.journal.ended(waiting.step, NOTHING_SENT);
  }

  /** After this the provider may take the key for a new one, in monotonic ms. */
  keyDeadlineMono(): number {
    const known = this.settled ? undefined : this.journal.known(this.step);
    if (known?.state !== 'sent' || known.providerKey === null || known.repeatableUntilMs === null) return Infinity;
    const { clock } = this.env;
    return clock.monoMs() + known.repeatableUntilMs - clock.wallMs();
  }

  /** Work that goes on though its caller is gone. */
  goesOn(work: Promise<unknown>): void {
    this.trail?.late?.add(work);
  }

  private async write(started: Started, hop: Hop, recordable: Recordable, scene: FailureScene): Promise<Written> {
    const { clock } = this.env;
    const { request, permit } = started;
    const step = this.at(hop);
    const key = (hop?.sameOrigin ?? true) ? started.key : null;
    const limitMs = Math.min(this.plan.deadlineMono, permit.grantedMono + this.plan.attemptMs) - clock.monoMs();
    const within = <T>(work: Promise<T>): Promise<T> =>
      bounded(work, clock, request.signals, Math.max(0, limitMs), () => tooSlow(scene));
    const given = recordable.body(this.fields(key));
    const body = given instanceof Promise ? await within(given) : given;
    const openBefore = this.journal.known(step)?.state === 'sent';
    const record = this.recordOf(step, request, key, body);
    const recording = this.journal.record(record);
    try {
      const stored = await within(recording);
      return {
        step,
        request: stored,
        firstBody: firstBodyOf(stored, record),
        openBefore,
        recordable,
        isGone: () => !this.journal.isOpen,
      };
    } catch (error) {
      // It may be written down all the same, after nobody waits for it.
      const undone = recording.then(
        () => (openBefore ? undefined : this.journal.ended(step, NOTHING_SENT)),
        () => undefined,
      );
      this.goesOn(undone);
      throw error;
    }
  }

  private recordOf(step: string, request: RequestPlan, key: string | null, body: WritableBody): RequestRecord {
    const { bytes, contentType, repeatable } = body;
    const { method, route } = request.view;
    const { idempotency } = this.env.contract.resolved;
    // A repeat is sent in time for all of its attempt.
    const keptMs = key === null || idempotency === null ? 0 : idempotency.retentionMs - this.plan.attemptMs;
    return {
      step,
      method,
      route,
      providerKey: key,
      bodyHash: bytes === null ? null : hash('sha256', bytes, 'base64url'),
      body: bytes === null || bytes.length === 0 ? null : bytes,
      contentType,
      repeatableForMs: repeatable ? Math.max(0, keptMs) : 0,
    };
  }

  /** Whether a repeat of the first send's bytes brings the key to where the provider looks for it now. */
  private travels(key: string, { body }: StoredRequest): boolean {
    if ((this.env.contract.resolved.idempotency?.bodyField ?? null) === null) return true;
    const bytes = Buffer.from(body ?? []);
    return [key, JSON.stringify(key).slice(1, -1), encodeURIComponent(key)].some((text) => bytes.includes(text));
  }

  private fields(key: string | null): Readonly<Record<string, string>> {
    const field = this.env.contract.resolved.idempotency?.bodyField ?? null;
    return key === null || field === null ? NO_FIELDS : { [field]: key };
  }

  /** Each redirect that is followed is a request of its own. */
  private at(hop: Hop): string {
    if (hop !== undefined && hop.request !== this.lastHop?.request) {
      this.hops += 1;
      this.lastHop = hop;
    }
    return (this.step = hop === undefined ? this.name.step : `${this.name.step} > ${this.hops}`);
  }
}

/** A failure is not remembered as the answer, and says nothing where it may have happened. */
function endOf(result: AttemptResult, trouble: Trouble, keyed: boolean, recordable: Recordable): RequestEnd | null {
  const status = result.type === 'answered' ? result.status : null;
  switch (trouble) {
    case 'none':
      return result.type === 'answered'
        ? { type: 'answered', status: result.status, answer: kept(recordable, result) }
        : null;
    case 'limited':
    case 'auth':
    case 'not-sent':
      return { type: 'not-done', status };
    case 'locked':
      // A key that is in use is at work.
      return keyed ? null : { type: 'not-done', status };
    case 'permanent':
      return result.type === 'failed' && result.sent ? null : { type: 'not-done', status };
    case 'failure':
    case 'overloaded':
    case 'no-answer':
      return null;
  }
}

function kept(recordable: Recordable, result: Answered): string | null {
  try {
    return recordable.keep(result);
  } catch {
    return null;
  }
}

function restored({ status, answer }: StoredRequest, recordable: Recordable, scene: FailureScene): Foreknown {
  let cause: unknown;
  try {
    if (answer !== null) return { type: 'answered', result: recordable.restore(status ?? 200, answer) };
  } catch (error) {
    cause = error;
  }
  const what = `it was answered with ${status} in an earlier run, but that answer could not be kept; nothing was sent again. ${whatNow(scene.whoLooks)}`;
  return { type: 'unknown', error: failure('OUTCOME_UNKNOWN', scene, what, { cause }) };
}

/** Null = it is what is sent now anyway, or its bytes are not known. */
function firstBodyOf({ body, bodyHash, contentType }: StoredRequest, now: RequestRecord): FirstBody | null {
  if (bodyHash === null || (bodyHash === now.bodyHash && contentType === now.contentType)) return null;
  return { bytes: body ?? new Uint8Array(0), contentType };
}

function unknownBefore(scene: FailureScene): unknown {
  const what =
    'it was sent in an earlier run and no answer is known, so it may have happened; it may not be repeated, and nothing was sent. ' +
    whatNow(scene.whoLooks);
  return failure('OUTCOME_UNKNOWN', scene, what);
}

function notOurs(scene: FailureScene): unknown {
  const what =
    'its operation is in other hands now, or its run is over; nothing was sent. Ask again with the same key.';
  return failure('OPERATION_IN_PROGRESS', scene, what);
}

function tooSlow(scene: FailureScene): unknown {
  const what = 'its operation could not be written down in the time that the attempt had; nothing was sent. Try again.';
  return failure('STORE_UNAVAILABLE', scene, what);
}
