/** Processes that take steps in Redis by a clock that is set by hand. */
import { Redis } from 'ioredis';
import { defineProvider } from '../../libs/core/src/contract/define-provider.js';
import type { LimitOptions } from '../../libs/core/src/contract/options.js';
import { settled } from '../../libs/core/src/gate/memory/lab.fixture.js';
import type { Grant, StepReply, Ticket } from '../../libs/core/src/gate/port.js';
import { STEP_PARTS } from '../../libs/redis/src/generated/step-script.js';
import { scriptOf } from '../../libs/redis/src/script.js';
import { placeOf } from '../../libs/redis/src/keys.js';
import { Wire } from '../../libs/redis/src/wire.js';

const STEP = scriptOf('step', STEP_PARTS);

const START_US = Date.UTC(2026, 0, 5) * 1000;
export const SECOND = 1_000_000;

let places = 0;

/** One place in Redis, which nobody else uses. */
export class Place {
  readonly redis = new Redis(process.env['REDIS_URL'] ?? 'redis://127.0.0.1:6379', { lazyConnect: true });
  nowUs = START_US;
  readonly clock = {
    wallMs: () => this.nowUs / 1000,
    monoMs: () => this.nowUs / 1000,
    schedule: () => () => undefined,
  };
  readonly at: ReturnType<typeof placeOf>;

  constructor() {
    places += 1;
    this.at = placeOf(`process-${process.pid}-${places}-${Math.floor(performance.now())}`, 'p', null, false);
  }

  async close(): Promise<void> {
    const keys = await this.redis.keys(`${this.at.base}:*`);
    if (keys.length > 0) await this.redis.del(...keys);
    await this.redis.quit();
  }
}

/** With a contract of its own: others may use another one at the same place. */
export class Process {
  private readonly wire: Wire;
  private readonly ticket: Ticket;
  private stepNo = 0;
  private ids = 0;

  constructor(
    private readonly place: Place,
    readonly id: string,
    limits: readonly LimitOptions[],
    maxShare = 1,
    dimensions: readonly string[] = [],
  ) {
    const contract = defineProvider({ name: 'p', dimensions, limits, guard: 0, tenants: { maxShare } }).resolved;
    this.wire = new Wire(contract, place.at, place.clock);
    this.ticket = { key: 'ticket', lane: 0, tenant: 't', partition: {}, limits: limits.map((_, i) => i) };
  }

  /** Asks for so many calls, and settles what has ended. `account`: whose they are, where limits are counted by it. */
  async step(calls: number, ended: readonly Grant[] = [], account?: string): Promise<StepReply> {
    this.stepNo += 1;
    const ticket = account === undefined ? this.ticket : { ...this.ticket, key: account, partition: { account } };
    const head = () => ({
      id: (this.ids += 1),
      waitedUs: 0,
      charges: this.ticket.limits.map(() => 1),
      kind: 'first' as const,
      safety: 'safe' as const,
      attemptUs: 2 * SECOND,
      place: null,
      observe: false,
    });
    const heads = Array.from({ length: Math.min(calls, 32) }, head);
    const { keys, args } = this.wire.step({
      processId: this.id,
      stepNo: this.stepNo,
      seenSeq: 0,
      asks: [{ ticket, waiting: calls, heads, newestWaitedUs: 0 }],
      settles: ended.map((grant) => settled(grant, ticket)),
      commands: [],
    });
    const now = String(this.place.nowUs);
    const answer = await this.place.redis.callBuffer('EVAL', STEP.source, keys.length, ...keys, ...args, now);
    return this.wire.reply((answer as Buffer[])[0]);
  }
}
