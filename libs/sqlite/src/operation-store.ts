import type {
  AnswerRecorded,
  ClaimReply,
  ClaimRequest,
  Checkpointed,
  ClaimWork,
  Created,
  CreateOperation,
  Ending,
  Hastened,
  HastenQuery,
  Hold,
  ListQuery,
  Moved,
  Operation,
  OperationCounts,
  OperationPage,
  OperationStore,
  Ordered,
  Recorded,
  RequestEnd,
  RequestRecord,
  Settled,
  StoredRequest,
  UsedAmount,
} from '../../core/src/index.js';
import { inBites, MOVED_PER_BITE, SHOWN_PER_BITE } from './bites.js';
import type { Channel } from './channel.js';
import { type Codec, storedBytes } from './codec.js';
import { countOf, durationOf } from './inputs.js';
import type { ResolvedOptions } from './options.js';
import type {
  ClaimedRows,
  EndingInput,
  FlushPosition,
  FlushReply,
  FullRow,
  Stored,
  HastenPosition,
} from './protocol.js';
import { claimedOf, operationOf, requestOf, rowsOf, summaryOf } from './rows.js';

/** The port over the worker: encodes, measures and decodes. Every decision is the worker's. */
export class SqliteOperationStore implements OperationStore {
  constructor(
    private readonly channel: Channel,
    private readonly codec: Codec,
    private readonly options: Pick<ResolvedOptions, 'bounds' | 'maxPayloadBytes'>,
  ) {}

  async create(input: CreateOperation): Promise<Created> {
    if (input.payload === null && (input.start === null || input.orderingKey !== null)) {
      throw new RangeError(
        'An operation without a payload cannot wait for its turn: it is started, and has no orderingKey.',
      );
    }
    // The empty text stands for none, with any serializer.
    const payload = input.payload === null ? '' : this.codec.encode(input.payload);
    if (this.isTooLarge(payload)) {
      return { type: 'refused', code: 'PAYLOAD_TOO_LARGE', of: 'payload', limit: this.options.maxPayloadBytes };
    }
    const reply = await this.channel.call('create', {
      ...input,
      payload,
      bounds: input.bounds ?? this.options.bounds,
      start: input.start === null ? null : { ...input.start, leaseMs: durationOf('leaseMs', input.start.leaseMs) },
      dueInMs: durationOf('dueInMs', input.dueInMs),
      keepMs: input.keepMs === null ? null : durationOf('keepMs', input.keepMs),
    });
    if (reply.type === 'created' || reply.type === 'refused') return reply;
    return { type: reply.type, operation: operationOf(this.codec, reply.row) };
  }

  async get(id: string): Promise<Operation | null> {
    const row = await this.channel.call('get', { id });
    return row === null ? null : operationOf(this.codec, row);
  }

  async requests(id: string): Promise<readonly StoredRequest[]> {
    const rows = await this.channel.call('requests', { id });
    return rows.map((row) => requestOf(this.codec, row));
  }

  async claim({ lanes, ...request }: ClaimWork): Promise<ClaimReply> {
    return this.readable(await this.channel.call('claim', { ...claimInput(request), lanes }));
  }

  async claimUncertain(request: ClaimRequest): Promise<ClaimReply> {
    return this.readable(await this.channel.call('claimUncertain', claimInput(request)));
  }

  async renew(holds: readonly Hold[], leaseMs: number): Promise<readonly string[]> {
    return this.channel.call('renew', { holds, leaseMs: durationOf('leaseMs', leaseMs) });
  }

  async recordRequest(hold: Hold, request: RequestRecord): Promise<Recorded> {
    const body = request.body === null ? null : this.codec.encodeBytes(request.body);
    if (body !== null && this.isTooLarge(body)) return { type: 'too-large', limit: this.options.maxPayloadBytes };
    const repeatableForMs =
      request.repeatableForMs === null ? null : durationOf('repeatableForMs', request.repeatableForMs);
    const reply = await this.channel.call('recordRequest', { hold, request: { ...request, body, repeatableForMs } });
    return reply.type === 'stale' ? reply : { type: reply.type, request: requestOf(this.codec, reply.request) };
  }

  async recordAnswer(hold: Hold, step: string, end: RequestEnd): Promise<AnswerRecorded> {
    const answer = end.type === 'answered' ? this.fitting(end.answer) : null;
    const kept = end.type !== 'answered' || end.answer === null || answer !== null;
    const reply = await this.channel.call('recordAnswer', {
      hold,
      step,
      end: end.type === 'answered' ? { ...end, answer } : end,
    });
    return reply.type === 'stale' ? reply : { type: 'recorded', kept };
  }

  async checkpoint(hold: Hold, position: string): Promise<Checkpointed> {
    const stored = this.codec.encode(position);
    if (this.isTooLarge(stored)) return { type: 'too-large', limit: this.options.maxPayloadBytes };
    return this.channel.call('checkpoint', { hold, position: stored });
  }

  async settle(hold: Hold, ending: Ending): Promise<Settled> {
    const input = this.endingInput(ending);
    const kept = ending.to !== 'done' || ending.result === null || (input.to === 'done' && input.result !== null);
    const reply = await this.channel.call('settle', { hold, ending: input });
    return reply.type === 'stale' ? reply : { ...reply, kept };
  }

  async recover(limit: number): Promise<readonly Moved[]> {
    const { items } = await inBites(countOf('limit', limit), MOVED_PER_BITE, async (most) => {
      const moved = await this.channel.call('recover', { limit: most });
      return { items: moved, isLast: moved.length < most };
    });
    return items;
  }

  async flush(query: {
    readonly provider: string;
    readonly partition: string | null;
    readonly olderThanMs: number;
    readonly limit: number;
  }): Promise<readonly Moved[]> {
    const olderThanMs = durationOf('olderThanMs', query.olderThanMs);
    let from: FlushPosition | null = null;
    const { items } = await inBites(countOf('limit', query.limit), MOVED_PER_BITE, async (limit) => {
      const bite: FlushReply = await this.channel.call('flush', { ...query, olderThanMs, limit, from });
      from = bite.next;
      return { items: bite.moved, isLast: from === null };
    });
    return items;
  }

  async purge(limit: number): Promise<number> {
    countOf('limit', limit);
    let purged = 0;
    for (let asked = 0; asked < limit;) {
      const most = Math.min(MOVED_PER_BITE, limit - asked);
      const count = await this.channel.call('purge', { limit: most });
      asked += most;
      purged += count;
      if (count < most) break;
    }
    return purged;
  }

  async list({ after = null, limit, ...kind }: ListQuery): Promise<OperationPage> {
    if (after && !(typeof after === 'string' && /^\d{1,15}$/.test(after))) {
      throw new RangeError(`after is ${JSON.stringify(after)}; expected what a page gave as next.`);
    }
    let last = after;
    const { items, isLast } = await inBites(countOf('limit', limit, 1_000), SHOWN_PER_BITE, async (most) => {
      const rows = rowsOf(await this.channel.call('list', { ...kind, after: last, limit: most }));
      if (rows.length > 0) last = String(rows.at(-1)!.seq);
      return { items: rows.map((row) => summaryOf(this.codec, row)), isLast: rows.length < most };
    });
    return { operations: items, next: isLast ? null : last };
  }

  async counts(): Promise<OperationCounts> {
    return this.channel.call('counts', null);
  }

  async redrive(id: string, start?: { readonly owner: string; readonly leaseMs: number } | null): Promise<Ordered> {
    const begun = start ? { ...start, leaseMs: durationOf('leaseMs', start.leaseMs) } : null;
    return this.channel.call('redrive', { id, start: begun });
  }

  async discard(id: string, why: string): Promise<Ordered> {
    return this.channel.call('discard', { id, error: this.words('Discarded', why) });
  }

  async resolve(id: string, result: string | null, why: string): Promise<Ordered> {
    return this.channel.call('resolve', { id, result: this.fitting(result), error: this.words('Resolved', why) });
  }

  async hasten(id: string): Promise<Ordered> {
    return this.channel.call('hasten', { id });
  }

  async hastenAll({ provider, partition, after, limit }: HastenQuery): Promise<Hastened> {
    const from = after === null ? null : positionOf(after);
    const { count, next } = await this.channel.call('hastenAll', { provider, partition, limit: countOf('limit', limit), from }); // prettier-ignore
    return { count, next: next === null ? null : `${next.state} ${next.seq}` };
  }

  async saveUsed(provider: string, amounts: readonly UsedAmount[], keepMs: number): Promise<void> {
    await this.channel.call('saveUsed', { provider, amounts, keepMs: durationOf('keepMs', keepMs) });
  }

  async loadUsed(provider: string): Promise<readonly UsedAmount[]> {
    const amounts = await this.channel.call('loadUsed', { provider });
    return amounts.map(({ key, value }) => ({ key, value }));
  }

  close(): Promise<void> {
    return this.channel.close();
  }

  /** One that cannot be read must not hold up the others, claim after claim. */
  private async readable({ rows, from, requests, moved, nextInMs }: ClaimedRows): Promise<ClaimReply> {
    const read: ClaimReply['claimed'][number][] = [];
    const given: Moved[] = [...moved];
    const bury = async ({ id, fence, provider, name, state }: FullRow): Promise<void> => {
      const { type } = await this.settle({ id, fence }, { to: 'dead', cause: 'unreadable', error: null });
      if (type === 'settled') given.push({ id, provider, name, from: state, to: 'dead', cause: 'unreadable' });
    };
    const buried: Promise<void>[] = [];
    for (const [at, row] of rowsOf(rows).entries()) {
      try {
        read.push(claimedOf(this.codec, row, from[at]!, requests[at]!));
      } catch {
        buried.push(bury(row));
      }
    }
    await Promise.all(buried);
    return { claimed: read, moved: given, nextInMs };
  }

  private endingInput(ending: Ending): EndingInput {
    switch (ending.to) {
      case 'done':
        return { ...ending, result: this.fitting(ending.result) };
      case 'waiting':
        return {
          ...ending,
          dueInMs: durationOf('dueInMs', ending.dueInMs),
          error: this.codec.encodeError(ending.error),
        };
      case 'uncertain':
        return { ...ending, checkInMs: durationOf('checkInMs', ending.checkInMs), error: this.codec.encodeError(ending.error) }; // prettier-ignore
      case 'dead':
      case 'discarded':
        return { ...ending, error: this.codec.encodeError(ending.error) };
      case 'absent':
        return { to: 'absent', settleMs: durationOf('settleMs', ending.settleMs), checkInMs: durationOf('checkInMs', ending.checkInMs) }; // prettier-ignore
      case 'queued':
        return ending;
    }
  }

  /** What is too large to keep is not kept, nor what the serializer does not take: what happened has happened all the same. */
  private fitting(text: string | null): Stored | null {
    const stored = text === null ? null : this.codec.tryEncode(text);
    return stored === null || this.isTooLarge(stored) ? null : stored;
  }

  private isTooLarge(stored: Stored): boolean {
    return storedBytes(stored) > this.options.maxPayloadBytes;
  }

  private words(name: string, why: string): Stored | null {
    return this.codec.encodeError({ name, message: why, code: null, status: null, body: null });
  }
}

function positionOf(after: string): HastenPosition {
  const [, state, seq] = /^(waiting|uncertain) (\d{1,15})$/.exec(after) ?? [];
  if (seq === undefined) throw new RangeError(`after is ${JSON.stringify(after)}; expected what a step gave as next.`);
  return { state: state as HastenPosition['state'], seq: Number(seq) };
}

function claimInput({ provider, owner, leaseMs, limit }: ClaimRequest): ClaimRequest {
  return { provider, owner, leaseMs: durationOf('leaseMs', leaseMs), limit: countOf('limit', limit, 1_000) };
}
