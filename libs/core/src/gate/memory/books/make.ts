import type { ResolvedContract, ResolvedLimit } from '../../../contract/resolved.js';
import { ceilingBucket } from '../../ceiling.js';
import type { Book } from './book.js';
import { Bucket } from './bucket.js';
import { CalendarQuota } from './calendar-quota.js';
import { Fixed } from './fixed.js';
import { Permits } from './permits.js';
import { Sliding } from './sliding.js';

const US = 1000;

/** The account of a limit with the contract's numbers. `old`, where it is of the same kind, is kept with what it holds. */
export function bookFor(
  limit: ResolvedLimit,
  index: number,
  contract: ResolvedContract,
  whole: boolean,
  old?: Book,
): Book {
  const guardUs = contract.guardMs * US;
  switch (limit.kind) {
    case 'token-bucket': {
      const book = old instanceof Bucket ? old : new Bucket('rate');
      book.configure(index, limit.burst, limit.limit / (limit.perMs * US), guardUs, reservesOf(limit, contract, whole));
      return book;
    }
    case 'sliding-window': {
      const book = old instanceof Sliding && !(old instanceof Fixed) ? old : new Sliding();
      book.configure(index, limit.limit, limit.perMs * US + guardUs);
      return book;
    }
    case 'fixed-window': {
      const book = old instanceof Fixed ? old : new Fixed();
      book.configureFixed(index, limit.limit, limit.perMs * US, guardUs, limit.align === 'clock');
      return book;
    }
    case 'concurrency': {
      const book = old instanceof Permits ? old : new Permits('concurrency');
      book.configure(index, limit.limit, limit.worksAfterTimeoutMs * US, reservesOf(limit, contract, whole));
      return book;
    }
    case 'quota': {
      const book = old instanceof CalendarQuota ? old : new CalendarQuota();
      const shares = contract.lanes.map((lane) => (limit.reserveByLane[lane.index] ?? 0) * limit.limit);
      book.configure(index, limit.limit, limit.per, limit.timeZone, guardUs, shares);
      return book;
    }
  }
}

export function ceilingBook(lane: number, contract: ResolvedContract, old?: Book): Book {
  const ceiling = contract.lanes[lane]?.ceiling;
  const book = old instanceof Bucket ? old : new Bucket('ceiling');
  if (ceiling) {
    const { burst, rate } = ceilingBucket(ceiling);
    book.configure(-1, burst, rate, 0, []);
  }
  return book;
}

/** What one tenant may hold of a concurrency limit: never under one permit. */
export function shareBook(limit: ResolvedLimit | undefined, contract: ResolvedContract, old?: Book): Book {
  const book = old instanceof Permits ? old : new Permits('tenant-share');
  const permits = limit?.kind === 'concurrency' ? limit.limit : 1;
  book.configure(-1, Math.max(1, Math.ceil(contract.tenants.maxShare * permits)), 0, []);
  return book;
}

/** Per lane, its reserve of a provider-wide limit. */
function reservesOf(limit: ResolvedLimit, contract: ResolvedContract, whole: boolean): readonly number[] {
  return whole ? contract.lanes.map((lane) => lane.reserve[limit.name] ?? 0) : [];
}
