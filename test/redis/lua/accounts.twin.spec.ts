import { calendarPeriod } from '../../../libs/core/src/gate/calendar.js';
import type { Book } from '../../../libs/core/src/gate/memory/books/book.js';
import { Bucket } from '../../../libs/core/src/gate/memory/books/bucket.js';
import { CalendarQuota } from '../../../libs/core/src/gate/memory/books/calendar-quota.js';
import { Fixed } from '../../../libs/core/src/gate/memory/books/fixed.js';
import { Sliding } from '../../../libs/core/src/gate/memory/books/sliding.js';
import { forHistories, type History, Twins, type Value } from './twins.fixture.js';

const WORLD = `
local Accounts = require('accounts')
local contract = { edges = {} }
require('state').contract = contract
local settings
function world.load(saved)
  if saved then return Accounts.make(settings, saved, 'log', true) end
  return { changed = true }
end
function world.call(account, method, args, count)
  for i = 1, count do
    if args[i] == 'none' then args[i] = nil end
  end
  if method == 'configure' then
    settings = args[1]
    if settings.zone then contract.edges[settings.zone] = settings.edges end
    return nil, Accounts.make(settings, account.save and account:save(), 'log', false)
  elseif method == 'edges' then contract.edges[settings.zone] = args[1]
  elseif method == 'shut' then account.shutUntil, account.changed = args[1], true
  elseif method == 'numbers' then return { account.capacity, account.level or account.log and account.log.total }
  else return account[method](account, unpack(args, 1, count))
  end
end
`;

interface Charge {
  readonly at: number;
  readonly lane: number;
  readonly cost: number;
}

/** What a twin in memory holds inside. */
function insideOf(book: Book): readonly Value[] {
  const { level, log } = book as unknown as { level?: number; log?: { total: number } };
  return [book.capacity, ...(level === undefined && log === undefined ? [] : [level ?? log?.total ?? 0])];
}

interface Inside {
  readonly start: number;
  readonly end: number;
  readonly edge: number;
}

/** Moments at which something in it turns. */
function edgesOf(book: Book): readonly number[] {
  const { dearUntil, windows, periods } = book as { dearUntil?: number; windows?: Inside; periods?: Inside };
  const inside = windows ?? periods;
  const turns = inside ? [inside.start + inside.edge, inside.end - inside.edge, inside.end] : [];
  return [dearUntil ?? 0, ...turns];
}

interface Kind {
  readonly book: Book;
  /** Gives it its numbers, or others, and tells what the script is told of them. */
  configure(history: History): Value;
  /** Tells what a process tells with every step. */
  tell?(history: History): void;
  readonly costs: readonly (readonly number[])[];
  readonly spans: readonly number[];
  readonly resets: readonly number[];
  /** Nothing but charges and refunds: a bucket remembers them for as long as it can. */
  readonly calm?: boolean;
  /** Calls of a history; default 250. */
  readonly calls?: number;
}

function lived(history: History, kind: Kind): History {
  const { book, configure, costs, spans, resets } = kind;
  const charges: Charge[] = [];
  const some = history.pick(costs);
  const also = (start: number, until: number): number => history.pick([start, start, start, start + 1, until]);
  history.tell('configure', [configure(history)], undefined);
  for (let i = 0; i < (kind.calls ?? 250); i += 1) {
    const now = history.pass(history.pick(spans));
    kind.tell?.(history);
    const lane = history.pick([0, 1]);
    const whose = history.pick([lane, lane, -1]);
    const cost = history.pick(some);
    const start = also(now, now + history.pick(spans));
    const owed = history.pick([0, 0, 1, 3.3, 20, 900]);
    const old = charges.length > 0 ? history.pick(charges.slice(-70)) : { at: now, lane, cost };
    const way = Math.floor(history.chance() * (kind.calm ? 27 : 42));
    if (way < 14) history.tell('moment', [now, start, whose, owed, cost], book.moment(now, start, whose, owed, cost));
    else if (way < 24) {
      history.tell('charge', [now, lane, cost], book.charge(now, lane, cost) as undefined);
      charges.push({ at: now, lane, cost });
      history.mark(now + FORGOTTEN_US);
    } else if (way < 27) {
      const args = [now, old.lane, old.cost, old.at] as const;
      history.tell('refund', args, book.refund(...args) as undefined);
    } else if (way < 29) {
      const args = [now, old.lane, history.pick([-old.cost, old.cost, -0.5, 0.5, 0]), old.at] as const;
      history.tell('correct', args, book.correct(...args) as undefined);
    } else if (way < 30) history.tell('empty', [now], book.empty(now) as undefined);
    else if (way < 32) {
      const remaining = history.pick([0, 1, 3, Infinity]);
      const later = history.pick([0, 1]);
      const resetInUs = history.pick([null, ...resets]);
      const laterFrom = old.at + history.pick([0, 100_000]);
      const told = book.lower(now, { remaining, later, resetInUs, grantedAt: old.at, laterFrom });
      history.tell('lower', [now, remaining, later, resetInUs ?? 'none', old.at, laterFrom], told);
    } else if (way < 33 && history.chance() < 0.5) {
      book.shutUntil = now + history.pick(spans);
      history.tell('shut', [book.shutUntil], undefined);
    } else if (way < 34 && history.chance() < 0.3) history.tell('configure', [configure(history)], undefined);
    else if (way < 36 && book.ownLeft !== undefined) history.tell('ownLeft', [now, lane], book.ownLeft(now, lane));
    else if (way < 38) history.tell('admits', [now, lane, cost], book.admits(now, lane, cost));
    else if (way < 39) history.tell('place', [now, start, cost], book.place(now, start, cost));
    else if (way < 40) history.tell('used', [now], book.used(now));
    else if (way < 41) history.tell('longestResetUs', [now], book.longestResetUs(now));
    else history.tell('idleAt', [now], book.idleAt(now));
    if (book instanceof Fixed) history.tell('takeContradiction', [], book.takeContradiction());
    for (const at of edgesOf(book)) history.mark(at);
    history.tell('numbers', [], insideOf(book));
  }
  return history;
}

/** So long a bucket remembers its charges one by one. */
const FORGOTTEN_US = 1_000_000;

const COSTS = [[1], [1, 2], [0, 1, 3.7, 0.1], [5, 1]];
const GUARDS = [0, 20_000, 100_000];

function bucket(): Kind {
  const book = new Bucket('rate');
  return {
    book,
    costs: COSTS,
    spans: [2_000, 1_000_000, 20_000_000],
    resets: [1_000_000],
    configure(history) {
      const rate = history.pick([0.5, 3, 20, 5000 / 3]) / 1e6;
      const burst = history.pick([1, 4, 7, 30, 250]);
      const guardUs = history.pick(GUARDS);
      const reserves = history.pick<number[]>([[], [0, 0], [1, 0], [1, 2], [0, 1]]);
      book.configure(0, burst, rate, guardUs, reserves);
      return { kind: 'token-bucket', limit: 0, burst, rate, guardUs, reserves };
    },
  };
}

function sliding(): Kind {
  const book = new Sliding();
  return {
    book,
    costs: COSTS,
    spans: [2_000, 400_000, 3_000_000],
    resets: [0, 300_000, 9_000_000],
    configure(history) {
      const capacity = history.pick([4, 7, 12, 90]);
      const spanUs = history.pick([500_000, 2_000_000, 10_100_000]);
      book.configure(1, capacity, spanUs);
      return { kind: 'sliding-window', limit: 1, capacity, spanUs };
    },
  };
}

/** So many charges in one window that those within a thousandth of it become one. */
function crowdedWindow(): Kind {
  const book = new Sliding();
  book.configure(1, 1_200, 5_000_000);
  return {
    book,
    costs: [[1]],
    spans: [6_000],
    resets: [4_000_000],
    calls: 8_000,
    configure: () => ({ kind: 'sliding-window', limit: 1, capacity: 1_200, spanUs: 5_000_000 }),
  };
}

/** More charges in a second than it remembers one by one. */
function crowdedBucket(): Kind {
  const book = new Bucket('rate');
  const numbers = { burst: 250, rate: 100 / 1e6, guardUs: 20_000 };
  book.configure(0, numbers.burst, numbers.rate, numbers.guardUs, []);
  return {
    book,
    costs: [[1, 2, 0.3]],
    spans: [20_000],
    resets: [],
    calls: 3_000,
    calm: true,
    configure: () => ({ kind: 'token-bucket', limit: 0, ...numbers }),
  };
}

function fixed(aligned: boolean): Kind {
  const book = new Fixed();
  return {
    book,
    costs: COSTS,
    spans: [2_000, 400_000, 3_000_000],
    resets: [0, 300_000, 1_000_000, 1_300_000, 4_000_000, 61_000_000],
    configure(history) {
      const capacity = history.pick([4, 7, 12, 90]);
      const lengthUs = history.pick([1_000_000, 5_000_000, 60_000_000]);
      const guardUs = history.pick(GUARDS);
      book.configureFixed(1, capacity, lengthUs, guardUs, aligned);
      return { kind: 'fixed-window', limit: 1, capacity, lengthUs, guardUs, aligned };
    },
  };
}

const HOUR = 3_600_000_000;

function calendarQuota(): Kind {
  const book = new CalendarQuota();
  let per: 'day' | 'month' = 'day';
  let timeZone = '';
  let told = '';
  return {
    book,
    costs: COSTS,
    spans: [200_000, HOUR, 20 * HOUR],
    resets: [HOUR],
    configure(history) {
      per = history.pick(['day', 'month']);
      timeZone = history.pick(['UTC', 'America/New_York', 'Asia/Kathmandu']);
      const capacity = history.pick([10, 30, 90]);
      const guardUs = history.pick(GUARDS);
      const reserves = history.pick<number[]>([[], [0, 0], [3, 0], [1, 2.5]]);
      book.configure(2, capacity, per, timeZone, guardUs, reserves);
      const edges = edgesAround(history.now, per, timeZone);
      told = edges.join();
      return { kind: 'quota', limit: 2, capacity, zone: `${per} ${timeZone} ${guardUs}`, guardUs, edges, reserves };
    },
    tell(history) {
      const edges = edgesAround(history.now, per, timeZone);
      if (edges.join() === told) return;
      told = edges.join();
      history.tell('edges', [edges], undefined);
    },
  };
}

/** The beginnings of the period before that of `us` and of those to three after it. */
function edgesAround(us: number, per: 'day' | 'month', timeZone: string): readonly number[] {
  const present = calendarPeriod(us, per, timeZone);
  const edges = [calendarPeriod(present.startUs - 1, per, timeZone).startUs, present.startUs, present.endUs];
  for (let i = 0; i < 2; i += 1) edges.push(calendarPeriod(edges[edges.length - 1] as number, per, timeZone).endUs);
  return edges;
}

const twins = new Twins();
afterAll(() => twins.close());

test.each([
  ['a bucket', bucket],
  ['a sliding window', sliding],
  ['a fixed window of the clock', () => fixed(true)],
  ['a fixed window whose edges are learned', () => fixed(false)],
  ['a quota', calendarQuota],
])('%s in Redis holds what it holds in memory', async (_, kind) => {
  await forHistories(30, (history) => twins.compare(WORLD, lived(history, kind())));
});

test.each([
  ['a bucket', crowdedBucket],
  ['a sliding window', crowdedWindow],
])('so does %s with a thousand charges', async (_, kind) => {
  await forHistories(2, (history) => twins.compare(WORLD, lived(history, kind())));
});
