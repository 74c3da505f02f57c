/**
 * What an administrator does with people, on the database of a server that may be running in another process.
 *
 * The row of a person who was removed stays, since devices name it: none of them is admitted, and the person has no rights. Who is added again under
 * that name begins with nothing.
 */
import { freeDeviceName, isSameDeviceName, withSuffix } from '../../../shared/model/device-name.ts';
import type { WallTime } from '../../../shared/model/time.ts';
import type { Sqlite } from '../../../shared/sqlite/database.ts';
import { shellWord } from '../../../shared/util/shell-word.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { dropPrincipal } from '../../adapters/meta-sqlite/access-rows.ts';
import { Statements } from '../../adapters/meta-sqlite/statements.ts';

export interface ListedPerson {
  readonly name: string;
  /** The name of their home volume; null: they have none, or it was removed. */
  readonly home: string | null;
  /** Names of volumes, with what the person may do there. */
  readonly volumes: ReadonlyArray<{ readonly volume: string; readonly rights: string }>;
  /** How many devices of theirs are admitted. */
  readonly devices: number;
}

export interface RemovedPerson {
  /** How many devices are admitted no longer. */
  readonly devices: number;
  /** Volumes that were theirs. They stay, and are nobody's. */
  readonly volumes: readonly string[];
}

/** Null: there is none of that name. */
export function personNamed(database: Sqlite, name: string): number | null {
  const row = database
    .prepare<[string], number>('SELECT id FROM user WHERE name = ? AND removed_ms IS NULL')
    .pluck()
    .get(name);
  return row ?? null;
}

/** In the order in which they were added. */
export function listPeople(database: Sqlite): ListedPerson[] {
  const rows = database
    .prepare<[], { id: number; name: string; home: string | null; devices: number }>(
      'SELECT user.id, user.name, volume.name AS home, (SELECT count(*) FROM device' +
        ' WHERE device.user = user.id AND revoked_ms IS NULL) AS devices' +
        ' FROM user LEFT JOIN volume ON volume.id = user.home AND volume.removed_ms IS NULL' +
        ' WHERE user.removed_ms IS NULL ORDER BY user.id',
    )
    .all();
  const seen = database.prepare<[number], { volume: string; rights: string }>(
    'SELECT volume.name AS volume, rights FROM access JOIN volume ON volume.id = access.volume' +
      ' WHERE user = ? AND volume.removed_ms IS NULL ORDER BY volume.name',
  );
  return rows.map(({ id, ...row }) => ({ ...row, volumes: seen.all(id) }));
}

/** Adds a person without rights, unless there is one of that name. Gives the number. In a transaction of the caller. */
export function makePerson(database: Sqlite, name: string): number {
  database.prepare('INSERT OR IGNORE INTO user (name) VALUES (?)').run(name);
  const row = database
    .prepare<[string], { id: number; removed: number | null }>(
      'SELECT id, removed_ms AS removed FROM user WHERE name = ?',
    )
    .get(name) as { id: number; removed: number | null };
  if (row.removed !== null) {
    // A device of before may have been paired in the moment of the removal.
    dropAll(database, row.id, row.removed);
    database.prepare('UPDATE user SET removed_ms = NULL WHERE id = ?').run(row.id);
  }
  return row.id;
}

/** A volume that bears the name of a person and is not theirs: it is in the way of their home. */
export interface VolumeInTheWay {
  readonly volume: string;
  /** Whose it is; null: nobody's. */
  readonly owner: string | null;
  readonly isRemoved: boolean;
}

/** Gives what is in the way of a home of their name; null: nothing is. Throws GodwitError `exists`. */
export function addPerson(database: Sqlite, name: string): VolumeInTheWay | null {
  return inOne(database, () => {
    refuseTaken(database, name);
    makePerson(database, name);
    return volumeInTheWay(database, name);
  });
}

function volumeInTheWay(database: Sqlite, name: string): VolumeInTheWay | null {
  const row = database
    .prepare<[string], { owner: string | null; removed: number | null }>(
      'SELECT user.name AS owner, volume.removed_ms AS removed' +
        ' FROM volume LEFT JOIN user ON user.id = volume.owner WHERE volume.name = ?',
    )
    .get(name);
  if (row === undefined || row.owner === name) return null;
  return { volume: name, owner: row.owner, isRemoved: row.removed !== null };
}

/** How a person gets to a volume of their name that is not theirs, or past it: what is in it may be another's of that name. */
export function pastVolume(name: string): string {
  const word = shellWord(name);
  return (
    `\`godwit server invite ${word} --volume ${word}\` lets them into it;` +
    ` for a new one, rename that first: \`godwit server volume rename ${word} OTHER\``
  );
}

/** Throws GodwitError `not-found`, `exists`. */
export function renamePerson(database: Sqlite, name: string, to: string): void {
  inOne(database, () => {
    const id = personOf(database, name);
    if (name === to) return;
    refuseTaken(database, to, name);
    leaveName(database, to);
    database.prepare('UPDATE user SET name = ? WHERE id = ?').run(to, id);
  });
}

/** Somebody of that name was removed: the name is free, and the row of before keeps another that nobody has. */
function leaveName(database: Sqlite, name: string): void {
  const names = database.prepare<[], string>('SELECT name FROM user').pluck().all();
  const other = freeDeviceName(withSuffix(name, ' (removed)'), names);
  database.prepare('UPDATE user SET name = ? WHERE name = ?').run(other, name);
}

/** Their devices are revoked for good, and open invitations end. A running server sees it within ACCESS_POLL. Throws GodwitError `not-found`. */
export function removePerson(database: Sqlite, name: string, now: WallTime): RemovedPerson {
  return inOne(database, () => {
    const id = personOf(database, name);
    const volumes = database
      .prepare<[number], string>(
        'SELECT name FROM volume WHERE owner = ? AND removed_ms IS NULL ORDER BY name',
      )
      .pluck()
      .all(id);
    const devices = dropAll(database, id, now);
    database.prepare('UPDATE user SET removed_ms = ?, home = NULL WHERE id = ?').run(now, id);
    database.prepare('UPDATE volume SET owner = NULL WHERE owner = ?').run(id);
    return { devices, volumes };
  });
}

/** Volumes in which this person may write, if nobody else may write in any; else none. Throws GodwitError `not-found`. */
export function volumesLeftBy(database: Sqlite, name: string): string[] {
  const id = personOf(database, name);
  const writes = database
    .prepare<[], { user: number; volume: string }>(
      'SELECT user, volume.name AS volume FROM access JOIN volume ON volume.id = access.volume' +
        " WHERE rights = 'write' AND volume.removed_ms IS NULL ORDER BY volume.name",
    )
    .all();
  return writes.every(({ user }) => user === id) ? writes.map(({ volume }) => volume) : [];
}

/** Gives how many devices were admitted until now. */
function dropAll(database: Sqlite, id: number, when: number): number {
  const revoke = 'UPDATE device SET revoked_ms = ? WHERE user = ? AND revoked_ms IS NULL';
  const { changes } = database.prepare(revoke).run(when, id);
  const statements = new Statements(database);
  dropPrincipal(statements, { kind: 'person', id });
  database.prepare('UPDATE team SET owner = NULL WHERE owner = ?').run(id);
  database.prepare('DELETE FROM access WHERE user = ?').run(id);
  // Not dropped: one may be used in this moment.
  const end = 'UPDATE invitation SET expires_ms = ? WHERE user = ? AND expires_ms > ?';
  database.prepare(end).run(when, id, when);
  return changes;
}

function personOf(database: Sqlite, name: string): number {
  const id = personNamed(database, name);
  if (id !== null) return id;
  throw noSuchPerson(name);
}

/** Names the command that makes one. */
export function noSuchPerson(name: string): GodwitError {
  const remedy = 'see `godwit server user ls`; `godwit server user add NAME` adds one';
  return new GodwitError('not-found', `there is no user ${name}`, remedy);
}

/** Nobody tells names apart that look alike; those that are there already go on. `own`: of who is renamed. Throws GodwitError `exists`. */
export function refuseTaken(database: Sqlite, name: string, own: string | null = null): void {
  const alike = database
    .prepare<[], string>('SELECT name FROM user WHERE removed_ms IS NULL ORDER BY id')
    .pluck()
    .all()
    .find((each) => each !== own && isSameDeviceName(each, name));
  if (alike === undefined) return;
  const why =
    alike === name
      ? `there is a user ${name} already`
      : `${name}: there is a user ${alike}, and nobody tells these two apart`;
  throw new GodwitError('exists', why, 'choose another name');
}

function inOne<T>(database: Sqlite, work: () => T): T {
  return database.transaction(work).immediate();
}
