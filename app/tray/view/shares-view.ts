/** What people share with one another, in words: members of a folder, offers, and what a mount point shows. */
import type { AccessReport, Share } from '../../../shared/control/access.ts';
import type { FolderRow } from '../../../shared/control/folder.ts';
import type { VolumeStatus } from '../../../shared/control/snapshot.ts';
import { has, rightsText, USUAL_SETS, type RightSet } from '../../../shared/model/access-list.ts';
import type { ListedEntry } from '../../../shared/model/decide-access.ts';
import { labelOf } from '../../../shared/model/shared-name.ts';
import { lineText } from './format.ts';
import { TEXT } from './text.ts';

/** What a person chooses from. */
export const RIGHTS = ['read', 'write', 'admin'] as const;
export type Right = (typeof RIGHTS)[number];

/** What is known of all that this person may see. */
export interface KnownShares {
  readonly person: string;
  readonly shares: readonly KnownShare[];
}

/** `entries`: who uses it; left out: that was not asked, or not told. */
export interface KnownShare extends Share {
  readonly entries?: readonly ListedEntry[];
}

type Named = Pick<ListedEntry, 'kind' | 'name'>;

/** Null: the set is none of the usual ones. */
export const rightOf = (set: RightSet): Right | null =>
  RIGHTS.find((right) => USUAL_SETS[right] === set) ?? null;

/** A team has a sign before its name. */
export const whoShown = ({ kind, name }: Named): string =>
  kind === 'team' ? TEXT.shares.team(lineText(name)) : lineText(name);

/** `ann`, or `@crew`; null: nobody is named. */
export function whoTyped(text: string): Named | null {
  const typed = text.trim();
  const isTeam = typed.startsWith('@');
  const name = isTeam ? typed.slice(1) : typed;
  return name === '' ? null : { kind: isTeam ? 'team' : 'person', name };
}

export interface MemberLine {
  readonly key: string;
  readonly row: ListedEntry;
  readonly who: string;
  /** What they may do, or may not. */
  readonly may: string;
  /** Null: the set is none that can be chosen. */
  readonly right: Right | null;
  readonly canChange: boolean;
}

/** This person first, then people and teams as the server lists them. */
export function memberLines({ entries, own }: AccessReport, person: string): MemberLine[] {
  const mayShare = has(own, 'administer');
  const isSelf = ({ kind, name }: Named): boolean => kind === 'person' && name === person;
  const lines = entries.map((row): MemberLine => {
    const { kind, name, negative, rights } = row;
    return {
      key: `${kind} ${name} ${negative}`,
      row,
      who: isSelf(row) ? TEXT.shares.you : whoShown(row),
      may: negative ? TEXT.shares.mayNot(rightsText(rights)) : mayText(rights),
      right: negative ? null : rightOf(rights),
      canChange: mayShare && !isSelf(row),
    };
  });
  return [...lines.filter(({ row }) => isSelf(row)), ...lines.filter(({ row }) => !isSelf(row))];
}

/** After a name. */
export function mayText(rights: RightSet): string {
  const right = rightOf(rights);
  return right === null ? TEXT.shares.mayThese(rightsText(rights)) : TEXT.shares.may(right);
}

export interface Offer {
  readonly volume: string;
  /** As its maker called it. */
  readonly name: string;
  readonly says: string;
  readonly may: string;
}

/** What was given to this person and is shown nowhere in the folder. Without a folder nobody knows where it is shown: then there is no offer. */
export function offersOf({ shares }: KnownShares): Offer[] {
  if (!shares.some(({ isFolder }) => isFolder)) return [];
  return shares.flatMap(({ volume, by, path, isFolder, own }) => {
    if (by === null || path !== null || isFolder) return [];
    const right = rightOf(own);
    return [
      {
        volume,
        name: lineText(labelOf(volume)),
        says: TEXT.shares.offered(lineText(by)),
        may:
          right === null
            ? TEXT.shares.offeredThese(rightsText(own))
            : TEXT.shares.offeredMay[right],
      },
    ];
  });
}

/** The names of a place that was typed, from the root of the folder. */
export const placeTyped = (text: string): string[] =>
  text.split('/').filter((name) => name.trim() !== '');

export interface MountLine {
  readonly sign: 'shared' | 'shut';
  readonly says: string;
}

/** What a mount point shows, and to whom; null: the row is none. `known` null: not known yet, or the server can't tell. */
export function mountLine(
  { mounted }: Pick<FolderRow, 'mounted'>,
  known: KnownShares | null,
  volumes: readonly VolumeStatus[],
): MountLine | null {
  if (mounted === undefined) return null;
  const { volume, why } = mounted;
  const words = TEXT.shares;
  if (volume === null) {
    return { sign: 'shut', says: why === null ? words.shut : words.shutWhy(lineText(why)) };
  }
  const share = known?.shares.find((each) => each.volume === volume);
  const isReadOnly = volumes.find(({ name }) => name === volume)?.rights === 'read';
  const who = whoseText(volume, share, known?.person ?? '');
  return { sign: 'shared', says: isReadOnly ? `${who}, ${words.readOnly}` : who };
}

function whoseText(volume: string, share: KnownShare | undefined, person: string): string {
  const words = TEXT.shares;
  if (share !== undefined && share.by !== null) return words.by(lineText(share.by));
  const others = (share?.entries ?? []).filter(
    ({ kind, name, negative }) => !negative && !(kind === 'person' && name === person),
  );
  const [first, second] = others.map(whoShown);
  if (first === undefined) return words.volume(lineText(volume));
  if (second === undefined) return words.with(first);
  return others.length === 2 ? words.with(words.and(first, second)) : words.withMany(others.length);
}

/** Who has given it; null: it can't be left, for nobody gave it. */
export function givenBy(
  { mounted }: Pick<FolderRow, 'mounted'>,
  known: KnownShares | null,
): string | null {
  const volume = mounted?.volume ?? null;
  return known?.shares.find((share) => share.volume === volume)?.by ?? null;
}
