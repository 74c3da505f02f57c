/**
 * Access lists and teams in the database, and the table `access`, which is what comes of them: so a Hello reads one row for each volume, however long the
 * lists are. It is written anew in the transaction of each change, and by nothing else.
 */
import {
  effectiveRights,
  toldRights,
  unusual,
  type AccessEntry,
  type AccessPicture,
  type MadeVolume,
  type Principal,
  type RightSet,
  type Team,
} from '../../../shared/model/access-list.ts';
import type { Rights } from '../../../shared/model/change.ts';
import {
  decideAccess,
  type AccessAnswer,
  type AccessQuestion,
  type AccessWrite,
  type Asker,
} from '../../../shared/model/decide-access.ts';
import type { VolumeId } from '../../../shared/model/fid.ts';
import type { Statements } from './statements.ts';

interface AccessRow {
  readonly user: number;
  readonly volume: VolumeId;
  readonly rights: Rights;
  readonly may: RightSet | null;
}

const PEOPLE = 'SELECT id, name FROM user WHERE removed_ms IS NULL ORDER BY id';
const TEAMS = 'SELECT id, name, owner, off FROM team ORDER BY id';
const MEMBERS = 'SELECT team, kind, member AS id FROM team_member ORDER BY team, kind, member';
const ENTRIES =
  'SELECT volume, kind, principal AS id, negative, rights, given_by AS "by" FROM access_entry' +
  ' ORDER BY volume, kind, principal, negative';
const MADE =
  'SELECT id AS volume, name, owner AS "by", made AS nonce FROM volume' +
  ' WHERE made IS NOT NULL AND owner IS NOT NULL ORDER BY id';

/** All that decides about access. In a transaction of the caller. */
export function accessPicture(statements: Statements): AccessPicture {
  const members = statements.all<Principal & { team: number }>(MEMBERS);
  const teams = statements
    .all<Omit<Team, 'isOff' | 'members'> & { off: number }>(TEAMS)
    .map(({ off, ...team }) => ({
      ...team,
      isOff: off !== 0,
      members: members
        .filter((each) => each.team === team.id)
        .map(({ kind, id }) => ({ kind, id })),
    }));
  const entries = statements
    .all<Principal & { volume: VolumeId; negative: number; rights: RightSet; by: number | null }>(
      ENTRIES,
    )
    .map(({ kind, id, negative, by, ...row }) => {
      const given = { ...row, ...(by === null ? {} : { by }) };
      return { ...given, principal: { kind, id }, negative: negative !== 0 } satisfies AccessEntry;
    });
  const made = statements.all<MadeVolume>(MADE);
  return { people: statements.all(PEOPLE), teams, entries, made };
}

/** Decides, and does what was decided. In a transaction of the caller. */
export function askAccess(
  statements: Statements,
  question: AccessQuestion,
  asker: Asker,
): AccessAnswer {
  const answer = decideAccess(accessPicture(statements), question, asker);
  if (answer.answer === 'done') {
    for (const write of answer.writes) writeAccess(statements, write);
    settleAccess(statements);
  }
  return answer;
}

/** The person may do this in the volume, besides what they might before. In a transaction of the caller. */
export function giveAccess(
  statements: Statements,
  { user, volume, rights }: { user: number; volume: VolumeId; rights: RightSet },
): void {
  statements.run(
    "INSERT INTO access_entry VALUES (?, 'person', ?, 0, ?, NULL)" +
      ' ON CONFLICT DO UPDATE SET rights = rights | excluded.rights',
    ...[volume, user, rights],
  );
  settleAccess(statements);
}

function writeAccess(statements: Statements, write: AccessWrite): void {
  switch (write.what) {
    case 'entry': {
      const { volume, principal, negative, rights, by = null } = write;
      const key = [volume, principal.kind, principal.id, Number(negative)];
      statements.run(
        rights === 0
          ? 'DELETE FROM access_entry WHERE volume = ? AND kind = ? AND principal = ? AND negative = ?'
          : 'INSERT OR REPLACE INTO access_entry VALUES (?, ?, ?, ?, ?, ?)',
        ...(rights === 0 ? key : [...key, rights, by]),
      );
      return;
    }
    case 'team': {
      const { name, owner, isOff } = write.team;
      const values = [name, owner, Number(isOff)];
      if (write.id === null) {
        statements.run('INSERT INTO team (name, owner, off) VALUES (?, ?, ?)', ...values);
      } else {
        statements.run(
          'UPDATE team SET name = ?, owner = ?, off = ? WHERE id = ?',
          ...[...values, write.id],
        );
      }
      return;
    }
    case 'volume':
      // It is made with its root (make-shared.ts).
      return;
    case 'no-team':
      dropPrincipal(statements, { kind: 'team', id: write.id });
      statements.run('DELETE FROM team_member WHERE team = ?', write.id);
      statements.run('DELETE FROM team WHERE id = ?', write.id);
      return;
    case 'member': {
      const row = [write.team, write.member.kind, write.member.id];
      statements.run(
        write.isIn
          ? 'INSERT OR IGNORE INTO team_member VALUES (?, ?, ?)'
          : 'DELETE FROM team_member WHERE team = ? AND kind = ? AND member = ?',
        ...row,
      );
      return;
    }
  }
}

/** No list and no team names them any more. In a transaction of the caller, who settles. */
export function dropPrincipal(statements: Statements, { kind, id }: Principal): void {
  statements.run('DELETE FROM access_entry WHERE kind = ? AND principal = ?', kind, id);
  statements.run('DELETE FROM team_member WHERE kind = ? AND member = ?', kind, id);
}

/** Writes what comes of all lists: rows that stay as they are aren't touched. In a transaction of the caller. */
export function settleAccess(statements: Statements): void {
  const keyOf = ({ user, volume }: AccessRow): string => `${user} ${volume}`;
  const rows = statements.all<AccessRow>('SELECT user, volume, rights, may FROM access');
  const before = new Map(rows.map((row) => [keyOf(row), row]));
  for (const row of rowsOf(accessPicture(statements))) {
    const was = before.get(keyOf(row));
    before.delete(keyOf(row));
    if (was?.rights === row.rights && was.may === row.may) continue;
    const values = [row.user, row.volume, row.rights, row.may];
    statements.run('INSERT OR REPLACE INTO access VALUES (?, ?, ?, ?)', ...values);
  }
  for (const { user, volume } of before.values()) {
    statements.run('DELETE FROM access WHERE user = ? AND volume = ?', user, volume);
  }
}

function rowsOf(picture: AccessPicture): AccessRow[] {
  return picture.people.flatMap(({ id: user }) =>
    [...effectiveRights(picture, user)].flatMap(([volume, set]) => {
      const rights = toldRights(set);
      return rights === null ? [] : [{ user, volume, rights, may: unusual(set) ?? null }];
    }),
  );
}
