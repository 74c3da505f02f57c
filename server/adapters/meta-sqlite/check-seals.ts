/** Does each commit say of itself what the rows say that it wrote (commit-seal.ts)? */
import { makeFid, parseFid, ROOT_VNODE, type Fid } from '../../../shared/model/fid.ts';
import { commitNumber } from '../../../shared/model/vnode.ts';
import type { Sqlite } from '../../../shared/sqlite/database.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { MAX_DEPTH } from '../../limits.ts';
import {
  SEALED_ENTRY,
  SEALED_VNODE,
  sealedEnd,
  sealedEntry,
  sealedVnode,
  sealOf,
  type CommitRow,
  type EndedRow,
} from './commit-seal.ts';
import { namesAt } from './entry-row.ts';
import { Statements, type SqlValue } from './statements.ts';

interface LogRow extends CommitRow {
  readonly seal: string | null;
}

const NEWEST =
  'SELECT volume, number, device, seq, when_ms, copy_of, seal FROM commit_log AS c WHERE number >' +
  ' coalesce((SELECT max(number) FROM commit_log AS n WHERE n.volume = c.volume), 0) - ?' +
  ' ORDER BY volume, number';

const VNODES = `SELECT ${SEALED_VNODE} FROM vnode INDEXED BY vnode_by_commit WHERE volume = ? AND from_commit = ?`;
const BEFORE =
  'SELECT from_commit, to_commit FROM vnode WHERE volume = ? AND vnode = ? AND uniquifier = ?' +
  ' AND from_commit < ? ORDER BY from_commit DESC LIMIT 1';
const ENTRIES = `SELECT ${SEALED_ENTRY} FROM entry INDEXED BY entry_by_from WHERE volume = ? AND from_commit = ?`;
const ENDS =
  'SELECT dir_vnode, dir_uniquifier, name, from_commit, vnode, uniquifier' +
  ' FROM entry INDEXED BY entry_by_to WHERE volume = ? AND to_commit = ?';

/** Vnodes that are named when a commit does not hold. */
const NAMED = 2;

/**
 * How many commits have no seal, since they were made before there were seals. Looks at the `newest` commits of each volume. Beside a server too:
 * all is of one state. Throws GodwitError `damaged-database`, with the first commit that does not hold.
 */
export function checkSeals(
  database: Sqlite,
  file: string,
  newest: number = Number.MAX_SAFE_INTEGER,
): number {
  const statements = new Statements(database);
  const check = database.transaction((): number => {
    let unsealed = 0;
    let last: LogRow | null = null;
    for (const row of database.prepare<[number], LogRow>(NEWEST).iterate(newest)) {
      const wasSealed = last?.volume === row.volume && last.seal !== null;
      last = row;
      // After the first that has one, all have.
      if (row.seal === null && !wasSealed) unsealed += 1;
      else if (row.seal !== sealOf(row, linesOf(statements, row))) {
        throw new GodwitError(
          'damaged-database',
          `${file} is damaged: ${altered(statements, row)}`,
        );
      }
    }
    return unsealed;
  });
  return check();
}

/**
 * Accepts the rows as they are, for an administrator who knows of the damage: commits that do not hold get the seals of what is there. Gives what is wrong with each. In a
 * transaction of the caller.
 */
export function sealCommitsAgain(database: Sqlite): string[] {
  const statements = new Statements(database);
  const rows = database.prepare<[number], LogRow>(NEWEST).all(Number.MAX_SAFE_INTEGER);
  const first = new Map<number, number>();
  for (const { volume, number, seal } of rows) {
    if (seal !== null && !first.has(volume)) first.set(volume, number);
  }
  const found: string[] = [];
  for (const row of rows) {
    if (row.number < (first.get(row.volume) ?? Infinity)) continue;
    const seal = sealOf(row, linesOf(statements, row));
    if (seal === row.seal) continue;
    found.push(altered(statements, row));
    const { volume, number } = row;
    statements.run(
      'UPDATE commit_log SET seal = ? WHERE volume = ? AND number = ?',
      ...[seal, volume, number],
    );
  }
  return found;
}

/** What the rows say that the commit wrote. */
function linesOf(statements: Statements, { volume, number }: CommitRow): string[] {
  const lines: string[] = [];
  for (const row of statements.all<Record<string, SqlValue>>(VNODES, volume, number)) {
    const columns = Object.values(row);
    const [vnode = null, uniquifier = null] = columns;
    const before = statements.get<{ from_commit: number; to_commit: number | null }>(
      BEFORE,
      ...[volume, vnode, uniquifier, number],
    );
    const ended: EndedRow = [before?.from_commit ?? null, before?.to_commit ?? null];
    lines.push(sealedVnode(columns, ended));
  }
  for (const row of statements.all<Record<string, SqlValue>>(ENTRIES, volume, number)) {
    lines.push(sealedEntry(Object.values(row)));
  }
  for (const row of statements.all<EndRow>(ENDS, volume, number)) {
    const place = [row.dir_vnode, row.dir_uniquifier, row.name];
    lines.push(sealedEnd(place, row.from_commit));
  }
  return lines;
}

interface EndRow {
  readonly dir_vnode: number;
  readonly dir_uniquifier: number;
  readonly name: string;
  readonly from_commit: number;
  readonly vnode: number;
  readonly uniquifier: number;
}

function altered(statements: Statements, commit: CommitRow): string {
  const { volume, number } = commit;
  const name = statements.get<{ name: string }>('SELECT name FROM volume WHERE id = ?', volume);
  const wrote = touchedBy(statements, commit);
  const named = wrote.slice(0, NAMED).map((fid) => described(statements, fid, number));
  const more = wrote.length - named.length;
  if (more > 0) named.push(`${more} more`);
  const what = named.length === 0 ? 'of nothing' : `of ${named.join(', ')}`;
  return `rows ${what} are not as commit ${number} of ${name?.name ?? volume} wrote them`;
}

/** The vnodes that it wrote: those of which a name changed come first, since they are what the commit is about. */
function touchedBy(statements: Statements, { volume, number }: CommitRow): Fid[] {
  const fids = new Set<Fid>();
  const add = (rows: ReadonlyArray<{ vnode: number; uniquifier: number }>): void => {
    for (const { vnode, uniquifier } of rows) fids.add(makeFid(volume, vnode, uniquifier));
  };
  add(statements.all(ENTRIES, volume, number));
  add(statements.all(ENDS, volume, number));
  add(statements.all(VNODES, volume, number));
  return [...fids];
}

/** The fid, and its path: the present one, or that which it had with the commit or before it. */
function described(statements: Statements, fid: Fid, number: number): string {
  for (const at of [Number.MAX_SAFE_INTEGER, number, number - 1]) {
    const path = pathAt(statements, fid, at);
    if (path !== null) return `${fid} (${path})`;
  }
  return fid;
}

/** Null: rows are missing on the way up, or go round. */
function pathAt(statements: Statements, fid: Fid, at: number): string | null {
  const names: string[] = [];
  let parts = parseFid(fid);
  while (parts !== null && parts.vnode !== ROOT_VNODE) {
    const [place] = namesAt(statements, parts, commitNumber(at));
    if (place === undefined || names.length > MAX_DEPTH) return null;
    names.unshift(place.name);
    parts = parseFid(place.dir);
  }
  return parts === null ? null : `/${names.join('/')}`;
}
