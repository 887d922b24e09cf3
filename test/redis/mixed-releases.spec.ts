import fc from 'fast-check';
import { TicketBook } from '../../libs/core/src/gate/client/tickets.js';
import type { ResolvedContract } from '../../libs/core/src/contract/resolved.js';
import type { Grant, Settle, Ticket } from '../../libs/core/src/gate/port.js';
import { STEP_PARTS } from '../../libs/redis/src/generated/step-script.js';
import { scriptOf } from '../../libs/redis/src/script.js';
import { Wire } from '../../libs/redis/src/wire.js';
import { contracts } from '../gate/contracts.js';
import { Place, SECOND } from '../gate/redis-process.fixture.js';

const STEP = scriptOf('step', STEP_PARTS);
const RUNS = 12;
const STEPS = 60;

type Dice = (sides: number) => number;

function diceOf(seed: number): Dice {
  let state = seed >>> 0;
  return (sides) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * sides);
  };
}

function picked<T>(dice: Dice, list: readonly T[]): T {
  return list[dice(list.length)] as T;
}

/** A process of one release, which does whatever may come to its mind. */
class Mind {
  private readonly wire: Wire;
  private readonly book: TicketBook;
  private readonly held: { readonly grant: Grant; readonly ticket: Ticket }[] = [];
  private stepNo = 0;

  constructor(
    private readonly place: Place,
    private readonly id: string,
    private readonly contract: ResolvedContract,
    private readonly dice: Dice,
  ) {
    this.wire = new Wire(contract, place.at, place.clock);
    this.book = new TicketBook(contract);
  }

  async step(): Promise<void> {
    const { dice, held, contract, place } = this;
    const kind = picked(dice, ['first', 'first', 'retry', 'repeat'] as const);
    const route = picked(dice, [null, 'search', 'list']);
    const tickets = Array.from({ length: 1 + dice(3) }, () =>
      this.book.ticketOf({
        lane: dice(contract.lanes.length),
        tenant: picked(dice, ['', 't1', 't2']),
        partition: { user: picked(dice, ['u', 'v']), team: picked(dice, ['m', 'n']) },
        route,
        kind,
        place: null,
      }),
    );
    const asks = [...new Set(tickets)].map((ticket) => {
      const calls = dice(6);
      const head = (id: number) => ({
        id,
        waitedUs: 0,
        charges: ticket.limits.map(() => 1 + dice(2)),
        kind,
        safety: picked(dice, ['safe', 'keyed', 'unkeyed'] as const),
        attemptUs: 2 * SECOND,
        place: null,
        observe: dice(20) === 0,
      });
      return { ticket, waiting: calls, newestWaitedUs: 0, heads: Array.from({ length: calls }, (_, i) => head(i)) };
    });
    const ended = held.splice(0, dice(held.length + 1));
    this.stepNo += 1;
    const { keys, args } = this.wire.step({
      processId: this.id,
      stepNo: this.stepNo,
      seenSeq: 0,
      asks,
      settles: ended.map(({ grant, ticket }) => this.settle(grant, ticket)),
      commands:
        dice(25) === 0
          ? [{ type: picked(dice, ['pause', 'resume'] as const), partition: null, forUs: SECOND } as never]
          : [],
    });
    const answer = await place.redis.callBuffer(
      'EVAL',
      STEP.source,
      keys.length,
      ...keys,
      ...args,
      String(place.nowUs),
    );
    const reply = this.wire.reply((answer as Buffer[])[0]);
    for (const grant of reply.grants) {
      const ticket = tickets.find(({ key }) => key === grant.ticketKey);
      if (ticket !== undefined) held.push({ grant, ticket });
    }
    for (const { used } of (await this.view()).limits) expect(used ?? 0).toBeGreaterThanOrEqual(0);
  }

  private async view() {
    const { keys, args } = this.wire.inspect(this.id);
    const now = String(this.place.nowUs);
    const answer = await this.place.redis.callBuffer('EVAL', STEP.source, keys.length, ...keys, ...args, now);
    return this.wire.view((answer as Buffer[])[0]);
  }

  private settle({ leaseId }: Grant, ticket: Ticket): Settle {
    const { dice, contract } = this;
    const end = picked(dice, ['answered', 'answered', 'not-sent', 'no-answer'] as const);
    const limit = dice(contract.limits.length);
    return {
      leaseId,
      ticket,
      end,
      health: end === 'answered' ? picked(dice, ['alive', 'failure'] as const) : 'none',
      refusal:
        end === 'answered' && dice(8) === 0
          ? { limit: picked(dice, [null, limit]), waitUs: picked(dice, [null, SECOND]) }
          : null,
      trueCharges: dice(4) === 0 ? ticket.limits.map(() => dice(4)) : null,
      seen: dice(6) === 0 ? [{ limit, remaining: dice(3), resetInUs: picked(dice, [null, SECOND, 90 * SECOND]) }] : [],
      retry: dice(4) === 0 ? { afterUs: SECOND, keepUs: SECOND } : null,
    };
  }
}

it('no step fails, and no account falls below nothing, whatever contracts are in use at the same time', async () => {
  await fc.assert(
    fc.asyncProperty(contracts, contracts, fc.integer(), async (old, young, seed) => {
      const place = new Place();
      const dice = diceOf(seed);
      try {
        const minds = [old, young, old].map(
          (contract, i) => new Mind(place, `p${i}`, { ...contract, name: 'p' }, dice),
        );
        for (let step = 0; step < STEPS; step += 1) {
          place.nowUs += picked(dice, [0, 1, 1_000, 50_000, 400_000, 3 * SECOND]);
          await picked(dice, minds).step();
        }
      } finally {
        await place.close();
      }
    }),
    { numRuns: RUNS, endOnFailure: true },
  );
});
