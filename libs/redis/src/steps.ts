/** The steps of one process at one place in Redis: numbered, one at a time, and the one whose reply was lost is asked after. */
import type { Ask, Settle, StepInput, StepReply } from '../../core/src/index.js';
import { ended } from './entries.js';
import type { Link } from './link.js';
import type { Script } from './script.js';
import type { FleetReply, StepCodec } from './step-codec.js';

/** What a step carries, without its number. */
export type Load = Pick<StepInput, 'settles' | 'asks' | 'commands'>;

interface Lost {
  /** As it is sent again. */
  readonly input: StepInput;
  /** What its reply means by then. */
  readonly read: (reply: StepReply) => void;
}

/** Who took a step within this time is known to the books: they forget a process after an hour. */
const REMEMBERED_US = 1_800_000_000;

/** Redis has forgotten steps that it had answered. */
export interface Loss {
  /** It knows of those up to this one; null = of none. */
  readonly sinceStep: number | null;
}

export class Steps {
  private stepNo = 0;
  private seenSeq = 0;
  private lost: Lost | null = null;
  /** The last step that was answered; 0 = none. */
  private answered = 0;
  private bornUs: number | null = null;
  /** When that was, by the books. */
  private answeredUs = 0;
  private loss: Loss | null = null;

  constructor(
    private readonly link: Link,
    private readonly script: Script,
    /** A contract with new numbers has another. */
    public codec: StepCodec,
    private readonly processId: string,
  ) {}

  /**
   * One step, whose calls are served elsewhere if it fails.
   *
   * @param orphaned told of what was granted after all, when that becomes known
   * @throws what happened to it: it may have been done, or may be done later.
   */
  take(load: Load, orphaned: (settles: readonly Settle[]) => void): Promise<FleetReply> {
    const input = this.numbered(load);
    const lost: Lost = {
      // Its asks are over by then; its settles and commands are not. Redis answers as it did, or does these now.
      input: { ...input, asks: [] },
      read: (reply) => orphaned(givenBack(reply, load.asks)),
    };
    return this.send(input, lost);
  }

  /**
   * One step that is to be done whatever happens to its first reply.
   *
   * @param read told of its reply, now or after `recover`
   * @throws what happened to it.
   */
  async insist(load: Load, read: (reply: StepReply) => void): Promise<void> {
    const input = this.numbered(load);
    read(await this.send(input, { input, read }));
  }

  /** Asks after the lost step, by its number, so that it is not done twice. @throws what happened to the question. */
  async recover(): Promise<void> {
    const { lost } = this;
    if (lost === null) return;
    lost.read(await this.send(lost.input, lost));
  }

  /** What Redis has lost since this was asked last. */
  takeLoss(): Loss | null {
    const { loss } = this;
    this.loss = null;
    return loss;
  }

  /** The number of the last step that was answered. */
  get latest(): number {
    return this.answered;
  }

  private notice({ bornUs, previousStep, nowUs }: FleetReply): void {
    const began = this.bornUs !== null && bornUs !== this.bornUs;
    this.bornUs = bornUs;
    // A replica may have taken over that had not heard of this process yet.
    const unknown = previousStep === null && this.answered > 0 && nowUs - this.answeredUs < REMEMBERED_US;
    this.answeredUs = nowUs;
    if (began || unknown) this.loss = { sinceStep: null };
    else if (this.loss === null && previousStep !== null && previousStep < this.answered) {
      this.loss = { sinceStep: previousStep };
    }
  }

  private numbered(load: Load): StepInput {
    this.stepNo += 1;
    return { ...load, processId: this.processId, stepNo: this.stepNo, seenSeq: this.seenSeq };
  }

  private async send(input: StepInput, lost: Lost): Promise<FleetReply> {
    this.lost = lost;
    const { codec } = this;
    const reply = codec.reply(await this.link.run(this.script, codec.step(input)));
    this.lost = null;
    this.notice(reply);
    this.answered = input.stepNo;
    if (reply.seq > this.seenSeq) this.seenSeq = reply.seq;
    return reply;
  }
}

/** Ends of grants that nobody waits for any more. */
export function givenBack(reply: StepReply, asks: readonly Ask[]): readonly Settle[] {
  const tickets = new Map(asks.map(({ ticket }) => [ticket.key, ticket]));
  return reply.grants.flatMap(({ leaseId, ticketKey }) => {
    const ticket = tickets.get(ticketKey);
    return ticket === undefined ? [] : [ended(leaseId, ticket, 'not-sent')];
  });
}
