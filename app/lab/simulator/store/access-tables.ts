/** Access lists and teams of the MetaStore in memory: rows of people are in the table of rights, others in one of their own. */
import {
  effectiveRights,
  toldRights,
  unusual,
  USUAL_SETS,
  type AccessPicture,
  type RightSet,
} from '../../../../shared/model/access-list.ts';
import {
  decideAccess,
  withWrites,
  type AccessAnswer,
  type AccessQuestion,
  type AccessWrite,
  type Asker,
} from '../../../../shared/model/decide-access.ts';
import type { VolumeId } from '../../../../shared/model/fid.ts';
import type { Access } from '../../../../shared/model/stored.ts';
import type { GivenRights } from './decided-access.ts';
import type { RightsRow, Tables } from './plain-tables.ts';

/** All that decides about access. */
export function pictureOf({ users, rights, lists, volumes }: Tables): AccessPicture {
  const given = [...rights.values()].map(({ user, volume, rights: told, set, by }) => ({
    volume,
    principal: { kind: 'person' as const, id: user },
    negative: false,
    rights: set ?? USUAL_SETS[told],
    ...(by === undefined ? {} : { by }),
  }));
  const made = [...volumes.values()].flatMap(({ id, name, made: how }) =>
    how === undefined ? [] : [{ volume: id, name, ...how }],
  );
  return {
    people: [...users].map(([id, name]) => ({ id, name })),
    teams: lists.teams,
    entries: [...given, ...lists.entries],
    made,
  };
}

/** What a person's devices may use, in the order of volumes. */
export function accessIn(tables: Tables, user: number): Access[] {
  const found = [...effectiveRights(pictureOf(tables), user)].flatMap(([volume, set]): Access[] => {
    const rights = toldRights(set);
    if (rights === null) return [];
    const { name = '', isRemoved = false } = tables.volumes.get(volume) ?? {};
    const may = unusual(set);
    const more = may === undefined ? {} : { may };
    return [{ volume, name, rights, ...more, ...(isRemoved ? { isRemoved } : {}) }];
  });
  return found.sort((a, b) => a.volume - b.volume);
}

/** What each person may do in each volume. */
export function givenIn(tables: Tables): GivenRights[] {
  const picture = pictureOf(tables);
  return picture.people.flatMap(({ id: person }) =>
    [...effectiveRights(picture, person)].map(([volume, rights]) => ({ person, volume, rights })),
  );
}

/** Decides a question, and does what was decided. */
export function askTables(tables: Tables, question: AccessQuestion, asker: Asker): AccessAnswer {
  const before = pictureOf(tables);
  const answer = decideAccess(before, question, asker);
  if (answer.answer !== 'done') return answer;
  const { teams, entries } = withWrites(before, answer.writes);
  const { rights, lists } = tables;
  rights.clear();
  lists.entries.length = 0;
  for (const entry of entries) {
    const { principal, volume, negative, rights: set, by } = entry;
    if (principal.kind === 'team' || negative) lists.entries.push(entry);
    else {
      const row = rightsRow(principal.id, volume, set);
      rights.set(`${principal.id} ${volume}`, { ...row, ...(by === undefined ? {} : { by }) });
    }
  }
  lists.teams.splice(0, lists.teams.length, ...teams, ...answer.writes.flatMap(madeIn(tables)));
  return answer;
}

/** The row of a person that says this. */
export function rightsRow(user: number, volume: VolumeId, set: RightSet): RightsRow {
  const told = toldRights(set) ?? 'read';
  return { user, volume, rights: told, ...(set === USUAL_SETS[told] ? {} : { set }) };
}

const madeIn =
  ({ lists }: Tables) =>
  (write: AccessWrite) => {
    if (write.what !== 'team' || write.id !== null) return [];
    return [{ ...write.team, id: ++lists.lastTeam, members: [] }];
  };
