/** The schema, as the steps that lead to it. A step that has been released is never edited: the next one changes what it made. */

export interface Migration {
  readonly version: number;
  readonly sql: string;
  /** The oldest version of this code that can still work with a file that has gone through this step. */
  readonly readableFrom: number;
}

export const MIGRATIONS: readonly Migration[] = [
  {
    version: 1,
    readableFrom: 1,
    sql: `
CREATE TABLE operations (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  provider TEXT NOT NULL,
  name TEXT NOT NULL,
  state TEXT NOT NULL,
  cause TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  lane TEXT NOT NULL,
  tenant TEXT NOT NULL,
  partition TEXT NOT NULL,
  ordering_key TEXT,
  reference TEXT,
  line INTEGER NOT NULL,
  ready INTEGER NOT NULL,
  blocked INTEGER NOT NULL,
  due_at INTEGER,
  owner TEXT,
  lease_until INTEGER,
  fence INTEGER NOT NULL,
  deliveries INTEGER NOT NULL DEFAULT 0,
  attempts INTEGER NOT NULL DEFAULT 0,
  checks INTEGER NOT NULL DEFAULT 0,
  absent_at INTEGER,
  resend_until INTEGER,
  requests INTEGER NOT NULL DEFAULT 0,
  keep_ms INTEGER,
  created_at INTEGER NOT NULL,
  accepted_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  ended_at INTEGER,
  purge_at INTEGER,
  error BLOB,
  checkpoint BLOB,
  result BLOB,
  payload BLOB NOT NULL
);
CREATE INDEX operations_ready ON operations (line, seq) WHERE ready = 1;
CREATE INDEX operations_due ON operations (provider, state, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX operations_lease ON operations (lease_until) WHERE lease_until IS NOT NULL;
CREATE INDEX operations_order ON operations (provider, ordering_key, blocked, seq) WHERE ordering_key IS NOT NULL AND ended_at IS NULL;
CREATE INDEX operations_reference ON operations (provider, reference) WHERE reference IS NOT NULL AND owner IS NOT NULL;
CREATE INDEX operations_purge ON operations (purge_at) WHERE purge_at IS NOT NULL;
CREATE INDEX operations_state ON operations (provider, state, seq) WHERE state <> 'done';

CREATE TABLE requests (
  operation INTEGER NOT NULL,
  step TEXT NOT NULL,
  method TEXT NOT NULL,
  route TEXT,
  provider_key TEXT,
  body_hash TEXT,
  body BLOB,
  content_type TEXT,
  sends INTEGER NOT NULL,
  first_sent_at INTEGER NOT NULL,
  last_sent_at INTEGER NOT NULL,
  repeatable_until INTEGER,
  state TEXT NOT NULL,
  status INTEGER,
  answer BLOB,
  PRIMARY KEY (operation, step)
) WITHOUT ROWID;

-- One lane and tenant of a provider. \`turn\`: when it was last served, by a counter.
CREATE TABLE lines (
  id INTEGER PRIMARY KEY,
  provider TEXT NOT NULL,
  lane TEXT NOT NULL,
  tenant TEXT NOT NULL,
  open INTEGER NOT NULL DEFAULT 0,
  ready INTEGER NOT NULL DEFAULT 0,
  turn INTEGER NOT NULL DEFAULT 0,
  UNIQUE (provider, lane, tenant)
);
CREATE INDEX lines_ready ON lines (provider, lane, turn) WHERE ready = 1;
CREATE INDEX lines_turn ON lines (provider, turn);
CREATE INDEX lines_idle ON lines (open) WHERE open = 0;

CREATE TABLE counts (
  provider TEXT NOT NULL,
  lane TEXT NOT NULL,
  state TEXT NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (provider, lane, state)
) WITHOUT ROWID;

CREATE TABLE used (
  provider TEXT NOT NULL,
  key TEXT NOT NULL,
  value TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (provider, key)
) WITHOUT ROWID;
`,
  },
  {
    version: 2,
    // Older code would not keep `next_due`.
    readableFrom: 2,
    sql: `
-- When the first of what waits in the line falls due, or earlier; null = nothing waits. What falls due is brought in line by line,
-- so that a tenant of whom much falls due at once holds up no other.
ALTER TABLE lines ADD COLUMN next_due INTEGER;
UPDATE lines SET next_due = (SELECT MIN(due_at) FROM operations WHERE line = lines.id AND state = 'waiting');
CREATE INDEX lines_due ON lines (provider, next_due) WHERE ready = 0 AND next_due IS NOT NULL;
DROP INDEX operations_due;
CREATE INDEX operations_due ON operations (line, due_at) WHERE state = 'waiting' AND due_at IS NOT NULL;
CREATE INDEX operations_doubt ON operations (provider, due_at) WHERE state = 'uncertain';
-- Of all states: operators list what is done too, and nobody waits while a million rows are read for it.
DROP INDEX operations_state;
CREATE INDEX operations_state ON operations (provider, state, seq);
`,
  },
];
