import type { OperationAge, OperationCount, OperationState, UsedAmount } from '../../../../core/src/index.js';
import type { Columns, Commands, FullRow, OperationRow } from '../../protocol.js';
import { columnsOf, FULL, SUMMARY } from '../columns.js';
import type { Unit } from '../unit.js';

type InputOf<Name extends keyof Commands> = Commands[Name]['input'];

export function get(unit: Unit, { id }: InputOf<'get'>): FullRow | null {
  return unit.db.get<FullRow>(`SELECT ${FULL} FROM operations WHERE id = ?`, id) ?? null;
}

export function list(unit: Unit, { provider, state, after, limit }: InputOf<'list'>): Columns<OperationRow> {
  // Kind by kind, each in the order of its index: no page reads rows that it does not show.
  const seqs = kinds(unit)
    .filter((kind) => (provider ?? kind.provider) === kind.provider && (state ?? kind.state) === kind.state)
    .flatMap((kind) =>
      unit.db.all<{ seq: number }>(
        'SELECT seq FROM operations WHERE provider = ? AND state = ? AND seq > ? ORDER BY seq LIMIT ?',
        kind.provider,
        kind.state,
        after ? Number(after) : 0,
        limit,
      ),
    )
    .map(({ seq }) => seq);
  const page = seqs.sort((a, b) => a - b).slice(0, limit);
  const rows = unit.db.all<OperationRow>(
    `SELECT ${SUMMARY} FROM operations WHERE seq IN (SELECT value FROM json_each(?)) ORDER BY seq`,
    JSON.stringify(page),
  );
  return columnsOf(SUMMARY, rows);
}

/** Of which provider and state there are operations. */
function kinds(unit: Unit): readonly { readonly provider: string; readonly state: OperationState }[] {
  // Sums of this transaction's own commands come first.
  unit.flush();
  return unit.db.all('SELECT DISTINCT provider, state FROM counts WHERE count > 0');
}

export function counts(unit: Unit): { counts: readonly OperationCount[]; ages: readonly OperationAge[] } {
  const ages = kinds(unit).flatMap(({ provider, state }) => {
    if (state === 'done') return [];
    const oldest = unit.db.get<{ created_at: number }>(
      'SELECT created_at FROM operations WHERE provider = ? AND state = ? ORDER BY seq LIMIT 1',
      provider,
      state,
    )!;
    return [{ provider, state, oldestAtMs: oldest.created_at }];
  });
  return { counts: unit.db.all('SELECT provider, lane, state, count FROM counts WHERE count > 0'), ages };
}

export function saveUsed(unit: Unit, { provider, amounts, keepMs }: InputOf<'saveUsed'>, nowMs: number): null {
  for (const { key, value } of amounts) {
    unit.db.run(
      'INSERT INTO used (provider, key, value, expires_at) VALUES (?, ?, ?, ?) ' +
        'ON CONFLICT (provider, key) DO UPDATE SET value = excluded.value, expires_at = excluded.expires_at',
      provider,
      key,
      value,
      nowMs + keepMs,
    );
  }
  return null;
}

export function loadUsed(unit: Unit, { provider }: InputOf<'loadUsed'>, nowMs: number): readonly UsedAmount[] {
  return unit.db.all<UsedAmount>(
    'SELECT key, value FROM used WHERE provider = ? AND expires_at > ? ORDER BY key',
    provider,
    nowMs,
  );
}
