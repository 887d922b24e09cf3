/** What the two threads say to each other. Values are as they are stored: the main thread encodes and decodes them. */
import type {
  CreateOperation,
  Ending,
  ListQuery,
  OperationAge,
  OperationCount,
  OperationState,
  Ordered,
  RequestRecord,
  Stale,
  StoreBounds,
  TransitionCause,
  UsedAmount,
  Hold,
  Moved,
  StoreRefusal,
} from '../../core/src/index.js';

/** Text, or bytes where a serializer wrote it. */
export type Stored = string | Uint8Array;

/** A row of `operations`, by its columns. */
export interface OperationRow {
  readonly seq: number;
  readonly id: string;
  readonly provider: string;
  readonly name: string;
  readonly state: OperationState;
  readonly cause: TransitionCause;
  readonly fingerprint: string;
  readonly lane: string;
  readonly tenant: string;
  readonly partition: string;
  readonly ordering_key: string | null;
  readonly reference: string | null;
  readonly line: number;
  readonly ready: number;
  readonly blocked: number;
  readonly due_at: number | null;
  readonly owner: string | null;
  readonly lease_until: number | null;
  readonly fence: number;
  readonly deliveries: number;
  readonly attempts: number;
  readonly checks: number;
  readonly absent_at: number | null;
  /** Until when all its unanswered requests may be repeated; 0 = never, null = always, or none is unanswered. */
  readonly resend_until: number | null;
  readonly requests: number;
  readonly keep_ms: number | null;
  readonly created_at: number;
  /** When it was last put to the queue by its maker or an operator: what a flush counts from. */
  readonly accepted_at: number;
  readonly updated_at: number;
  readonly ended_at: number | null;
  readonly purge_at: number | null;
  readonly error: Stored | null;
}

/** With what may be large. */
export interface FullRow extends OperationRow {
  readonly payload: Stored;
  readonly result: Stored | null;
  readonly checkpoint: Stored | null;
}

/** Rows, column by column: the name of a column, sent with each row, costs more than most of what is in it. All columns are equally long. */
export type Columns<Row> = { readonly [Name in keyof Row]: readonly Row[Name][] };

export interface RequestRow {
  readonly step: string;
  readonly method: string;
  readonly route: string | null;
  readonly provider_key: string | null;
  readonly body_hash: string | null;
  readonly body: Uint8Array | null;
  readonly content_type: string | null;
  readonly sends: number;
  readonly first_sent_at: number;
  readonly last_sent_at: number;
  readonly repeatable_until: number | null;
  readonly state: 'sent' | 'answered' | 'not-done' | 'absent';
  readonly status: number | null;
  readonly answer: Stored | null;
}

export interface CreateInput extends Omit<CreateOperation, 'payload' | 'bounds'> {
  readonly payload: Stored;
  readonly bounds: StoreBounds;
}

export type CreateReply =
  | { readonly type: 'created'; readonly state: OperationState; readonly fence: number }
  | { readonly type: 'existing' | 'conflict'; readonly row: FullRow }
  | StoreRefusal;

export interface ClaimInput {
  readonly provider: string;
  readonly owner: string;
  readonly leaseMs: number;
  readonly limit: number;
  readonly lanes: readonly string[];
}

export interface ClaimedRows {
  readonly rows: Columns<FullRow>;
  /** Of each row: where it was, and what it sent before. */
  readonly from: readonly OperationState[];
  readonly requests: readonly (readonly RequestRow[])[];
  readonly moved: readonly Moved[];
  readonly nextInMs: number | null;
}

export type RecordReply =
  { readonly type: 'recorded' | 'answered' | 'not-repeatable'; readonly request: RequestRow } | Stale;

export type EndInput =
  | { readonly type: 'answered'; readonly status: number; readonly answer: Stored | null }
  | { readonly type: 'not-done'; readonly status: number | null };

export type EndingInput = Ending<Stored, Stored>;

export type SettleReply =
  { readonly type: 'settled'; readonly state: OperationState; readonly cause: TransitionCause } | Stale;

/** Where a flush goes on: what comes after `seq` in a state. */
export interface FlushPosition {
  readonly state: 'queued' | 'waiting';
  readonly seq: number;
}

/** A bite of a flush; `next` = null after the last. */
export interface FlushReply {
  readonly moved: readonly Moved[];
  readonly next: FlushPosition | null;
}

export interface FlushInput {
  readonly provider: string;
  readonly partition: string | null;
  readonly olderThanMs: number;
  readonly limit: number;
  /** null = from the first. */
  readonly from: FlushPosition | null;
}

export interface HastenPosition {
  readonly state: 'waiting' | 'uncertain';
  readonly seq: number;
}

export interface HastenInput {
  readonly provider: string;
  readonly partition: string | null;
  /** Operations that are looked at. */
  readonly limit: number;
  /** null = from the first. */
  readonly from: HastenPosition | null;
}

export interface HastenReply {
  readonly count: number;
  readonly next: HastenPosition | null;
}

/** Every command: its input, and its reply. All of one command happens, or nothing. */
export interface Commands {
  create: { input: CreateInput; reply: CreateReply };
  get: { input: { readonly id: string }; reply: FullRow | null };
  requests: { input: { readonly id: string }; reply: readonly RequestRow[] };
  claim: { input: ClaimInput; reply: ClaimedRows };
  claimUncertain: { input: Omit<ClaimInput, 'lanes'>; reply: ClaimedRows };
  renew: { input: { readonly holds: readonly Hold[]; readonly leaseMs: number }; reply: readonly string[] };
  recordRequest: { input: { readonly hold: Hold; readonly request: RequestRecord }; reply: RecordReply };
  recordAnswer: {
    input: { readonly hold: Hold; readonly step: string; readonly end: EndInput };
    reply: { readonly type: 'recorded' } | Stale;
  };
  checkpoint: {
    input: { readonly hold: Hold; readonly position: Stored };
    reply: { readonly type: 'recorded' } | Stale;
  };
  settle: { input: { readonly hold: Hold; readonly ending: EndingInput }; reply: SettleReply };
  recover: { input: { readonly limit: number }; reply: readonly Moved[] };
  flush: { input: FlushInput; reply: FlushReply };
  purge: { input: { readonly limit: number }; reply: number };
  list: { input: ListQuery; reply: Columns<OperationRow> };
  counts: {
    input: null;
    reply: { readonly counts: readonly OperationCount[]; readonly ages: readonly OperationAge[] };
  };
  redrive: {
    input: { readonly id: string; readonly start: { readonly owner: string; readonly leaseMs: number } | null };
    reply: Ordered;
  };
  discard: { input: { readonly id: string; readonly error: Stored | null }; reply: Ordered };
  resolve: {
    input: { readonly id: string; readonly result: Stored | null; readonly error: Stored | null };
    reply: Ordered;
  };
  hasten: { input: { readonly id: string }; reply: Ordered };
  hastenAll: { input: HastenInput; reply: HastenReply };
  saveUsed: {
    input: { readonly provider: string; readonly amounts: readonly UsedAmount[]; readonly keepMs: number };
    reply: null;
  };
  loadUsed: { input: { readonly provider: string }; reply: readonly UsedAmount[] };
}

export type CommandName = keyof Commands;

/** One command on its way to the worker. `nowMs` is the wall time at which it was asked. */
export interface Envelope<Name extends CommandName = CommandName> {
  readonly id: number;
  readonly name: Name;
  readonly nowMs: number;
  readonly input: Commands[Name]['input'];
}

export type Answer =
  | { readonly id: number; readonly ok: true; readonly reply: unknown }
  | { readonly id: number; readonly ok: false; readonly message: string; readonly code: string | null };

export type ToWorker =
  { readonly type: 'commands'; readonly commands: readonly Envelope[] } | { readonly type: 'close' };

export type FromWorker =
  | { readonly type: 'open' }
  | { readonly type: 'failed'; readonly message: string; readonly code: string | null }
  | { readonly type: 'answers'; readonly answers: readonly Answer[] };

export type DriverName = 'node:sqlite' | 'libsql' | 'better-sqlite3';

/** What the worker starts with. */
export interface WorkerSettings {
  readonly path: string;
  readonly driver: DriverName;
  /** The module to require. */
  readonly driverPath: string;
  /** Longest wait for another process's transaction, in ms. */
  readonly busyMs: number;
  readonly keepDoneMs: number;
  readonly keepDeadMs: number;
  readonly maxDeliveries: number;
  /** The core's table of legal moves. */
  readonly transitions: readonly {
    readonly from: OperationState | null;
    readonly to: OperationState;
    readonly causes: readonly TransitionCause[];
  }[];
}
