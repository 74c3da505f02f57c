/** The contents of a folder, the use of the cache, and the results of cache orders, in words and shares. */
import type { CacheReport, CacheUse, KeptBy } from '../../../shared/control/cache.ts';
import { KEPT_BY } from '../../../shared/control/cache.ts';
import type { FolderReport, FolderRow } from '../../../shared/control/folder.ts';
import type { NamedGroup, SuggestedGroup } from '../../../shared/control/groups.ts';
import type { PathQueue } from '../../../shared/control/queue.ts';
import type { CacheAct } from '../../../shared/model/cache.ts';
import { GROUPS_FOLDER } from '../../../shared/model/file-group.ts';
import { compareNames } from './clock.ts';
import { fileKind, type FileKind } from './file-kind.ts';
import { lineText, shareOf } from './format.ts';
import { sizeText } from '../../../shared/util/amounts.ts';
import { TEXT } from './text.ts';

export const SIGNS = [
  ...(['synced', 'sending', 'waiting', 'online', 'always'] as const),
  ...(['conflict', 'problem', 'behind', 'link'] as const),
];
export type Sign = (typeof SIGNS)[number];

/** How a file or folder is: a sign, and the same in words. */
export interface RowState {
  readonly sign: Sign;
  readonly word: string;
}

/** What is known of a row beside what the folder tells: of a folder, it is of all that is in it. */
export interface Beneath {
  /** null: it was not asked, since nothing waits. */
  readonly queued: PathQueue | null;
  readonly conflicts: number;
  readonly problems: number;
}

/** What needs somebody goes before what moves, and that before where it is. */
export function rowState(row: FolderRow, { queued, conflicts, problems }: Beneath): RowState {
  const words = TEXT.files;
  const { kind, sync, cached, pinned, behind, mounted } = row;
  const isFolder = kind === 'directory';
  if (conflicts > 0 || sync === 'conflict') {
    const word = isFolder && conflicts > 0 ? words.conflictsInside(conflicts) : words.conflict;
    return { sign: 'conflict', word };
  }
  if (mounted?.volume === null) return { sign: 'problem', word: TEXT.shares.shut };
  if (problems > 0) return { sign: 'problem', word: words.problem };
  if (queued !== null && queued.updates > 0) return queuedState(queued, isFolder);
  if (sync === 'queued') return { sign: 'waiting', word: words.toSend };
  if (behind) return { sign: 'behind', word: words.behind };
  if (pinned) return { sign: 'always', word: words.always };
  if (kind === 'symlink') return { sign: 'link', word: words.link };
  if (!isFolder && !cached) return { sign: 'online', word: words.online };
  return { sign: 'synced', word: words.synced };
}

function queuedState({ updates, bytes, sentBytes, moving, kept }: PathQueue, isFolder: boolean) {
  const words = TEXT.files;
  const isStuck = kept !== null && moving === null;
  const share = moving === 'sending' ? shareOf(sentBytes, bytes) : null;
  const percent = share === null ? null : TEXT.percent(share);
  const word = isFolder
    ? percent === null
      ? words.inside(updates)
      : words.sendingInside(updates, percent)
    : isStuck
      ? TEXT.queue.state(kept.state)
      : percent === null
        ? words.toSend
        : words.sending(percent);
  return {
    sign: isStuck ? 'problem' : moving === 'sending' ? 'sending' : 'waiting',
    word,
  } as const;
}

/** How many of these things have one of their paths at `path`, or below it. */
export function countBeneath(
  things: ReadonlyArray<readonly string[]>,
  path: readonly string[],
): number {
  const at = path.join('/');
  const isBeneath = (each: string): boolean => each === at || each.startsWith(`${at}/`);
  return things.filter((paths) => paths.some(isBeneath)).length;
}

export const SORTS = ['name', 'modified', 'size'] as const;
export type Sort = (typeof SORTS)[number];

/** Folders first, each kind by `sort`; what is alike in that by its name. */
export function sortRows<R extends FolderRow>(
  rows: readonly R[],
  sort: Sort,
  isDescending: boolean,
): R[] {
  const way = isDescending ? -1 : 1;
  const by = (a: R, b: R): number => (sort === 'name' ? 0 : a[sort] - b[sort]);
  const isFile = ({ kind }: R): number => (kind === 'directory' ? 0 : 1);
  return [...rows].sort(
    (a, b) =>
      isFile(a) - isFile(b) ||
      way * (by(a, b) || compareNames(a.name, b.name)) ||
      (a.name < b.name ? -1 : 1),
  );
}

/** The sign of a row: what kind of thing it is. */
export function rowKind({ kind, name }: FolderRow): FileKind {
  if (kind === 'directory') return 'folder';
  return kind === 'symlink' ? 'link' : fileKind(name);
}

/** How much is selected, and of what. */
export function selectionText(rows: readonly FolderRow[]): string {
  const bytes = rows.reduce((sum, { kind, size }) => sum + (kind === 'file' ? size : 0), 0);
  const selected = TEXT.files.selected(rows.length);
  return bytes === 0 ? selected : `${selected}, ${sizeText(bytes)}`;
}

/** Without the folder that groups are made of: they are shown as groups. */
export function shownRows({ rows }: FolderReport, path: readonly string[]): FolderRow[] {
  return rows.filter(({ name }) => path.length > 0 || name !== GROUPS_FOLDER);
}

/** The names from the root, each with the path that it stands for. */
export function crumbs(path: readonly string[]): Array<{ name: string; path: string[] }> {
  const root = { name: TEXT.files.root, path: [] };
  return [root, ...path.map((name, at) => ({ name: lineText(name), path: path.slice(0, at + 1) }))];
}

export interface KeptRow {
  readonly by: KeptBy;
  readonly name: string;
  readonly size: string;
  readonly files: string;
  /** Of what the cache may have now. */
  readonly share: number;
}

/**
 * Lists what keeps contents in the cache, with files, size and share of the limit. Where the cache
 * is larger than its limit, the share is of the cache.
 */
export function keptRows({ kept, limit, bytes }: CacheUse): KeptRow[] {
  return KEPT_BY.map((by) => ({
    by,
    name: TEXT.cache.keptBy(by),
    size: sizeText(kept[by].bytes),
    files: TEXT.facts.files(kept[by].files),
    share: shareOf(kept[by].bytes, Math.max(limit, bytes)) ?? 0,
  }));
}

/** The bound, and what makes it what it is. */
export function boundText({ bytes, limit, settings, reserve, disk }: CacheUse): string {
  const words = TEXT.cache;
  const { minimum, maximum } = settings;
  const parts = [words.between(sizeText(minimum), sizeText(maximum))];
  if (reserve !== null) parts.push(words.reserve(sizeText(reserve)));
  if (disk !== null) parts.push(words.free(sizeText(disk.free)));
  return `${words.bound(sizeText(bytes), sizeText(limit))} ${parts.join('; ')}.`;
}

/** What was done, and what not: of several paths together. */
export function cacheOutcome(act: CacheAct, reports: readonly CacheReport[]): string {
  const sum = (of: (report: CacheReport) => number): number =>
    reports.reduce((all, report) => all + of(report), 0);
  const words = TEXT.files;
  const [files, unchanged, failed] = [
    sum((report) => report.files),
    sum((report) => report.unchanged),
    sum((report) => report.failed),
  ];
  const parts = [words.done(act, files, sizeText(sum(({ bytes }) => bytes)))];
  if (unchanged > 0) parts.push(words.unchanged(unchanged));
  if (failed > 0) parts.push(words.failed(failed));
  const [first] = reports.flatMap(({ exceptions }) => exceptions);
  if (first !== undefined) parts.push(`${lineText(first.path)}: ${lineText(first.why)}`);
  return parts.join('; ');
}

/** A name that none of the groups has. */
export function freeGroupName(groups: readonly NamedGroup[], word: string): string {
  const taken = new Set(groups.map(({ name }) => name));
  for (let number = 1; ; number++) if (!taken.has(`${word}-${number}`)) return `${word}-${number}`;
}

/** The names of some files, for one line. */
export function suggestionText({ files, times }: SuggestedGroup): string {
  const SHOWN = 4;
  const names = files.slice(0, SHOWN).map(({ path, fid }) => lineText(path ?? fid));
  const more = files.length - names.length;
  const list = names.join(', ') + (more > 0 ? TEXT.groups.more(more) : '');
  return TEXT.groups.together(list, times);
}
