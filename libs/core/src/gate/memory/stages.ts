import type { ResolvedContract } from '../../contract/resolved.js';
import type { Partition } from '../../model/outcome.js';
import type { Ticket } from '../port.js';
import type { Book } from './books/book.js';
import { bookFor, ceilingBook, shareBook } from './books/make.js';
import { Permits } from './books/permits.js';
import { IndexedHeap } from './indexed-heap.js';
import { Ahead, PermitsAhead } from './keep/ahead.js';
import { CEILING_CHARGE, PERMIT_CHARGE, type Template, partitionOf, stageKey, templatesOf, WHOLE } from './layout.js';
import { type Plan, Stage } from './model.js';

/** A stage is looked at again after so long, to see whether it is still in use. */
const LOOK_AGAIN_US = 1_000_000;
/** One that is in use then, for nobody knows how long, not so soon. */
const IN_USE_US = 10_000_000;

/** Tables that have held so many stages are made smaller when most are gone. */
const MANY = 1_000;

/** Who keeps stages in a store. */
export interface StageKeeper {
  /** What stands beside the account of a limit, to pass what the store knows of. */
  ahead(stage: Stage, book: Book): Ahead;
  /** A stage has come into use that nothing is known of here. */
  born(stage: Stage, now: number): void;
  /** It has become equal to a new one. */
  dropped(stage: Stage, now: number): void;
}

/** All stages of a provider that are in use, and how tickets cross them. */
export class Stages {
  whole: Stage = new Stage(WHOLE, true);
  private readonly byKey = new Map<string, Stage>();
  private readonly idle = new IndexedHeap<Stage>();
  /** Stages that the tables have room for. */
  private most = 0;
  private templates: Template[] = [];
  private plans = new WeakMap<Ticket, Plan>();
  version = 0;
  /** Told of each stage that is dropped. */
  dropped: (stage: Stage, now: number) => void = () => undefined;
  /** Those that a store has to hear of. */
  readonly unsaved: Stage[] = [];
  /** One of them at once: a pause began, or ended. */
  pressing = false;
  private keeper: StageKeeper | null = null;

  constructor(public contract: ResolvedContract) {
    this.configure(contract);
  }

  get count(): number {
    return this.byKey.size;
  }

  /** When the first of them is to be looked at, whether it is idle; Infinity = there are none. */
  get lookAt(): number {
    return this.idle.peek()?.due ?? Infinity;
  }

  all(): IterableIterator<Stage> {
    return this.byKey.values();
  }

  /** From now on they are kept in a store. None is in use yet. */
  keep(keeper: StageKeeper): void {
    this.keeper = keeper;
    this.configure(this.contract);
  }

  /** A store has to hear of what has changed in it. */
  touch(stage: Stage): void {
    if (stage.unsaved) return;
    stage.unsaved = true;
    this.unsaved.push(stage);
  }

  /** New numbers for the same structure: every stage, line and plan stays. False = it is not the same. */
  renumber(contract: ResolvedContract): boolean {
    if (structureOf(contract) !== structureOf(this.contract)) return false;
    const names = this.contract.limits.map((limit) => limit.name);
    this.contract = contract;
    this.furnish(this.whole, this.templates[this.templates.length - 1] as Template, names);
    for (const stage of this.byKey.values()) this.furnish(stage, stage.template as Template, names);
    return true;
  }

  /** New numbers. Accounts that remain keep what they hold. */
  configure(contract: ResolvedContract): void {
    const names = this.contract.limits.map((limit) => limit.name);
    this.contract = contract;
    this.templates = templatesOf(contract);
    this.version += 1;
    this.plans = new WeakMap();
    const template = this.templates[this.templates.length - 1] as Template;
    this.furnish(this.whole, template, names);
    for (const stage of this.byKey.values()) {
      const old = stage.template as Template;
      const same = this.templates.find((other) => sameSet(other, old));
      if (same !== undefined) this.furnish(stage, same, names);
      else if (stage.pause.active) this.templates.unshift(old);
      else this.drop(stage, stage.due);
    }
  }

  private furnish(stage: Stage, template: Template, oldNames: readonly string[]): void {
    const { contract } = this;
    const byName = new Map<string, Book>();
    for (const book of stage.books) if (!(book instanceof Ahead)) byName.set(oldNames[book.limit] ?? '', book);
    stage.template = template;
    if (template.ceilingOf >= 0) {
      stage.books = [ceilingBook(template.ceilingOf, contract, stage.books[0])];
    } else if (template.shareOf >= 0) {
      stage.books = [shareBook(contract.limits[template.shareOf], contract, stage.books[0])];
    } else {
      const books = template.limits.map((index) => {
        const limit = contract.limits[index] as ResolvedContract['limits'][number];
        return bookFor(limit, index, contract, stage.whole, byName.get(limit.name));
      });
      stage.books = this.keeper === null ? books : [...books, ...this.aheadOf(stage, books, this.keeper)];
    }
  }

  private aheadOf(stage: Stage, books: readonly Book[], keeper: StageKeeper): readonly Ahead[] {
    const old = stage.books.filter((book) => book instanceof Ahead);
    return books.map((book) => {
      const ahead = old.find(({ inner }) => inner === book) ?? keeper.ahead(stage, book);
      ahead.limit = book.limit;
      return ahead;
    });
  }

  planFor(ticket: Ticket, now: number): Plan {
    let plan = this.plans.get(ticket);
    if (plan === undefined || plan.version !== this.version || !this.revive(plan, now)) {
      plan = this.build(ticket, now);
      this.plans.set(ticket, plan);
    }
    return plan;
  }

  /** Lists the plan's stages again where they were dropped; false = others have taken their names. */
  private revive(plan: Plan, now: number): boolean {
    for (const stage of plan.stages) {
      if (stage.alive) continue;
      if (this.byKey.has(stage.key)) return false;
      this.list(stage, now);
    }
    return true;
  }

  /** The stage of that name that is in use. */
  live(stage: Stage, now: number): Stage {
    return stage.alive ? stage : this.stage(stage.key, stage.template as Template, now);
  }

  private list(stage: Stage, now: number): void {
    stage.alive = true;
    this.byKey.set(stage.key, stage);
    stage.due = now + LOOK_AGAIN_US;
    this.idle.push(stage);
    if (this.idle.size > this.most) this.most = this.idle.size;
  }

  private build(ticket: Ticket, now: number): Plan {
    const stages: Stage[] = [];
    const positions: number[][] = [];
    const stageOf = new Map<number, number>();
    const permits: Permits[] = [];
    for (const template of this.templates) {
      const key = stageKey(template, ticket);
      if (key === null) continue;
      const stage = this.stage(key, template, now);
      for (const index of template.limits) stageOf.set(index, stages.length);
      stages.push(stage);
      positions.push(this.positions(template, stage, ticket));
      for (const book of stage.books) {
        if (book instanceof Permits) permits.push(book);
      }
    }
    const first = this.narrowest(stages);
    const { version } = this;
    const { lane, tenant } = ticket;
    const books = stages.map((stage) => stage.books);
    return { version, lane, tenant, stages, books, positions, stageOf, narrowest: first, permits };
  }

  private positions(template: Template, stage: Stage, ticket: Ticket): number[] {
    if (template.ceilingOf >= 0) return [CEILING_CHARGE];
    if (template.shareOf >= 0) return [PERMIT_CHARGE];
    return stage.books.map((book) =>
      book instanceof Permits || book instanceof PermitsAhead ? PERMIT_CHARGE : ticket.limits.indexOf(book.limit),
    );
  }

  /** The stage with most dimensions that counts limits. */
  private narrowest(stages: readonly Stage[]): number {
    const at = stages.findIndex((stage) => (stage.template?.limits.length ?? 0) > 0);
    return at < 0 ? stages.length - 1 : at;
  }

  private stage(key: string, template: Template, now: number): Stage {
    if (key === WHOLE) return this.whole;
    let stage = this.byKey.get(key);
    if (stage === undefined) {
      stage = new Stage(key, false);
      this.furnish(stage, template, []);
      this.keeper?.born(stage, now);
      this.list(stage, now);
    }
    return stage;
  }

  /** The stages a partition names: itself; null = the whole provider. A set that no limit is counted by becomes a stage that only pauses. */
  named(partition: Partition | null, now: number): Stage {
    if (partition === null || Object.keys(partition).length === 0) return this.whole;
    const dimensions = this.contract.dimensions.filter((dimension) => partition[dimension] !== undefined);
    let template = this.templates.find(
      (set) => set.label === '' && set.routes === null && sameNames(set.dimensions, dimensions),
    );
    if (template === undefined) {
      template = { label: '', dimensions, routes: null, limits: [], ceilingOf: -1, shareOf: -1 };
      this.templates.unshift(template);
      this.version += 1;
    }
    const ticket = { key: '', lane: 0, tenant: '', partition, limits: template.limits };
    return this.stage(stageKey(template, ticket) ?? WHOLE, template, now);
  }

  /** Brings the stage of that key to life, where the contract still counts by what it is counted by. */
  restore(key: string, now: number): void {
    const of = partitionOf(key);
    if (of === null || !Object.keys(of.partition).every((name) => this.contract.dimensions.includes(name))) return;
    if (of.routes === null) {
      this.named(of.partition, now);
      return;
    }
    const dimensions = Object.keys(of.partition);
    const template = this.templates.find(
      (set) => set.label === '' && set.routes?.join(',') === of.routes && sameNames(set.dimensions, dimensions),
    );
    if (template !== undefined) this.stage(key, template, now);
  }

  /** Drops what has become equal to a new stage: looks at `visits` of those due. */
  prune(now: number, visits: number): void {
    for (let i = 0; i < visits; i += 1) {
      const stage = this.idle.peek();
      if (stage === undefined || stage.due > now) return;
      const idleAt = stage.idleAt(now, this.contract.pause.flushAfterMs * 1000);
      if (idleAt <= now) this.drop(stage, now);
      else this.idle.move(stage, idleAt === Infinity ? now + IN_USE_US : Math.max(idleAt, now + LOOK_AGAIN_US));
    }
  }

  private drop(stage: Stage, now: number): void {
    this.idle.remove(stage);
    this.byKey.delete(stage.key);
    stage.alive = false;
    this.dropped(stage, now);
    this.keeper?.dropped(stage, now);
    if (this.most >= MANY && this.idle.size * 4 < this.most) this.shrink();
  }

  /** A weak map keeps the room of tickets long gone, and with a ticket its plan keeps stages: it begins anew. */
  private shrink(): void {
    this.most = this.idle.size;
    this.plans = new WeakMap();
    this.idle.shrink();
  }
}

/** All of a contract that stages, lines and plans hang on. */
function structureOf({ limits, lanes, dimensions, tenants }: ResolvedContract): string {
  return JSON.stringify([
    limits.map(({ name, kind, unit, countedBy, routes }) => [name, kind, unit, countedBy, routes]),
    lanes.map(({ name, ceiling }) => [name, ceiling !== null]),
    dimensions,
    tenants.maxShare < 1,
  ]);
}

function sameNames(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((name, i) => name === b[i]);
}

function sameSet(a: Template, b: Template): boolean {
  return (
    a.label === b.label && sameNames(a.dimensions, b.dimensions) && sameNames(a.routes ?? ['*'], b.routes ?? ['*'])
  );
}
