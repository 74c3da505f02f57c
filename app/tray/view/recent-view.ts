/** The files that moved last, one line each. */
import type { RecentFile, StatusSnapshot } from '../../../shared/control/snapshot.ts';
import { GROUPS_FOLDER } from '../../../shared/model/file-group.ts';
import { agoText } from './ago.ts';
import { timeOf } from './clock.ts';
import { fileKind, type FileKind } from './file-kind.ts';
import { lineText, splitPath } from './format.ts';
import { TEXT } from './text.ts';

export interface RecentRow {
  /** The same for the same move of the same file. */
  readonly key: string;
  readonly volume: string;
  readonly path: string;
  readonly name: string;
  readonly folder: string;
  readonly icon: FileKind;
  readonly how: RecentFile['how'];
  /** Such as `from laptop-b, 2 min ago`. */
  readonly what: string;
}

/** By the key of a row: which laptop a file came from, as far as that is known. */
export type Senders = ReadonlyMap<string, string>;

export const recentKey = ({ volume, path, when }: RecentFile): string =>
  `${volume}/${path} ${when}`;

/** Groups are files of their own folder, which nobody sees. */
const isOfPeople = ({ path }: RecentFile): boolean => !path.startsWith(`${GROUPS_FOLDER}/`);

/** Newest first. `now`: milliseconds since 1970. */
export function recentRows(
  { recent = [] }: StatusSnapshot,
  senders: Senders,
  now: number,
): RecentRow[] {
  return recent.filter(isOfPeople).map((file) => {
    const { name, folder } = splitPath(file.path);
    const key = recentKey(file);
    return {
      ...{ key, volume: file.volume, path: file.path, how: file.how },
      ...{ name: lineText(name), folder: lineText(folder), icon: fileKind(name) },
      what: whatText(file, senders.get(key) ?? null, now),
    };
  });
}

function whatText({ how, when }: RecentFile, sender: string | null, now: number): string {
  const ago = agoText(timeOf(when), now);
  if (how === 'sent') return TEXT.home.sent(ago);
  return sender === null ? TEXT.home.received(ago) : TEXT.home.from(lineText(sender), ago);
}

/** When and where the last change was made; '' where none is known. */
export function lastChange({ recent = [] }: StatusSnapshot, senders: Senders, now: number): string {
  const last = recent.find(isOfPeople);
  const when = timeOf(last?.when ?? '');
  if (last === undefined || Number.isNaN(when)) return '';
  const who = last.how === 'sent' ? TEXT.home.thisLaptop : senders.get(recentKey(last));
  const ago = agoText(when, now);
  return who === undefined ? TEXT.home.lastChange(ago) : TEXT.home.lastChangeBy(ago, lineText(who));
}
