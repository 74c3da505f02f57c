/**
 * Who may change access lists and teams, and what a change does. One function decides for all who ask: people at their laptops, and who runs the server.
 *
 * Invariants
 * 1. A list is changed by who may `administer` its volume, a team by its owner; both by who runs the server.
 * 2. A volume that somebody may administer has such a person after a change too, unless who runs the server says that this is meant.
 * 3. No team is in itself, and no more than MAX_TEAM_DEPTH are in one another.
 * 4. A refusal names only what who asks may see.
 * 5. Nobody sees more volumes than a Hello tells of, by a change.
 * 6. A volume is made by who administers the one that its folder is in. What the maker may not see decides nothing, so it can't be told by that.
 */
import {
  depthOfTeams,
  effectiveRights,
  has,
  isSame,
  MAX_ACCESS_ENTRIES,
  MAX_TEAM_DEPTH,
  MAX_TEAM_MEMBERS,
  MAX_TEAMS,
  MAX_VOLUMES_MADE,
  MAX_VOLUMES_SEEN,
  teamsOf,
  toldRights,
  unusual,
  USUAL_SETS,
  type AccessEntry,
  type AccessPicture,
  type Principal,
  type RightSet,
  type Team,
} from './access-list.ts';
import type { Rights } from './change.ts';
import type { VolumeId } from './fid.ts';
import { sharedNameFault } from './shared-name.ts';
import type { WallTime } from './time.ts';

/** What is asked for. Names of teams come without the sign before them. */
export type AccessQuestion =
  | { readonly ask: 'list'; readonly volume: VolumeId }
  | {
      /** The row is as this says from now on; no rights: there is none. */
      readonly ask: 'set';
      readonly volume: VolumeId;
      readonly kind: Principal['kind'];
      readonly name: string;
      readonly negative: boolean;
      readonly rights: RightSet;
    }
  /** The volumes that who asks may see, and who gave them. */
  | { readonly ask: 'shares' }
  | {
      /** A volume for a folder of this one, whose quota it gets. */
      readonly ask: 'make-volume';
      readonly volume: VolumeId;
      readonly label: string;
      readonly nonce: string;
      readonly when: WallTime;
    }
  /** Who asks gives up what their own row gives. */
  | { readonly ask: 'leave'; readonly volume: VolumeId }
  /** Those of who asks; or one, with its members. */
  | { readonly ask: 'teams'; readonly team: string | null }
  | { readonly ask: 'make-team'; readonly team: string; readonly owner?: string }
  | { readonly ask: 'end-team'; readonly team: string }
  | { readonly ask: 'switch-team'; readonly team: string; readonly isOff: boolean }
  | {
      readonly ask: 'member';
      readonly team: string;
      readonly kind: Principal['kind'];
      readonly name: string;
      readonly isIn: boolean;
    };

/** Who asks: a person, or (null) who runs the server. `isMeant`: a volume may be left without anybody who administers it. */
export interface Asker {
  readonly person: number | null;
  readonly isMeant?: boolean;
}

export interface ListedEntry {
  readonly kind: Principal['kind'];
  readonly name: string;
  readonly negative: boolean;
  readonly rights: RightSet;
}

export interface ListedShare {
  readonly volume: VolumeId;
  readonly own: RightSet;
  /** Who gave it; null: nobody at a laptop, or who asks has made it. */
  readonly by: string | null;
}

export interface ListedTeam {
  readonly name: string;
  /** Null: that of who runs the server. */
  readonly owner: string | null;
  readonly isOff: boolean;
  readonly size: number;
  /** Left out where all teams are listed. */
  readonly members?: ReadonlyArray<Pick<ListedEntry, 'kind' | 'name'>>;
}

export type AccessRefusal =
  | 'no-such-volume'
  | 'not-administrator'
  | 'last-administrator'
  | 'not-found'
  | 'exists'
  | 'team-ring'
  | 'usage';

/** A row to be written. */
export type AccessWrite =
  /** Its number and its name are drawn by who makes it, and what comes is `made`. */
  | ({ readonly what: 'volume'; readonly by: number } & Omit<
      Extract<AccessQuestion, { ask: 'make-volume' }>,
      'ask'
    >)
  | ({ readonly what: 'entry' } & AccessEntry)
  | {
      readonly what: 'team';
      readonly id: number | null;
      readonly team: Omit<Team, 'id' | 'members'>;
    }
  | { readonly what: 'no-team'; readonly id: number }
  | {
      readonly what: 'member';
      readonly team: number;
      readonly member: Principal;
      readonly isIn: boolean;
    };

export type AccessAnswer =
  | {
      readonly answer: 'list';
      /** What who asks may do; of who runs the server: all. */
      readonly own: RightSet;
      readonly entries: readonly ListedEntry[];
    }
  | { readonly answer: 'teams'; readonly teams: readonly ListedTeam[] }
  | { readonly answer: 'shares'; readonly person: string; readonly shares: readonly ListedShare[] }
  | { readonly answer: 'made'; readonly volume: VolumeId; readonly name: string }
  | { readonly answer: 'done'; readonly writes: readonly AccessWrite[] }
  | { readonly answer: 'refused'; readonly code: AccessRefusal; readonly message: string };

type Refused = Extract<AccessAnswer, { answer: 'refused' }>;

const ALL: RightSet = USUAL_SETS.admin;

/** It stands in commands, behind its sign. */
const TEAM_NAME = /^[\p{L}\p{N}][\p{L}\p{N}._-]*$/u;

/** Decides one question on the picture; the writes are for the caller to carry out, in the same transaction. */
export function decideAccess(
  picture: AccessPicture,
  question: AccessQuestion,
  asker: Asker,
): AccessAnswer {
  switch (question.ask) {
    case 'list':
      return listOf(picture, question.volume, asker);
    case 'teams':
      return listTeams(picture, question.team, asker);
    case 'set':
      return set(picture, question, asker);
    case 'make-team':
      return makeTeam(picture, question, asker);
    case 'shares':
      return listShares(picture, asker);
    case 'make-volume':
      return makeVolume(picture, question, asker);
    case 'leave':
      return leave(picture, question.volume, asker);
    default:
      return changeTeam(picture, question, asker);
  }
}

/** The picture as it is after these writes; a team that is made has no number yet, and no members. */
export function withWrites(picture: AccessPicture, writes: readonly AccessWrite[]): AccessPicture {
  let { teams, entries } = picture;
  for (const write of writes) {
    if (write.what === 'entry') {
      const others = entries.filter((each) => !isSameRow(each, write));
      const { volume, principal, negative, rights, by } = write;
      const row = { volume, principal, negative, rights, ...(by === undefined ? {} : { by }) };
      entries = rights === 0 ? others : [...others, row];
    } else if (write.what === 'no-team') {
      const gone: Principal = { kind: 'team', id: write.id };
      entries = entries.filter(({ principal }) => !isSame(principal, gone));
      teams = teams.filter(({ id }) => id !== write.id).map((team) => without(team, gone));
    } else if (write.what === 'team') {
      teams = teams.map((team) => (team.id === write.id ? { ...team, ...write.team } : team));
    } else if (write.what === 'member') {
      const { member, isIn } = write;
      teams = teams.map((team) => {
        if (team.id !== write.team) return team;
        const left = without(team, member);
        return isIn ? { ...left, members: [...left.members, member] } : left;
      });
    }
  }
  return { ...picture, teams, entries };
}

/** What the person may do in the volume when an invitation with these rights is used; null: nothing that shows it, for the list denies that. */
export function onceInvited(
  picture: AccessPicture,
  { user, volume, rights }: { user: number; volume: VolumeId; rights: Rights },
): { readonly rights: Rights; readonly may?: RightSet } | null {
  const row = personRow(volume, user);
  const before = picture.entries.find((entry) => isSameRow(entry, row))?.rights ?? 0;
  const given = { ...row, what: 'entry', rights: before | USUAL_SETS[rights] } as const;
  const set = effectiveRights(withWrites(picture, [given]), user).get(volume) ?? 0;
  const told = toldRights(set);
  const may = unusual(set);
  return told === null ? null : { rights: told, ...(may === undefined ? {} : { may }) };
}

const personRow = (volume: VolumeId, id: number): AccessEntry => {
  return { volume, principal: { kind: 'person', id }, negative: false, rights: 0 };
};

const without = (team: Team, gone: Principal): Team => ({
  ...team,
  members: team.members.filter((each) => !isSame(each, gone)),
});

const isSameRow = (one: AccessEntry, other: AccessEntry): boolean =>
  one.volume === other.volume &&
  one.negative === other.negative &&
  isSame(one.principal, other.principal);

function listOf(picture: AccessPicture, volume: VolumeId, { person }: Asker): AccessAnswer {
  const own = person === null ? ALL : (effectiveRights(picture, person).get(volume) ?? 0);
  if (toldRights(own) === null) return hidden(volume);
  const entries = picture.entries
    .filter((entry) => entry.volume === volume)
    .flatMap(({ principal, negative, rights }) => {
      const name = nameOf(picture, principal);
      return name === null ? [] : [{ kind: principal.kind, name, negative, rights }];
    });
  return { answer: 'list', own, entries: entries.sort(compareListed) };
}

/** People come first, and what is given before what is denied. */
function compareListed(one: ListedEntry, other: ListedEntry): number {
  const text = ({ kind, name, negative }: ListedEntry): string =>
    `${kind}\n${name}\n${negative ? 1 : 0}`;
  return text(one) < text(other) ? -1 : 1;
}

/** Teams that who asks has made or is in: others are not theirs to see. */
function listTeams(picture: AccessPicture, named: string | null, { person }: Asker): AccessAnswer {
  const seen = picture.teams.filter(
    ({ name, owner, members }) =>
      (named === null || name === named) &&
      (person === null ||
        owner === person ||
        members.some((member) => isSame(member, { kind: 'person', id: person }))),
  );
  if (named !== null && seen.length === 0) return nobody('team', named);
  const teams = seen.map(({ name, owner, isOff, members }): ListedTeam => {
    const listed = members.flatMap((member) => {
      const called = nameOf(picture, member);
      return called === null ? [] : [{ kind: member.kind, name: called }];
    });
    return {
      name,
      owner: owner === null ? null : nameOf(picture, { kind: 'person', id: owner }),
      isOff,
      size: listed.length,
      ...(named === null ? {} : { members: listed }),
    };
  });
  return { answer: 'teams', teams: teams.sort((one, other) => (one.name < other.name ? -1 : 1)) };
}

function set(
  picture: AccessPicture,
  question: Extract<AccessQuestion, { ask: 'set' }>,
  asker: Asker,
): AccessAnswer {
  const { volume, kind, name, negative, rights } = question;
  const { person } = asker;
  const own = person === null ? ALL : (effectiveRights(picture, person).get(volume) ?? 0);
  if (toldRights(own) === null) return hidden(volume);
  const principal = principalNamed(picture, kind, name);
  const row = principal === null ? null : { volume, principal, negative, rights };
  const before = picture.entries.filter((entry) => entry.volume === volume);
  // Asked again after a connection that ended: who took their own right is told that it is done.
  const was = row === null ? undefined : before.find((entry) => isSameRow(entry, row));
  if (row !== null && (was?.rights ?? 0) === rights) return { answer: 'done', writes: [] };
  if (!has(own, 'administer')) {
    return refused('not-administrator', 'you may not change who may use this volume');
  }
  if (row === null) return nobody(kind, name);
  if (rights !== 0 && before.length >= MAX_ACCESS_ENTRIES) {
    return refused('usage', `a volume has ${MAX_ACCESS_ENTRIES} rows of access at most`);
  }
  const by = person === null || rights === 0 ? {} : { by: person };
  return checked(picture, [{ what: 'entry', ...row, ...by }], asker);
}

function listShares(picture: AccessPicture, { person }: Asker): AccessAnswer {
  if (person === null) return refused('usage', 'a person asks what is shared with them');
  const within = teamsOf(picture.teams, person);
  const seen = [...effectiveRights(picture, person)].filter(([, own]) => toldRights(own) !== null);
  const shares = seen.map(([volume, own]): ListedShare => {
    const given = picture.entries.filter(
      (entry) => entry.volume === volume && !entry.negative && (entry.by ?? person) !== person,
    );
    const row =
      given.find(({ principal }) => isSame(principal, { kind: 'person', id: person })) ??
      given.find(({ principal }) => principal.kind === 'team' && within.has(principal.id));
    const by = row?.by === undefined ? null : nameOf(picture, { kind: 'person', id: row.by });
    return { volume, own, by };
  });
  const name = nameOf(picture, { kind: 'person', id: person }) ?? '';
  return {
    answer: 'shares',
    person: name,
    shares: shares.sort((one, other) => one.volume - other.volume),
  };
}

function makeVolume(
  picture: AccessPicture,
  { ask: _ask, ...asked }: Extract<AccessQuestion, { ask: 'make-volume' }>,
  { person }: Asker,
): AccessAnswer {
  if (person === null) return refused('usage', 'use `godwit server volume create`');
  const own = effectiveRights(picture, person).get(asked.volume) ?? 0;
  if (toldRights(own) === null) return hidden(asked.volume);
  const made = (picture.made ?? []).filter(({ by }) => by === person);
  const again = made.find(({ nonce }) => nonce === asked.nonce);
  if (again !== undefined) return { answer: 'made', volume: again.volume, name: again.name };
  if (!has(own, 'administer')) {
    return refused('not-administrator', 'you may not share a folder of this volume');
  }
  const fault = sharedNameFault(asked.label);
  if (fault !== null) return refused('usage', `what is shared can not be called so: ${fault}`);
  if (made.length >= MAX_VOLUMES_MADE || seenBy(picture, person) >= MAX_VOLUMES_SEEN) {
    return refused('usage', 'you have made, or see, as many volumes as one person may');
  }
  return { answer: 'done', writes: [{ what: 'volume', by: person, ...asked }] };
}

function leave(picture: AccessPicture, volume: VolumeId, asker: Asker): AccessAnswer {
  const { person } = asker;
  const own = person === null ? 0 : (effectiveRights(picture, person).get(volume) ?? 0);
  if (person === null || toldRights(own) === null) return hidden(volume);
  const row = personRow(volume, person);
  if (!picture.entries.some((entry) => isSameRow(entry, row))) {
    return { answer: 'done', writes: [] };
  }
  return checked(picture, [{ what: 'entry', ...row }], asker);
}

function makeTeam(
  { people, teams }: AccessPicture,
  { team: name, owner: named }: Extract<AccessQuestion, { ask: 'make-team' }>,
  { person }: Asker,
): AccessAnswer {
  if (!TEAM_NAME.test(name)) {
    return refused('usage', 'the name of a team has letters, digits, dots, dashes and underscores');
  }
  if (teams.some((team) => team.name === name)) {
    return refused('exists', `there is a team @${name} already`);
  }
  if (teams.length >= MAX_TEAMS) {
    return refused('usage', `a server has ${MAX_TEAMS} teams at most`);
  }
  const owner = named === undefined ? person : people.find((each) => each.name === named)?.id;
  if (owner === undefined) return nobody('person', named ?? '');
  if (person !== null && owner !== person) {
    return refused('not-administrator', 'a team that you make is yours');
  }
  return {
    answer: 'done',
    writes: [{ what: 'team', id: null, team: { name, owner, isOff: false } }],
  };
}

function changeTeam(
  picture: AccessPicture,
  question: Extract<AccessQuestion, { ask: 'end-team' | 'switch-team' | 'member' }>,
  asker: Asker,
): AccessAnswer {
  const { person } = asker;
  const team = picture.teams.find(({ name }) => name === question.team);
  if (team === undefined) return nobody('team', question.team);
  const { id, name, owner } = team;
  if (person !== null && owner !== person) {
    return refused('not-administrator', `the team @${name} is not yours`);
  }
  if (question.ask === 'end-team') return checked(picture, [{ what: 'no-team', id }], asker);
  if (question.ask === 'switch-team') {
    const { isOff } = question;
    return checked(picture, [{ what: 'team', id, team: { name, owner, isOff } }], asker);
  }
  return changeMember(picture, team, question, asker);
}

function changeMember(
  picture: AccessPicture,
  team: Team,
  { kind, name, isIn }: Extract<AccessQuestion, { ask: 'member' }>,
  asker: Asker,
): AccessAnswer {
  const member = principalNamed(picture, kind, name);
  if (member === null) return nobody(kind, name);
  const isThere = team.members.some((each) => isSame(each, member));
  if (!isIn && !isThere) {
    return refused('not-found', `${shown(kind, name)} is not in the team @${team.name}`);
  }
  if (isIn && !isThere && team.members.length >= MAX_TEAM_MEMBERS) {
    return refused('usage', `a team has ${MAX_TEAM_MEMBERS} members at most`);
  }
  const writes: AccessWrite[] = [{ what: 'member', team: team.id, member, isIn }];
  const after = withWrites(picture, writes);
  if (isIn && depthOfTeams(after.teams) > MAX_TEAM_DEPTH) {
    const why = `@${team.name} would be in itself, or in more than ${MAX_TEAM_DEPTH} teams in one another`;
    return refused('team-ring', why);
  }
  return checked(picture, writes, asker);
}

/** Invariants 2 and 5. */
function checked(
  picture: AccessPicture,
  writes: readonly AccessWrite[],
  { person, isMeant = false }: Asker,
): AccessAnswer {
  const changed = withWrites(picture, writes);
  if (seesTooMany(picture, changed)) {
    return refused('usage', `somebody would see more than ${MAX_VOLUMES_SEEN} volumes`);
  }
  if (isMeant && person === null) return { answer: 'done', writes };
  const after = administered(changed);
  if ([...administered(picture)].every((volume) => after.has(volume))) {
    return { answer: 'done', writes };
  }
  return refused('last-administrator', 'nobody would be left who may change who may use a volume');
}

function seesTooMany(before: AccessPicture, after: AccessPicture): boolean {
  return after.people.some(({ id }) => {
    const count = seenBy(after, id);
    return count > MAX_VOLUMES_SEEN && count > seenBy(before, id);
  });
}

const seenBy = (picture: AccessPicture, person: number): number =>
  [...effectiveRights(picture, person).values()].filter((set) => toldRights(set) !== null).length;

function administered(picture: AccessPicture): Set<VolumeId> {
  const found = new Set<VolumeId>();
  for (const { id } of picture.people) {
    for (const [volume, set] of effectiveRights(picture, id)) {
      if (has(set, 'administer') && toldRights(set) !== null) found.add(volume);
    }
  }
  return found;
}

function principalNamed(
  { people, teams }: AccessPicture,
  kind: Principal['kind'],
  name: string,
): Principal | null {
  const found = (kind === 'person' ? people : teams).find((each) => each.name === name);
  return found === undefined ? null : { kind, id: found.id };
}

function nameOf({ people, teams }: AccessPicture, { kind, id }: Principal): string | null {
  return (kind === 'person' ? people : teams).find((each) => each.id === id)?.name ?? null;
}

const shown = (kind: Principal['kind'], name: string): string =>
  kind === 'team' ? `@${name}` : name;

const nobody = (kind: Principal['kind'], name: string): Refused =>
  refused('not-found', kind === 'team' ? `there is no team @${name}` : `there is no user ${name}`);

const hidden = (volume: VolumeId): Refused =>
  refused('no-such-volume', `this device sees no volume ${volume}`);

const refused = (code: AccessRefusal, message: string): Refused => ({
  answer: 'refused',
  code,
  message,
});
