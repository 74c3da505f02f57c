/**
 * Access lists of volumes, and what comes of them. A list has rows: a person or a team, rights, and whether they are given or denied. A team is a named
 * set of people and of other teams; one that is switched off counts as empty.
 *
 * Effective rights are what all rows give that name a person, or a team that the person is in, without what such rows deny. They are worked out here and
 * nowhere else.
 */
import type { Rights } from './change.ts';
import type { VolumeId } from './fid.ts';
import type { Update } from './update.ts';

/** What a row may give or deny, in the order in which people read it. */
export const ACCESS_RIGHTS = [
  'lookup',
  'read',
  'insert',
  'delete',
  'write',
  'lock',
  'administer',
] as const;
export type AccessRight = (typeof ACCESS_RIGHTS)[number];

/** A set of rights: one bit for each, in the order of ACCESS_RIGHTS. */
export type RightSet = number;

/** The set of these rights. */
export const rightSet = (rights: readonly AccessRight[]): RightSet =>
  rights.reduce((set, right) => set | (1 << ACCESS_RIGHTS.indexOf(right)), 0);

/** The rights of a set, in the order of ACCESS_RIGHTS. */
export const rightsIn = (set: RightSet): AccessRight[] =>
  ACCESS_RIGHTS.filter((right) => has(set, right));

/** Whether the right is in the set. */
export const has = (set: RightSet, right: AccessRight): boolean => (set & rightSet([right])) !== 0;

/** What people call the usual sets. */
export const USUAL_SETS = {
  read: rightSet(['lookup', 'read']),
  write: rightSet(['lookup', 'read', 'insert', 'delete', 'write', 'lock']),
  admin: rightSet(ACCESS_RIGHTS),
} as const;

const SEES = USUAL_SETS.read;
const CHANGES = rightSet(['insert', 'delete', 'write']);

/** How many teams are in one another at most. */
export const MAX_TEAM_DEPTH = 8;

/** Volumes that one person sees: a Hello tells of all. */
export const MAX_VOLUMES_SEEN = 256;

/** Rows of one list, and members of one team: all fit one message. */
export const MAX_ACCESS_ENTRIES = 1000;
export const MAX_TEAM_MEMBERS = 1000;
/** Teams of a server: a list of them fits one message. */
export const MAX_TEAMS = 1000;
/** Volumes that one person has made to share them: each costs the server a root and a state in memory. */
export const MAX_VOLUMES_MADE = 64;

/** A person or a team, by number. */
export interface Principal {
  readonly kind: 'person' | 'team';
  readonly id: number;
}

/** A row of a list: for each volume, principal and sign one at most. */
export interface AccessEntry {
  readonly volume: VolumeId;
  readonly principal: Principal;
  /** It denies these rights, whatever others give. */
  readonly negative: boolean;
  readonly rights: RightSet;
  /** The number of the person who gave it; left out: nobody at a laptop did. */
  readonly by?: number;
}

/** A volume that a person has made at a laptop, to share it. */
export interface MadeVolume {
  readonly volume: VolumeId;
  readonly name: string;
  readonly by: number;
  /** Tells it from other ones of that person: who asks again gets the same volume. */
  readonly nonce: string;
}

export interface Team {
  readonly id: number;
  readonly name: string;
  /** The number of the person who may change it; null: only who runs the server. */
  readonly owner: number | null;
  /** It is switched off, and counts as empty. */
  readonly isOff: boolean;
  readonly members: readonly Principal[];
}

/** All that decides about access on a server. */
export interface AccessPicture {
  /** Those who were not removed. */
  readonly people: ReadonlyArray<{ readonly id: number; readonly name: string }>;
  readonly teams: readonly Team[];
  readonly entries: readonly AccessEntry[];
  readonly made?: readonly MadeVolume[];
}

/** Whether both are the same person or team. */
export const isSame = (one: Principal, other: Principal): boolean =>
  one.kind === other.kind && one.id === other.id;

/** The teams that a person is in, by numbers: also by way of other teams. A team that is switched off lets nobody in, and nobody through. */
export function teamsOf(teams: readonly Team[], person: number): ReadonlySet<number> {
  const found = new Set<number>();
  let before: Principal[] = [{ kind: 'person', id: person }];
  for (let depth = 0; depth < MAX_TEAM_DEPTH && before.length > 0; depth++) {
    const here = before;
    const next = teams.filter(
      ({ id, isOff, members }) =>
        !isOff && !found.has(id) && members.some((each) => here.some((one) => isSame(one, each))),
    );
    for (const { id } of next) found.add(id);
    before = next.map(({ id }) => ({ kind: 'team', id }));
  }
  return found;
}

/** How many teams are in one another; more than MAX_TEAM_DEPTH where one is in itself. */
export function depthOfTeams(teams: readonly Team[]): number {
  const above = (ids: ReadonlySet<number>): Set<number> => {
    const isIn = (member: Principal): boolean => member.kind === 'team' && ids.has(member.id);
    return new Set(teams.filter(({ members }) => members.some(isIn)).map(({ id }) => id));
  };
  let level: ReadonlySet<number> = new Set(teams.map(({ id }) => id));
  let depth = 0;
  for (; level.size > 0 && depth <= MAX_TEAM_DEPTH; depth++) level = above(level);
  return depth;
}

/** What the person may do in each volume in which that is anything. */
export function effectiveRights(
  { teams, entries }: Pick<AccessPicture, 'teams' | 'entries'>,
  person: number,
): ReadonlyMap<VolumeId, RightSet> {
  const within = teamsOf(teams, person);
  const [given, denied] = [new Map<VolumeId, RightSet>(), new Map<VolumeId, RightSet>()];
  for (const { volume, principal, negative, rights } of entries) {
    const isTheirs =
      principal.kind === 'person' ? principal.id === person : within.has(principal.id);
    if (!isTheirs) continue;
    const sets = negative ? denied : given;
    sets.set(volume, (sets.get(volume) ?? 0) | rights);
  }
  const left = [...given].map(
    ([volume, set]) => [volume, set & ~(denied.get(volume) ?? 0)] as const,
  );
  return new Map(left.filter(([, set]) => set !== 0));
}

/** What a device is told of a set; null: to it there is no such volume. Who lacks one of `lookup` and `read` sees nothing of it. */
export function toldRights(set: RightSet): Rights | null {
  if ((set & SEES) !== SEES) return null;
  return (set & CHANGES) === 0 ? 'read' : 'write';
}

/** What the set allows beyond the usual meaning of what a device is told, or short of it; undefined: just that. `administer` is nothing that a device does. */
export function unusual(set: RightSet): RightSet | undefined {
  const does = set & ~rightSet(['administer']);
  const told = toldRights(set);
  return told === null || does === USUAL_SETS[told] ? undefined : does;
}

/** The rights that an update takes: to make and to remove names, and to change what is there. */
export function neededFor(update: Update): readonly AccessRight[] {
  switch (update.op) {
    case 'create':
    case 'mkdir':
    case 'symlink':
    case 'link':
      return ['insert'];
    case 'remove':
    case 'rmdir':
      return ['delete'];
    case 'rename':
      return ['insert', 'delete'];
    case 'setattr':
    case 'store':
      return ['write'];
  }
}

/** `read`, `write` or `admin`, or the rights with commas between. */
export function rightsText(set: RightSet): string {
  const usual = Object.entries(USUAL_SETS).find(([, each]) => each === set);
  return usual === undefined ? rightsIn(set).join(',') : usual[0];
}

/** Null: it is neither a usual set nor a list of rights. */
export function parseRights(text: string): RightSet | null {
  const usual = Object.entries(USUAL_SETS).find(([name]) => name === text);
  if (usual !== undefined) return usual[1];
  const named = text.split(',').map((each) => ACCESS_RIGHTS.find((right) => right === each));
  return named.includes(undefined) ? null : rightSet(named as AccessRight[]);
}
