/**
 * Seals of the rows that no commit seals (commit-seal.ts). Triggers of the connection write them, whatever statement writes the row: so each program of
 * ours keeps them, and what alters a row by another way does not. A bit that flips in a page is found, and so is a row that is gone or back; they keep
 * nobody out who means to deceive.
 *
 * A migration that alters rows or columns of such a table removes its seals, and its row of 'sealed': then it is sealed anew.
 */
import { crc32 } from 'node:zlib';
import { databaseError, type Sqlite } from '../../../shared/sqlite/database.ts';
import { rowLine, type SqlValue } from '../../../shared/sqlite/row-line.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';

interface Sealed {
  /** Columns that the seal leaves out. */
  readonly without: readonly string[];
  /** There is a row for each content, or for each save: checked only if a start checks everything. */
  readonly isLarge: boolean;
}

const WHOLE: Sealed = { without: [], isLarge: false };
const LARGE: Sealed = { without: [], isLarge: true };

export const ROW_SEALED: Readonly<Record<string, Sealed>> = {
  access: WHOLE,
  access_entry: WHOLE,
  applied: LARGE,
  block: LARGE,
  content: LARGE,
  device: WHOLE,
  dirty: WHOLE,
  epoch_cut: WHOLE,
  invitation: WHOLE,
  lease: WHOLE,
  meta: WHOLE,
  scheduled_snapshot: WHOLE,
  sharing: WHOLE,
  snapshot: WHOLE,
  snapshot_schedule: WHOLE,
  team: WHOLE,
  team_member: WHOLE,
  user: WHOLE,
  // They change with each commit, and the commits and the files tell what they are (check-rows.ts, quotas.ts).
  volume: { without: ['head', 'used'], isLarge: false },
};

/** The others, each with the code that finds damage there. */
export const NOT_ROW_SEALED: Readonly<Record<string, string>> = {
  commit_log: 'each commit seals its own row',
  vnode: 'sealed by the commit that wrote it',
  entry: 'sealed by the commits that set and freed it',
  row_seal: 'a seal that is altered fits its row no more',
};

const DONE = 'sealed';

interface Table extends Sealed {
  readonly name: string;
  readonly key: (row: string) => string;
  readonly seal: (row: string) => string;
  readonly columns: readonly string[];
}

/** For its statements to make a seal with. */
function teach(database: Sqlite): void {
  database.function('row_seal', { varargs: true, deterministic: true }, (table, ...values) =>
    crc32(rowLine(String(table), values as SqlValue[])),
  );
}

/** From now on what this connection writes is sealed; what was written before there were seals is sealed as it is. */
export function sealRows(database: Sqlite): void {
  teach(database);
  database.pragma('temp_store = MEMORY');
  const tables = tablesOf(database);
  const sealed = sealedIn(database);
  const rest = tables.filter(({ name }) => !sealed.has(name));
  if (rest.length > 0) {
    database.transaction(() => rest.forEach((table) => sealAll(database, table))).immediate();
  }
  for (const table of tables) database.exec(triggersOf(table));
}

/** Throws GodwitError `damaged-database`, with the first row that does not fit. `all`: the large tables too. */
export function checkRowSeals(database: Sqlite, file: string, all = true): void {
  teach(database);
  const tables = tablesOf(database).filter(({ isLarge }) => all || !isLarge);
  const check = database.transaction(() => {
    for (const table of tables) {
      const what = damageOf(database, table);
      if (what === null) continue;
      throw new GodwitError('damaged-database', `${file} is damaged: ${what}`);
    }
  });
  try {
    check();
  } catch (error) {
    throw databaseError(error, file);
  }
}

/** Accepts damaged rows as they are, for an administrator who knows of the damage. Returns them. In a transaction of the caller. */
export function sealRowsAgain(database: Sqlite): string[] {
  return tablesOf(database).flatMap((table) => {
    const what = damageOf(database, table);
    if (what === null) return [];
    database.prepare('DELETE FROM row_seal WHERE of = ?').run(table.name);
    sealAll(database, table);
    return [what];
  });
}

function damageOf(database: Sqlite, { name, key, seal }: Table): string | null {
  const of = (sql: string): string | undefined =>
    database.prepare<[string], string>(sql).pluck().get(name);
  const altered = of(
    `SELECT ${key('t')} FROM ${name} AS t LEFT JOIN row_seal AS s ON s.of = ? AND s.key = ${key('t')}` +
      ` WHERE s.seal IS NOT ${seal('t')} LIMIT 1`,
  );
  if (altered !== undefined) return `the row ${altered} of ${name} is not as it was written`;
  const gone = of(
    `SELECT key FROM row_seal WHERE of = ? EXCEPT SELECT ${key('t')} FROM ${name} AS t LIMIT 1`,
  );
  return gone === undefined ? null : `the row ${gone} of ${name} is gone`;
}

function sealAll(database: Sqlite, { name, key, seal }: Table): void {
  database.exec(
    `INSERT OR REPLACE INTO row_seal SELECT '${name}', ${key('t')}, ${seal('t')} FROM ${name} AS t`,
  );
  database.exec(`INSERT OR REPLACE INTO row_seal VALUES ('${DONE}', '${name}', 0)`);
}

function sealedIn(database: Sqlite): Set<string> {
  const keys = database.prepare<[string], string>('SELECT key FROM row_seal WHERE of = ?').pluck();
  return new Set(keys.all(DONE));
}

function triggersOf({ name, key, seal, columns }: Table): string {
  const put = `INSERT OR REPLACE INTO row_seal VALUES ('${name}', ${key('NEW')}, ${seal('NEW')});`;
  const drop = `DELETE FROM row_seal WHERE of = '${name}' AND key = ${key('OLD')};`;
  // One statement, and no conflict: in a trigger, the statement that fires it says what becomes of one.
  const seals = `SET key = ${key('NEW')}, seal = ${seal('NEW')}`;
  const change = `UPDATE row_seal ${seals} WHERE of = '${name}' AND key = ${key('OLD')};`;
  const trigger = (when: string, what: string, work: string): string =>
    `CREATE TEMP TRIGGER ${name}_${when} AFTER ${what} ON main.${name} BEGIN ${work} END;`;
  return [
    trigger('put', 'INSERT', put),
    trigger('changed', `UPDATE OF ${columns.join(', ')}`, change),
    trigger('dropped', 'DELETE', drop),
  ].join('\n');
}

function tablesOf(database: Sqlite): Table[] {
  return Object.entries(ROW_SEALED).map(([name, sealed]) => {
    const all = database.pragma(`main.table_info(${name})`) as Array<{ name: string; pk: number }>;
    const columns = all
      .map((column) => column.name)
      .filter((each) => !sealed.without.includes(each));
    const keys = all.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk);
    return {
      ...{ name, ...sealed, columns },
      key: (row) => `(${keys.map((column) => `${row}.${column.name}`).join(" || '.' || ")} || '')`,
      seal: (row) =>
        `row_seal('${name}', ${columns.map((column) => `${row}.${column}`).join(', ')})`,
    };
  });
}
