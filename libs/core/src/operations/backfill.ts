import { currentContext, runInContext } from '../context/context.js';
import type { MethodContext, OperationContext } from '../context/contexts.js';
import { configError } from '../errors/config-error.js';
import { fingerprintOf } from '../idempotency/keys.js';
import { type HeldOperation, takenOver } from './hold-keeper.js';
import type { BackfillSource } from './operations.js';
import { scopedOperation } from './scoped-operation.js';
import type { StoreAccess } from './store-access.js';

const MAX_BATCH = 10_000;

/** A run by a worker, and how far it has come: the backfills before are over, this one is there. */
interface Place {
  readonly held: HeldOperation;
  readonly stored: { readonly ordinal: number; readonly position: string } | null;
  /** Backfills that this run has begun. */
  begun: number;
  isBusy: boolean;
}

/** The runs of this process that a backfill may be part of. */
export class BackfillPlaces {
  private readonly places = new WeakMap<OperationContext, Place>();

  /** @param checkpoint What was stored with the operation. */
  open(operation: OperationContext, held: HeldOperation, checkpoint: string | null): void {
    this.places.set(operation, { held, stored: storedOf(checkpoint), begun: 0, isBusy: false });
  }

  of(operation: OperationContext | null): Place | undefined {
    return operation === null ? undefined : this.places.get(operation);
  }
}

interface Batch<Item> {
  readonly items: readonly Item[];
  readonly position: string;
}

/** @throws SluiceError CONFIG outside of a run by a worker, and for a source that makes no sense; what `next` and `handle` throw. */
export async function backfill<Item>(
  access: StoreAccess,
  places: BackfillPlaces,
  source: BackfillSource<Item>,
): Promise<void> {
  const { method } = currentContext();
  const place = places.of(method?.operation ?? null);
  if (method === null || place === undefined) {
    throw configError(null, 'backfill()', 'called outside of a run by a worker', 'a call directly inside a @Durable method that was deferred'); // prettier-ignore
  }
  const { provider } = place.held;
  checkSource(provider, source);
  if (place.isBusy) throw configError(provider, 'backfill()', 'called while another of this run is under way', 'one after the other'); // prettier-ignore
  place.isBusy = true;
  try {
    const ordinal = place.begun;
    place.begun += 1;
    const { stored } = place;
    // One that ended before the one whose position is stored is over.
    if (stored !== null && ordinal < stored.ordinal) return;
    await new Backfill(access, place.held, method, source, ordinal).run(stored?.ordinal === ordinal ? stored.position : null); // prettier-ignore
  } finally {
    place.isBusy = false;
  }
}

class Backfill<Item> {
  constructor(
    private readonly access: StoreAccess,
    private readonly held: HeldOperation,
    private readonly method: MethodContext,
    private readonly source: BackfillSource<Item>,
    private readonly ordinal: number,
  ) {}

  async run(from: string | null): Promise<void> {
    const { next, batchSize } = this.source;
    for (let position = from; ;) {
      this.throwIfStopped();
      const after = position;
      const batch = this.checked(await this.within(`from ${after}`, () => next.call(this.source, after, batchSize)), after); // prettier-ignore
      if (batch.items.length === 0) return;
      await this.handleAll(batch.items);
      await this.checkpoint(batch.position);
      position = batch.position;
    }
  }

  /** The first failure ends it, when those beside it have ended. */
  private async handleAll(items: readonly Item[]): Promise<void> {
    const seen = new Map<string, number>();
    const scopes = items.map((item) => {
      const name = this.nameOf(item);
      const again = seen.get(name) ?? 0;
      seen.set(name, again + 1);
      return `${name} ${again}`;
    });
    let index = 0;
    let failure: { readonly error: unknown } | null = null;
    const line = async (): Promise<void> => {
      while (index < items.length && failure === null) {
        const at = index;
        index += 1;
        try {
          this.throwIfStopped();
          await this.within(scopes[at]!, () => this.source.handle(items[at]!));
        } catch (error) {
          failure ??= { error };
        }
      }
    };
    await Promise.all(Array.from({ length: Math.min(this.source.concurrency ?? 1, items.length) }, line));
    if (failure !== null) throw (failure as { readonly error: unknown }).error;
  }

  /** By itself, not by its place: a source that is read again may give others. */
  private nameOf(item: Item): string {
    const { held, source } = this;
    const { idOf } = source;
    return fingerprintOf(held.provider, 'an item of the backfill', idOf === undefined ? item : String(idOf.call(source, item))); // prettier-ignore
  }

  /** Its requests have names of their own, whatever else the operation sends. */
  private within<T>(scope: string, fn: () => Promise<T>): Promise<T> {
    const { inbound } = currentContext();
    const operation = scopedOperation(this.method.operation!, `backfill ${this.ordinal} ${scope}`);
    return runInContext({ inbound, method: { ...this.method, operation } }, async () => fn());
  }

  private async checkpoint(position: string): Promise<void> {
    const { held, ordinal } = this;
    const { hold, provider } = held;
    const text = JSON.stringify([ordinal, position]);
    const stored = await this.access.ask(provider, (store) => store.checkpoint(hold, text));
    if (stored.type === 'recorded') return;
    if (stored.type === 'too-large') {
      throw configError(provider, 'position of backfill()', `${text.length} characters`, `a text of less than ${stored.limit} bytes`); // prettier-ignore
    }
    held.lost();
    throw takenOver(provider, hold.id);
  }

  private checked(batch: Batch<Item>, after: string | null): Batch<Item> {
    const { held, source } = this;
    const { provider } = held;
    const { items, position } = batch;
    if (!Array.isArray(items) || items.length > source.batchSize) {
      throw configError(provider, 'items of a batch of backfill()', Array.isArray(items) ? items.length : typeof items, `a list of at most ${source.batchSize}`); // prettier-ignore
    }
    if (items.length > 0 && (typeof position !== 'string' || position === after)) {
      throw configError(provider, 'position of a batch of backfill()', position, 'a text other than that of the batch before'); // prettier-ignore
    }
    return batch;
  }

  private throwIfStopped(): void {
    this.method.signal?.throwIfAborted();
    if (!this.held.isLive) throw takenOver(this.held.provider, this.held.hold.id);
  }
}

function checkSource(
  provider: string,
  { batchSize, concurrency = 1 }: Pick<BackfillSource<never>, 'batchSize' | 'concurrency'>,
): void {
  const isCount = (value: number): boolean => Number.isInteger(value) && value >= 1 && value <= MAX_BATCH;
  const expected = `a whole number from 1 to ${MAX_BATCH}`;
  if (!isCount(batchSize)) throw configError(provider, 'batchSize of backfill()', batchSize, expected);
  if (!isCount(concurrency)) throw configError(provider, 'concurrency of backfill()', concurrency, expected);
}

/** What another version wrote begins anew: items are handled again, none is left out. */
function storedOf(checkpoint: string | null): Place['stored'] {
  if (checkpoint === null) return null;
  try {
    const [ordinal, position] = JSON.parse(checkpoint) as [unknown, unknown];
    return typeof ordinal === 'number' && typeof position === 'string' ? { ordinal, position } : null;
  } catch {
    return null;
  }
}
