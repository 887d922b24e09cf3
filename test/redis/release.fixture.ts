/** Releases of an application that run side by side: each takes steps with a contract of its own, by a clock set by hand. */
import { defineProvider } from '../../libs/core/src/contract/define-provider.js';
import type { ProviderOptions } from '../../libs/core/src/contract/options.js';
import { settled } from '../../libs/core/src/gate/memory/lab.fixture.js';
import type { Grant, StepReply, Ticket } from '../../libs/core/src/gate/port.js';
import { STEP_PARTS } from '../../libs/redis/src/generated/step-script.js';
import { scriptOf } from '../../libs/redis/src/script.js';
import { Wire } from '../../libs/redis/src/wire.js';
import type { Place } from '../gate/redis-process.fixture.js';

const STEP = scriptOf('step', STEP_PARTS);
const ATTEMPT_US = 2_000_000;

type Options = Partial<ProviderOptions> & Pick<ProviderOptions, 'limits'>;

export class Release {
  private readonly wire: Wire;
  private readonly ticket: Ticket;
  private stepNo = 0;
  private ids = 0;

  constructor(
    private readonly place: Place,
    readonly id: string,
    options: Options,
  ) {
    const contract = defineProvider({ name: 'p', guard: 0, ...options }).resolved;
    this.wire = new Wire(contract, place.at, place.clock);
    this.ticket = { key: 'ticket', lane: 0, tenant: '', partition: {}, limits: contract.limits.map((_, i) => i) };
  }

  /** Asks for so many calls and takes what is granted; settles what has ended. */
  async step(calls: number, ended: readonly Grant[] = []): Promise<StepReply> {
    this.stepNo += 1;
    const head = () => ({
      id: (this.ids += 1),
      waitedUs: 0,
      charges: this.ticket.limits.map(() => 1),
      kind: 'first' as const,
      safety: 'safe' as const,
      attemptUs: ATTEMPT_US,
      place: null,
      observe: false,
    });
    const heads = Array.from({ length: calls }, head);
    const { keys, args } = this.wire.step({
      processId: this.id,
      stepNo: this.stepNo,
      seenSeq: 0,
      asks: [{ ticket: this.ticket, waiting: calls, heads, newestWaitedUs: 0 }],
      settles: ended.map((grant) => settled(grant, this.ticket)),
      commands: [],
    });
    const now = String(this.place.nowUs);
    const answer = await this.place.redis.callBuffer('EVAL', STEP.source, keys.length, ...keys, ...args, now);
    return this.wire.reply((answer as Buffer[])[0]);
  }
}
