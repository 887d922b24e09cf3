import type { OperationContext } from '../context/contexts.js';
import { isSluiceError } from '../errors/sluice-error.js';
import type { AttemptKind } from '../model/outcome.js';
import type { Reading } from '../reading/reading.js';
import { GaveUp } from '../time/bounded.js';
import type { AttemptEnd, AttemptOptions } from './call.js';
import type { RequestPlan } from './call-plan.js';
import { judge, type Judgement } from './judge.js';
import { type CallParts, withinCall } from './obtain.js';
import type { Started } from './started.js';
import type { WireEnd } from './wire.js';
import type { WriteBook } from './write-book.js';

/** How a call goes whose writes are written down: what is known of them before, and who waits until it is known after. */
export class RecordedPart {
  constructor(
    private readonly call: CallParts & { readonly callId: string },
    private readonly operation: OperationContext,
    readonly book: WriteBook,
  ) {}

  /** What an earlier run left of this write makes asking for it needless. Null = it is to be sent. */
  foreknown(request: RequestPlan, options: AttemptOptions): AttemptEnd | Promise<AttemptEnd> | null {
    const { ending, trail, env } = this.call;
    const known = request.safety === 'safe' ? null : this.book.foreknown(request, options, ending.scene());
    if (known === null) return null;
    if (known.type === 'unknown') return this.unknownBefore(known.error);
    trail?.goesOn();
    const { contract, clock, report } = env;
    const { reading } = judge(contract, request, { result: known.result, cut: null }, clock.wallMs(), report);
    const going = options.goesOn?.(known.result);
    if (going) return ending.goesOn(going, known.result, 'succeeded', 'permanent');
    return ending.remembered(known.result, reading as Reading);
  }

  /** The call ends unsent: what it wrote down and did not send is taken back. */
  notSent(kind: AttemptKind, error: unknown): AttemptEnd | Promise<AttemptEnd> {
    const { ending } = this.call;
    const undone = this.book.unsent();
    if (isSluiceError(error, 'OUTCOME_UNKNOWN')) return this.unknownBefore(error);
    if (undone === null) return ending.notSent(kind, error);
    if (!(error instanceof GaveUp)) return undone.then(() => ending.notSent(kind, error));
    this.book.goesOn(undone);
    return ending.notSent(kind, error);
  }

  /** What became of a write; null = it was none. */
  told({ written, request }: Started, { result }: WireEnd, { trouble }: Judgement): Promise<void> | null {
    if (written === undefined) return null;
    return this.book.ended(written, result, trouble, request.safety === 'keyed');
  }

  /** The journal comes before the answer, but a caller does not wait for it beyond the deadline. @throws GaveUp */
  async heard(told: Promise<void>, { signals }: RequestPlan): Promise<void> {
    const late = Symbol('late');
    try {
      await withinCall(this.call, told, signals, () => late);
    } catch (error) {
      this.book.goesOn(told);
      if (error !== late) throw error;
    }
  }

  /** It may have happened before, and is not sent: whoever runs the operation hears of it even where the error gets lost. */
  private unknownBefore(error: unknown): AttemptEnd {
    this.operation.unsettled?.add(this.call.callId);
    return this.call.ending.unknownBefore(error);
  }
}
