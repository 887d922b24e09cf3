/** Runs commands, many in one transaction: they share the one wait for the disk. */
import type { Answer, CommandName, Commands, Envelope, WorkerSettings } from '../protocol.js';
import { claim, claimUncertain } from './commands/claim.js';
import { create } from './commands/create.js';
import { hasten, hastenAll } from './commands/hasten.js';
import { discard, flush, purge, redrive, resolve } from './commands/orders.js';
import { counts, get, list, loadUsed, saveUsed } from './commands/reads.js';
import { checkpoint, recordAnswer, recordRequest, requests } from './commands/requests.js';
import { recover, renew, settle } from './commands/settle.js';
import type { Database } from './database.js';
import { tell } from './tell.js';
import { moveName, type Rules, Unit } from './unit.js';

type Handler<Name extends CommandName> = (
  unit: Unit,
  input: Commands[Name]['input'],
  nowMs: number,
) => Commands[Name]['reply'];

const HANDLERS: { readonly [Name in CommandName]: Handler<Name> } = {
  create,
  get,
  requests,
  claim,
  claimUncertain,
  renew,
  recordRequest,
  recordAnswer,
  checkpoint,
  settle,
  recover,
  flush,
  purge,
  list,
  counts,
  redrive,
  discard,
  resolve,
  hasten,
  hastenAll,
  saveUsed,
  loadUsed,
};

type Settings = Pick<WorkerSettings, 'keepDoneMs' | 'keepDeadMs' | 'maxDeliveries' | 'transitions'>;

export class Engine {
  private readonly rules: Rules;

  constructor(
    private readonly database: Database,
    { transitions, ...rules }: Settings,
  ) {
    const legal = transitions.flatMap(({ from, to, causes }) => causes.map((cause) => moveName(from, to, cause)));
    this.rules = { ...rules, legal: new Set(legal) };
  }

  /** All in one transaction. Where one of them fails it fails alone: what was asked before it and after it is run without it. */
  run(commands: readonly Envelope[]): Answer[] {
    const answers: Answer[] = [];
    for (let rest = commands; rest.length > 0;) {
      const { answered, failed } = this.attempt(rest);
      answers.push(...answered);
      if (failed === null) break;
      const { at, until, error } = failed;
      answers.push(...this.run(rest.slice(0, at)));
      answers.push(...rest.slice(at, until).map(({ id }): Answer => ({ id, ok: false, ...tell(error) })));
      rest = rest.slice(until);
    }
    return answers;
  }

  private attempt(commands: readonly Envelope[]): {
    readonly answered: readonly Answer[];
    readonly failed: { readonly at: number; readonly until: number; readonly error: unknown } | null;
  } {
    const answered: Answer[] = [];
    try {
      this.database.exec('BEGIN IMMEDIATE');
    } catch (error) {
      // Another process writes for too long: each of them would wait as long again.
      return { answered: [], failed: { at: 0, until: commands.length, error } };
    }
    try {
      const unit = new Unit(this.database, this.rules);
      for (const command of commands) {
        answered.push({ id: command.id, ok: true, reply: execute(unit, command) });
      }
      unit.flush();
      this.database.exec('COMMIT');
      return { answered, failed: null };
    } catch (error) {
      rollBack(this.database);
      // One that ran and could not be committed is the last of them, so that those before it have another chance.
      const at = Math.min(answered.length, commands.length - 1);
      return { answered: [], failed: { at, until: at + 1, error } };
    }
  }
}

function execute<Name extends CommandName>(
  unit: Unit,
  { name, input, nowMs }: Envelope<Name>,
): Commands[Name]['reply'] {
  return HANDLERS[name](unit, input, nowMs);
}

function rollBack(database: Database): void {
  try {
    database.exec('ROLLBACK');
  } catch {
    // SQLite has rolled back by itself: full disk, I/O error.
  }
}
