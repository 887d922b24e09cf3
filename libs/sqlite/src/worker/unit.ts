/** One transaction, as the commands in it see it. Sums that many of them change are kept here and written once. */
import type { OperationState, TransitionCause } from '../../../core/src/index.js';
import type { WorkerSettings } from '../protocol.js';
import type { Database, Value } from './database.js';
import { type Row, Texts } from './texts.js';

export type Rules = Pick<WorkerSettings, 'keepDoneMs' | 'keepDeadMs' | 'maxDeliveries'> & {
  /** The legal moves, as {@link moveName} writes them. */
  readonly legal: ReadonlySet<string>;
};

export function moveName(from: OperationState | null, to: OperationState, cause: TransitionCause): string {
  return `${from} ${to} ${cause}`;
}

interface Line {
  readonly id: number;
  /** Open operations before this transaction; null = not asked for yet. */
  stored: number | null;
  added: number;
}

interface Lane {
  readonly provider: string;
  readonly name: string;
  /** By tenant. */
  readonly lines: Map<string, Line>;
  /** Open operations, those of this transaction included; null = not asked for yet. */
  open: number | null;
  /** What this transaction has added to each state. */
  readonly counted: Map<OperationState, number>;
}

const OPEN_STATES = "('queued', 'running', 'waiting', 'uncertain', 'reconciling')";

const INSERT = new Texts((columns) => {
  const given = columns.filter(({ isNull }) => !isNull).map(({ name }) => name);
  return `INSERT INTO operations (${given.join(', ')}) VALUES (${given.map(() => '?').join(', ')}) ON CONFLICT (id) DO NOTHING`;
});
const UPDATE = new Texts((columns) => {
  const sets = columns.map(({ name, isNull }) => `${name} = ${isNull ? 'NULL' : '?'}`);
  return `UPDATE operations SET ${sets.join(', ')} WHERE seq = ?`;
});

export class Unit {
  /** By provider, then by name. */
  private readonly lanes = new Map<string, Map<string, Lane>>();
  private readonly linesById = new Map<number, Line>();
  private readonly readyLines = new Set<number>();

  constructor(
    readonly db: Database,
    readonly rules: Rules,
  ) {}

  /** The id of the line of a lane and tenant, made where there is none; and its open operations. */
  line(provider: string, lane: string, tenant: string): { readonly id: number; readonly open: number } {
    const { lines } = this.lane(provider, lane);
    let line = lines.get(tenant);
    if (line === undefined) {
      this.db.run('INSERT OR IGNORE INTO lines (provider, lane, tenant) VALUES (?, ?, ?)', provider, lane, tenant);
      const { id, open } = this.db.get<{ id: number; open: number }>(
        'SELECT id, open FROM lines WHERE provider = ? AND lane = ? AND tenant = ?',
        provider,
        lane,
        tenant,
      )!;
      line = this.lineOf(id);
      line.stored = open;
      lines.set(tenant, line);
    }
    return { id: line.id, open: line.stored! + line.added };
  }

  /** Open operations of a lane, those of this transaction included. */
  openOfLane(provider: string, name: string): number {
    const lane = this.lane(provider, name);
    if (lane.open === null) {
      lane.open = this.db.get<{ open: number }>(
        `SELECT COALESCE(SUM(count), 0) AS open FROM counts WHERE provider = ? AND lane = ? AND state IN ${OPEN_STATES}`,
        provider,
        name,
      )!.open;
      for (const [state, added] of lane.counted) if (isOpen(state)) lane.open += added;
    }
    return lane.open;
  }

  count(provider: string, name: string, state: OperationState, added: number): void {
    const lane = this.lane(provider, name);
    lane.counted.set(state, (lane.counted.get(state) ?? 0) + added);
    if (lane.open !== null && isOpen(state)) lane.open += added;
  }

  /** One open operation of the line more or less. */
  addOpen(lineId: number, added: 1 | -1): void {
    this.lineOf(lineId).added += added;
  }

  /** The line has work that may be handed out. */
  markReady(lineId: number): void {
    if (this.readyLines.has(lineId)) return;
    this.readyLines.add(lineId);
    this.db.run('UPDATE lines SET ready = 1 WHERE id = ? AND ready = 0', lineId);
  }

  /** Something in the line waits until then. */
  willBeDue(lineId: number, dueAtMs: number): void {
    this.db.run(
      'UPDATE lines SET next_due = ? WHERE id = ? AND (next_due IS NULL OR next_due > ?)',
      dueAtMs,
      lineId,
      dueAtMs,
    );
  }

  markEmpty(lineId: number): void {
    this.readyLines.delete(lineId);
    this.db.run('UPDATE lines SET ready = 0 WHERE id = ?', lineId);
  }

  /** Makes one operation. Returns false where its id is there already. */
  insert(row: Row): boolean {
    const values: Value[] = [];
    return this.db.run(INSERT.of([row], values), ...values) === 1;
  }

  /**
   * Changes columns of one operation: those of all patches, which name none twice. Each set of columns is a statement of its
   * own, so that only their indexes are touched.
   */
  update(seq: number, ...patches: readonly Row[]): void {
    const values: Value[] = [];
    const text = UPDATE.of(patches, values);
    values.push(seq);
    this.db.run(text, ...values);
  }

  /** Writes the sums. */
  flush(): void {
    for (const line of this.linesById.values()) {
      if (line.added === 0) continue;
      this.db.run('UPDATE lines SET open = open + ? WHERE id = ?', line.added, line.id);
      if (line.stored !== null) line.stored += line.added;
      line.added = 0;
    }
    for (const { provider, name, counted } of this.allLanes()) {
      for (const [state, added] of counted) {
        if (added === 0) continue;
        this.db.run(
          'INSERT INTO counts (provider, lane, state, count) VALUES (?, ?, ?, ?) ' +
            'ON CONFLICT (provider, lane, state) DO UPDATE SET count = count + excluded.count',
          provider,
          name,
          state,
          added,
        );
      }
      counted.clear();
    }
  }

  /** Forgets lines without an open operation: a tenant that has come to rest. */
  dropIdleLines(limit: number): void {
    this.flush();
    this.db.run('DELETE FROM lines WHERE id IN (SELECT id FROM lines WHERE open = 0 LIMIT ?)', limit);
    for (const { lines } of this.allLanes()) lines.clear();
    this.linesById.clear();
    this.readyLines.clear();
  }

  private lane(provider: string, name: string): Lane {
    let lanes = this.lanes.get(provider);
    if (lanes === undefined) this.lanes.set(provider, (lanes = new Map()));
    let lane = lanes.get(name);
    if (lane === undefined) {
      lane = { provider, name, lines: new Map(), open: null, counted: new Map() };
      lanes.set(name, lane);
    }
    return lane;
  }

  private allLanes(): readonly Lane[] {
    return [...this.lanes.values()].flatMap((lanes) => [...lanes.values()]);
  }

  private lineOf(id: number): Line {
    let line = this.linesById.get(id);
    if (line === undefined) {
      line = { id, stored: null, added: 0 };
      this.linesById.set(id, line);
    }
    return line;
  }
}

function isOpen(state: OperationState): boolean {
  return state !== 'done' && state !== 'dead' && state !== 'discarded';
}
