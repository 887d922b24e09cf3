import type { Head, WaitCause } from '../port.js';
import { type Book, EPSILON, FALLBACK_US } from './books/book.js';
import { Permits } from './books/permits.js';
import type { Breaker } from './breaker.js';
import { type Guarantees, laneFor } from './guarantee.js';
import type { IndexedHeap } from './indexed-heap.js';
import { chargeOf } from './layout.js';
import type { Entry } from './line.js';
import { ALL, GRACE_US, Owed, QUANTUM } from './owed.js';
import { probeDue, shut } from './pause.js';
import type { Lease, Plan, Stage, Waiter } from './model.js';
import { permitsBack } from './returns.js';

/** One that makes way for a better probe looks again once the better one can only be dead. */
const MAKE_WAY_US = 30_000;

/** While leases that have run out have not all ended, one who may wait for them looks again so soon: each look ends some. */
const BACKLOG_US = 5_000;

/** What is waited for where those in front have the capacity: it may hold none at this moment, too. */
const OWED: ReadonlySet<WaitCause> = new Set(['line', 'rate', 'window', 'quota', 'reserve']);

/** What was found for one head. Written anew by each judgement. */
export class Verdict {
  /** When it can start if all in front go in order; `now` = at once. */
  moment = 0;
  /** The stage that holds it up. */
  by: Stage | null = null;
  cause: WaitCause = 'line';
  limit: number | null = null;
  /** Before this it cannot start whoever gives way. */
  certain = 0;
  /** Nothing in front of it, and only a bucket or a pause of its own partition holds it up: it need not look in between. */
  alone = false;
  /** Must make way for this waiter, who is the better probe. */
  yieldsTo: Waiter | null = null;
}

/** Rule by rule, when a head can start. It changes nothing but what is parked. */
export class Judge {
  readonly verdict = new Verdict();
  readonly owed = new Owed();
  /** Leases that have run out are left: what they hold is not free yet. */
  backlog = false;

  constructor(
    public breaker: Breaker | null,
    public guarantees: Guarantees,
    private readonly leases: IndexedHeap<Lease>,
  ) {}

  /** Judges by the partitions of a plan, the whole provider left out. */
  partitions(plan: Plan, waiter: Waiter | null, head: Head, now: number): number {
    const { verdict } = this;
    verdict.moment = now;
    verdict.certain = now;
    verdict.by = null;
    verdict.limit = null;
    verdict.yieldsTo = null;
    for (let i = 0; i < plan.stages.length - 1; i += 1) {
      this.stage(plan, i, waiter, head, now);
    }
    return verdict.moment;
  }

  /** Judges by the whole provider, after the partitions let it pass. */
  whole(plan: Plan, waiter: Waiter | null, head: Head, now: number): number {
    const { breaker, verdict } = this;
    const last = plan.stages.length - 1;
    this.stage(plan, last, waiter, head, now);
    if (breaker === null) return verdict.moment;
    const stage = plan.stages[last] as Stage;
    if (breaker.state === 'open') {
      if (breaker.openUntil > now) this.later(stage, breaker.openUntil, breaker.openUntil, 'breaker', null);
      else if (breaker.probe !== null) this.later(stage, probeBack(breaker.probe, now), now, 'breaker', null);
      else this.makeWay(stage, waiter, plan.lane, head, now, 'breaker');
    } else if (breaker.rampFull)
      this.later(stage, now + (this.backlog ? BACKLOG_US : FALLBACK_US), now, 'breaker', null);
    return verdict.moment;
  }

  /** Adds what the whole provider certainly holds up to a verdict of the partitions. */
  certainOfWhole(plan: Plan, head: Head, now: number): void {
    const { breaker, verdict } = this;
    const last = plan.stages.length - 1;
    const { books, pause } = plan.stages[last] as Stage;
    const positions = plan.positions[last] as readonly number[];
    const start = pause.active && pause.until > now ? pause.until : now;
    let certain = start;
    if (breaker !== null && breaker.state === 'open' && breaker.openUntil > certain) certain = breaker.openUntil;
    for (let j = 0; j < books.length; j += 1) {
      const book = books[j] as Book;
      if (!book.certain) continue;
      const lane = laneFor(book, plan.lane, this.guarantees.of(plan.lane));
      const moment = book.moment(now, start, lane, 0, chargeOf(head, positions[j] as number));
      if (moment > certain) certain = moment;
    }
    if (certain > verdict.certain) verdict.certain = certain;
    if (certain > verdict.moment) verdict.moment = certain;
  }

  /** Whether the whole provider can never admit it, which one that a partition holds up would not find out otherwise. */
  never(plan: Plan, head: Head, now: number): boolean {
    if (this.verdict.by?.whole === true) return false;
    const last = plan.stages.length - 1;
    const positions = plan.positions[last] as readonly number[];
    const { books } = plan.stages[last] as Stage;
    const found = books.find((book, j) => {
      return book.moment(now, now, plan.lane, 0, chargeOf(head, positions[j] as number)) === Infinity;
    });
    if (found === undefined) return false;
    this.verdict.limit = found.limit < 0 ? null : found.limit;
    return true;
  }

  private later(stage: Stage, moment: number, certain: number, cause: WaitCause, limit: number | null): void {
    const { verdict } = this;
    if (certain > verdict.certain) verdict.certain = certain;
    if (moment <= verdict.moment) return;
    verdict.moment = moment;
    verdict.by = stage;
    verdict.cause = cause;
    verdict.limit = limit;
    verdict.alone = false;
  }

  private stage(plan: Plan, index: number, waiter: Waiter | null, head: Head, now: number): void {
    const stage = plan.stages[index] as Stage;
    const { pause } = stage;
    let start = now;
    if (pause.active) {
      if (pause.until > now) {
        start = pause.until;
        this.later(stage, start, start, 'pause', null);
        this.verdict.alone = true;
      } else if (probeDue(pause, now)) this.makeWay(stage, waiter, plan.lane, head, now, 'probe');
      else if (pause.tested) this.later(stage, probeBack(pause.probe, now), now, 'probe', null);
    }
    const positions = plan.positions[index] as readonly number[];
    const crowd = waiter !== null && stage.line.size > 0;
    let due = false;
    if (crowd) {
      this.owed.gather(stage, index, waiter, now);
      if (stage.whole) due = this.guarantees.adjust(this.owed, stage, waiter, now);
    }
    const { books } = stage;
    for (let j = 0; j < books.length; j += 1) {
      const book = books[j] as Book;
      const cost = chargeOf(head, positions[j] as number);
      const owed = crowd ? (this.owed.amounts[j] as number) : 0;
      const lane = laneFor(book, plan.lane, due);
      const moment = book.moment(now, start, lane, owed, cost);
      if (moment > now && !(crowd && this.ownReserve(book, j, plan.lane, now, start, cost)))
        this.explain(stage, book, lane, owed, cost, now, start, moment);
    }
    if (crowd && stage.whole) this.guaranteed(stage, waiter, now);
  }

  /** What a lane has reserved is its own, whatever is owed to better lanes. */
  private ownReserve(book: Book, at: number, lane: number, now: number, start: number, cost: number): boolean {
    if (start > now || book.ownLeft === undefined) return false;
    const own = Math.max(0, (this.owed.amounts[at] as number) - (this.owed.better[at] as number));
    if (own + cost > book.ownLeft(now, lane) + EPSILON) return false;
    return book.moment(now, start, lane, own, cost) <= now;
  }

  private explain(
    stage: Stage,
    book: Book,
    lane: number,
    owed: number,
    cost: number,
    now: number,
    start: number,
    promised: number,
  ): void {
    const moment = book instanceof Permits ? this.permitMoment(book, lane, owed, now, start, promised) : promised;
    const bare = owed > 0 ? book.moment(now, start, lane, 0, cost) : moment;
    const certain = book.certain ? this.certainly(stage, book, lane, now, start, cost, bare) : start;
    if (moment <= start) {
      if (certain > this.verdict.certain) this.verdict.certain = certain;
      return;
    }
    let cause: WaitCause = book.cause;
    if (bare <= start) cause = 'line';
    else if (book.moment(now, start, -1, 0, cost) <= start) cause = 'reserve';
    this.later(stage, moment, certain, cause, book.limit < 0 ? null : book.limit);
    if (this.verdict.moment === moment && this.verdict.by === stage) {
      this.verdict.alone = owed === 0 && book.certain && !stage.whole;
    }
  }

  /** A guarantee may fall due before what is kept for others is there again. */
  private certainly(
    stage: Stage,
    book: Book,
    lane: number,
    now: number,
    start: number,
    cost: number,
    bare: number,
  ): number {
    const best = laneFor(book, lane, stage.whole && this.guarantees.of(lane));
    return best === lane ? bare : book.moment(now, start, best, 0, cost);
  }

  /** Nobody knows when a permit comes back, but for those whose lease ends before the fallback. */
  private permitMoment(
    book: Permits,
    lane: number,
    owed: number,
    now: number,
    start: number,
    fallback: number,
  ): number {
    if (fallback === Infinity) return Infinity;
    if (this.backlog) return Math.max(now + BACKLOG_US, start);
    const back = permitsBack(this.leases, book, book.missing(lane, owed), now + FALLBACK_US);
    if (back >= fallback) return fallback;
    return back > start ? back : start;
  }

  /** The first of a lane with a guarantee need not wait longer than until a call is due to it. */
  private guaranteed(stage: Stage, waiter: Waiter, now: number): void {
    const { verdict } = this;
    if (verdict.by !== stage || verdict.moment === Infinity) return;
    if (!OWED.has(verdict.cause) || !this.guarantees.leads(stage, waiter, now)) return;
    const own = this.guarantees.moment(waiter, now);
    const earliest = own > verdict.certain ? own : verdict.certain;
    if (earliest < verdict.moment) verdict.moment = earliest > now ? earliest : now + 1;
  }

  /** The probe goes to the best who waits: calls that may be repeated before bare writes, then by lane. */
  private makeWay(stage: Stage, waiter: Waiter | null, lane: number, head: Head, now: number, cause: WaitCause): void {
    const own = (head.safety === 'unkeyed' ? 1000 : 0) + lane;
    for (const laneLine of stage.line.lanes) {
      for (let i = 0; i < laneLine.entries.length && i < 32; i += 1) {
        const other = (laneLine.entries[i] as Entry<Waiter>).waiter;
        if (other === waiter || now > other.pollAt + GRACE_US || other.calls === 0) continue;
        if (other.aside || (other.by !== stage && other.by !== null)) continue;
        if ((other.safe ? 0 : 1000) + other.lane >= own) continue;
        this.later(stage, now + MAKE_WAY_US, now, cause, null);
        this.verdict.yieldsTo = other;
        return;
      }
    }
  }

  /** How many of the waiter's calls its partitions admit now. */
  eligible(plan: Plan, calls: number, head: Head, now: number): number {
    let admitted = Math.min(calls, QUANTUM);
    for (let i = 0; i < plan.stages.length - 1; i += 1) {
      admitted = Math.min(admitted, admittedBy(plan, i, head, now));
    }
    return admitted;
  }

  /** How many of its calls the other partitions admit now, of one that a partition holds up: one at least, for it stands there. */
  beside(plan: Plan, by: Stage | null, head: Head, now: number): number {
    let admitted = QUANTUM;
    for (let i = 0; i < plan.stages.length - 1; i += 1) {
      if (plan.stages[i] !== by) admitted = Math.min(admitted, admittedBy(plan, i, head, now));
    }
    return admitted === QUANTUM ? ALL : Math.max(1, admitted);
  }
}

/** When to look whether a probe that is out was lost, unless a hint comes first. */
function probeBack(probe: { readonly due: number } | null, now: number): number {
  if (probe === null || probe.due >= now + FALLBACK_US) return now + FALLBACK_US;
  return probe.due > now ? probe.due : now + BACKLOG_US;
}

/** How many calls like `head` one stage of the plan admits now. */
export function admittedBy(plan: Plan, index: number, head: Head, now: number): number {
  const stage = plan.stages[index] as Stage;
  if (shut(stage.pause, now)) return probeDue(stage.pause, now) ? 1 : 0;
  const positions = plan.positions[index] as readonly number[];
  let admitted = QUANTUM;
  for (let j = 0; j < stage.books.length; j += 1) {
    const cost = chargeOf(head, positions[j] as number);
    admitted = Math.min(admitted, (stage.books[j] as Book).admits(now, plan.lane, cost));
  }
  return admitted;
}
