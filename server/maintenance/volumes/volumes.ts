/**
 * What an administrator does with volumes, on the database of a server that may be running in another process.
 *
 * A volume that is removed is a tombstone: it keeps its name, its number and all that is in it until the time of retention is over
 * (removed-volumes.ts). Numbers are drawn: so none is given twice, also not by a server that was put back from a backup, and nobody can tell from the
 * number of their own volume whether there are others.
 */
import { USUAL_SETS } from '../../../shared/model/access-list.ts';
import { epochStart, LOST_UNIQUIFIERS } from '../../../shared/model/epoch.ts';
import type { VolumeId } from '../../../shared/model/fid.ts';
import type { WallTime } from '../../../shared/model/time.ts';
import { commitNumber, type CommitNumber } from '../../../shared/model/vnode.ts';
import type { Random } from '../../../shared/ports/random.ts';
import type { Sqlite } from '../../../shared/sqlite/database.ts';
import { shellWord } from '../../../shared/util/shell-word.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { MAX_VOLUMES } from '../../../shared/wire/limits.ts';
import { giveAccess } from '../../adapters/meta-sqlite/access-rows.ts';
import { makeVolume } from '../../adapters/meta-sqlite/stored-state.ts';
import { Statements } from '../../adapters/meta-sqlite/statements.ts';
import { writeLogRow } from '../../adapters/meta-sqlite/write-row.ts';
import { noSuchPerson, personNamed } from '../accounts/people.ts';
import { numbersLeft } from './removed-volumes.ts';

export interface NewVolume {
  readonly name: string;
  /** The name of a person, who may write in it; null: nobody's. */
  readonly owner: string | null;
  /** In bytes; null: none. */
  readonly quota: number | null;
  /** The number of a volume that was lost with the part of the history after a backup: devices offer what they have of it. Null: another one. */
  readonly lost: number | null;
}

export interface ListedVolume {
  readonly number: VolumeId;
  readonly name: string;
  readonly owner: string | null;
  readonly people: ReadonlyArray<{ readonly user: string; readonly rights: string }>;
  readonly quota: number | null;
  readonly used: number;
  /** When it was removed; null: it is in use. */
  readonly removed: WallTime | null;
}

interface VolumeRow {
  readonly id: VolumeId;
  readonly removed: WallTime | null;
}

const NUMBER_BYTES = 4;
/** Numbers below are those of volumes that were there before numbers were drawn. */
const LEAST_DRAWN = 0x10000;
/** The root of a volume is its first commit. */
const ROOT_COMMIT = commitNumber(1);
const LIST =
  'SELECT volume.id AS number, volume.name, user.name AS owner, quota, used, volume.removed_ms AS removed' +
  ' FROM volume LEFT JOIN user ON user.id = volume.owner ORDER BY volume.removed_ms IS NOT NULL, volume.name';

/** Those that are removed come last. */
export function listVolumes(database: Sqlite): ListedVolume[] {
  const people = database.prepare<[number], { user: string; rights: string }>(
    'SELECT user.name AS user, rights FROM access JOIN user ON user.id = access.user' +
      ' WHERE volume = ? ORDER BY user.name',
  );
  const rows = database.prepare<[], Omit<ListedVolume, 'people'>>(LIST).all();
  return rows.map((row) => ({ ...row, people: people.all(row.number) }));
}

/** A running server sees it within ACCESS_POLL. Throws GodwitError `exists`, `not-found` (the owner), `usage` (the number, too many). */
export function createVolume(
  database: Sqlite,
  asked: NewVolume,
  now: WallTime,
  random: Random,
): VolumeId {
  return inOne(database, () => makeOwned(database, asked, now, random));
}

/** The same in a transaction of the caller. */
export function makeOwned(
  database: Sqlite,
  { name, owner, quota, lost }: NewVolume,
  now: WallTime,
  random: Random,
): VolumeId {
  refuseTaken(database, name);
  const person = ownerNamed(database, owner);
  const statements = new Statements(database);
  const id = lost === null ? drawn(database, random) : (lost as VolumeId);
  if (lost !== null) refuseNumber(database, id);
  makeVolume(statements, { id, name, when: now });
  giveTo(database, statements, id, { person, quota });
  if (lost !== null) cutOff(database, statements, id, now);
  return id;
}

/** The number of a person; null: nobody is named. Throws GodwitError `not-found`. */
export function ownerNamed(database: Sqlite, owner: string | null): number | null {
  const person = owner === null ? null : personNamed(database, owner);
  if (owner !== null && person === null) throw noSuchPerson(owner);
  return person;
}

/** Whose a new volume is, and what it may take. In a transaction of the caller. Throws GodwitError `usage` (the person would see too many). */
export function giveTo(
  database: Sqlite,
  statements: Statements,
  id: VolumeId,
  { person, quota }: { readonly person: number | null; readonly quota: number | null },
): void {
  database.prepare('UPDATE volume SET owner = ?, quota = ? WHERE id = ?').run(person, quota, id);
  if (person === null) return;
  refuseTooMany(database, id, person);
  giveAccess(statements, { user: person, volume: id, rights: USUAL_SETS.admin });
}

/** Also of one that is removed. Throws GodwitError `no-such-volume`, `exists`. */
export function renameVolume(database: Sqlite, name: string, to: string): void {
  inOne(database, () => {
    const { id } = volumeOf(database, name);
    if (name === to) return;
    refuseTaken(database, to);
    database.prepare('UPDATE volume SET name = ? WHERE id = ?').run(to, id);
  });
}

/** Throws GodwitError `no-such-volume`, `volume-removed`. */
export function removeVolume(database: Sqlite, name: string, now: WallTime): void {
  inOne(database, () => {
    const { id } = presentVolume(database, name);
    database.prepare('UPDATE volume SET removed_ms = ? WHERE id = ?').run(now, id);
  });
}

/** It is as it was, with its people and rights. Throws GodwitError `no-such-volume`, `exists` (it is not removed), `usage` (too many). */
export function restoreVolume(database: Sqlite, name: string): void {
  inOne(database, () => {
    const { id, removed } = volumeOf(database, name);
    if (removed === null) {
      throw new GodwitError('exists', `the volume ${name} is there: it was not removed`);
    }
    database.prepare('UPDATE volume SET removed_ms = NULL WHERE id = ?').run(id);
    refuseTooMany(database, id, null);
  });
}

/** One that is in use. Throws GodwitError `no-such-volume`, `volume-removed`. */
export function presentVolume(database: Sqlite, name: string): VolumeRow {
  const row = volumeOf(database, name);
  if (row.removed === null) return row;
  throw new GodwitError('volume-removed', `the volume ${name} was removed`, bringBack(name));
}

function volumeOf(database: Sqlite, name: string): VolumeRow {
  const row = findVolume(database, name);
  if (row !== null) return row;
  const remedy = 'see `godwit server volume ls` for those there are';
  throw new GodwitError('no-such-volume', `there is no volume ${name}`, remedy);
}

/**
 * Who sees the volume, and `user` if they are to see it too, would have more volumes than a laptop is told of: it could not connect any more. Throws
 * GodwitError `usage`. In a transaction of the caller.
 */
export function refuseTooMany(database: Sqlite, volume: VolumeId, user: number | null): void {
  const name = database
    .prepare<(number | null)[], string>(
      'WITH given AS (SELECT user, volume FROM access UNION SELECT ?, ?)' +
        ' SELECT user.name FROM given JOIN user ON user.id = given.user' +
        ' JOIN volume ON volume.id = given.volume AND volume.removed_ms IS NULL' +
        ' WHERE given.user IN (SELECT user FROM given WHERE volume = ?)' +
        ' GROUP BY user.id HAVING count(*) > ? ORDER BY user.id LIMIT 1',
    )
    .pluck()
    .get(user, volume, volume, MAX_VOLUMES);
  if (name === undefined) return;
  const why = `${name} would see more than ${MAX_VOLUMES} volumes`;
  throw new GodwitError('usage', why, 'remove one of theirs: `godwit server volume ls` shows them');
}

/** Also one that is removed; null: there is none. */
export function findVolume(database: Sqlite, name: string): VolumeRow | null {
  const find = 'SELECT id, removed_ms AS removed FROM volume WHERE name = ?';
  return database.prepare<[string], VolumeRow>(find).get(name) ?? null;
}

/** Throws GodwitError `exists`, also where a removed volume has the name. */
export function refuseTaken(database: Sqlite, name: string): void {
  const row = findVolume(database, name);
  if (row === null) return;
  if (row.removed === null) {
    throw new GodwitError('exists', `there is a volume ${name} already`, 'choose another name');
  }
  const why = `a volume that was removed is called ${name}`;
  const free = `\`godwit server volume rename ${shellWord(name)} OTHER\` frees the name`;
  throw new GodwitError('exists', why, `${bringBack(name)}; ${free}`);
}

const bringBack = (name: string): string =>
  `\`godwit server volume restore ${shellWord(name)}\` brings it back`;

/** A number that no volume has or had. */
export function drawn(database: Sqlite, random: Random): VolumeId {
  for (;;) {
    const number = Number.parseInt(random.hex(NUMBER_BYTES), 16);
    if (number >= LEAST_DRAWN && isFree(database, number)) return number as VolumeId;
  }
}

function refuseNumber(database: Sqlite, number: number): void {
  if (isFree(database, number)) return;
  throw new GodwitError('usage', `${number}: a volume has or had that number`);
}

/** What is left of one that has ended would be that of the new one, and goes with the next collection. */
const isFree = (database: Sqlite, number: number): boolean =>
  !numbersLeft(database).includes(number) &&
  ['SELECT 1 FROM volume WHERE id = ?', 'SELECT 1 FROM vnode WHERE volume = ? LIMIT 1'].every(
    (sql) => database.prepare(sql).get(number) === undefined,
  );

/** Its history begins again behind all that the lost part may have had, as that of each volume in a new epoch (rule I1). */
function cutOff(database: Sqlite, statements: Statements, id: VolumeId, now: WallTime): void {
  const first: CommitNumber = epochStart(ROOT_COMMIT, now);
  const ended = database
    .prepare<[], string>('SELECT DISTINCT epoch FROM epoch_cut ORDER BY epoch')
    .pluck()
    .all();
  if (ended.length === 0) {
    const why = 'this server was never put back from a backup: no volume was lost';
    throw new GodwitError('usage', why, 'leave --lost out');
  }
  const lost = [ROOT_COMMIT + 1, ROOT_COMMIT + LOST_UNIQUIFIERS];
  for (const epoch of ended) {
    const cut = [epoch, id, ROOT_COMMIT, first, ...lost];
    statements.run('INSERT INTO epoch_cut VALUES (?, ?, ?, ?, ?, ?)', ...cut);
  }
  writeLogRow(
    statements,
    { volume: id, number: first, device: 0, seq: 0, when_ms: now, copy_of: null },
    [],
  );
  statements.run('UPDATE volume SET head = ? WHERE id = ?', first, id);
}

function inOne<T>(database: Sqlite, work: () => T): T {
  return database.transaction(work).immediate();
}
