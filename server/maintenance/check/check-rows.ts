/**
 * Checks the rows of the metadata against each other: what one row counts or names, others have. It finds rows that were altered, left out or brought
 * back from elsewhere, as far as another row tells of the same. Then the seals of the commits (commit-seal.ts) tell of everything else that they
 * wrote: a time, a mode, a version. Rows that no commit wrote have seals of their own (row-seals.ts).
 */
import { checkPages, type Sqlite } from '../../../shared/sqlite/database.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { checkSeals, sealCommitsAgain } from '../../adapters/meta-sqlite/check-seals.ts';
import { checkRowSeals, sealRowsAgain } from '../../adapters/meta-sqlite/row-seals.ts';

/** Of a volume that was removed for good rows may be left for a while (removed-volumes.ts). */
const isOfVolume = (row: string): string =>
  `EXISTS (SELECT 1 FROM volume WHERE volume.id = ${row}.volume)`;

/** Each gives a line of who does not fit, and nothing where all is well. The root (vnode 1) has no name. */
const RULES: ReadonlyArray<{ readonly what: string; readonly query: string }> = [
  {
    what: 'has another number of names than it counts',
    query:
      `SELECT volume, vnode, uniquifier FROM vnode AS v WHERE ${isOfVolume('v')} AND to_commit IS NULL AND vnode <> 1 AND links <>` +
      ' (SELECT count(*) FROM entry AS e WHERE e.volume = v.volume AND e.vnode = v.vnode' +
      ' AND e.uniquifier = v.uniquifier AND e.to_commit IS NULL) LIMIT 1',
  },
  {
    what: 'has another number of entries than it counts',
    query:
      `SELECT volume, vnode, uniquifier FROM vnode AS v WHERE ${isOfVolume('v')} AND to_commit IS NULL AND kind = 'directory' AND entries <>` +
      ' (SELECT count(*) FROM entry AS e WHERE e.volume = v.volume AND e.dir_vnode = v.vnode' +
      ' AND e.dir_uniquifier = v.uniquifier AND e.to_commit IS NULL) LIMIT 1',
  },
  {
    what: 'is named and not there',
    query:
      `SELECT volume, vnode, uniquifier FROM entry AS e WHERE ${isOfVolume('e')} AND to_commit IS NULL AND NOT EXISTS` +
      ' (SELECT 1 FROM vnode AS v WHERE v.volume = e.volume AND v.vnode = e.vnode' +
      ' AND v.uniquifier = e.uniquifier AND v.to_commit IS NULL) LIMIT 1',
  },
  {
    what: 'is of a commit that is not there',
    query:
      `SELECT volume, vnode, uniquifier FROM vnode AS v WHERE ${isOfVolume('v')} AND NOT EXISTS` +
      ' (SELECT 1 FROM commit_log AS c WHERE c.volume = v.volume AND c.number = v.from_commit) LIMIT 1',
  },
  {
    what: 'is named by a commit that is not there',
    query:
      `SELECT volume, vnode, uniquifier FROM entry AS e WHERE ${isOfVolume('e')} AND NOT EXISTS` +
      ' (SELECT 1 FROM commit_log AS c WHERE c.volume = e.volume AND c.number = e.from_commit) LIMIT 1',
  },
  {
    what: 'is freed by a commit that is not there',
    query:
      `SELECT volume, vnode, uniquifier FROM entry AS e WHERE ${isOfVolume('e')} AND to_commit IS NOT NULL AND NOT EXISTS` +
      ' (SELECT 1 FROM commit_log AS c WHERE c.volume = e.volume AND c.number = e.to_commit) LIMIT 1',
  },
  {
    what: 'has ended, and nothing came after it',
    query:
      `SELECT volume, vnode, uniquifier FROM vnode AS v WHERE ${isOfVolume('v')} AND to_commit IS NOT NULL AND NOT EXISTS` +
      ' (SELECT 1 FROM vnode AS n WHERE n.volume = v.volume AND n.vnode = v.vnode' +
      ' AND n.uniquifier = v.uniquifier AND n.from_commit = v.to_commit) LIMIT 1',
  },
  {
    what: 'has contents of another length than are kept',
    query:
      'SELECT volume, vnode, uniquifier FROM vnode AS v JOIN content USING (digest)' +
      ` WHERE ${isOfVolume('v')} AND v.to_commit IS NULL AND v.links > 0 AND content.size <> v.size LIMIT 1`,
  },
];

const HEADS =
  'SELECT name FROM volume WHERE head <>' +
  ' (SELECT max(number) FROM commit_log WHERE commit_log.volume = volume.id) LIMIT 1';

/** How many commits have no seal. Throws GodwitError `damaged-database`, with the first that does not fit. */
export function checkRows(database: Sqlite, file: string): number {
  checkPages(database, file);
  checkRowSeals(database, file);
  const head = database.prepare<[], string>(HEADS).pluck().get();
  if (head !== undefined) throw altered(file, `the volume ${head} has another head than commits`);
  for (const { what, query } of RULES) {
    const found = database
      .prepare<[], { volume: number; vnode: number; uniquifier: number }>(query)
      .get();
    if (found === undefined) continue;
    const { volume, vnode, uniquifier } = found;
    throw altered(file, `${volume}.${vnode}.${uniquifier} ${what}`);
  }
  return checkSeals(database, file);
}

/** As `checkRows`, of what was written alone: what a copy of it must have. */
export function checkWritten(database: Sqlite, file: string): void {
  checkRowSeals(database, file);
  checkSeals(database, file);
}

/** Accepts damaged rows as they are, for an administrator who knows of the damage. Returns what was wrong with them. */
export function acceptRows(database: Sqlite): string[] {
  const accept = database.transaction(() => [
    ...sealRowsAgain(database),
    ...sealCommitsAgain(database),
  ]);
  return accept.immediate();
}

const altered = (file: string, what: string): GodwitError =>
  new GodwitError('damaged-database', `${file} is damaged: ${what}`);
