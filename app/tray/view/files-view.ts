/** The contents of a folder, the use of the cache, and the results of cache orders, in words and shares. */
import type { CacheReport, CacheUse, KeptBy } from '../../../shared/control/cache.ts';
import { KEPT_BY } from '../../../shared/control/cache.ts';
import type { FolderReport, FolderRow } from '../../../shared/control/folder.ts';
import type { NamedGroup, SuggestedGroup } from '../../../shared/control/groups.ts';
import type { CacheAct } from '../../../shared/model/cache.ts';
import { GROUPS_FOLDER } from '../../../shared/model/file-group.ts';
import { lineText, shareOf } from './format.ts';
import { sizeText } from '../../../shared/util/amounts.ts';
import { TEXT } from './text.ts';

/** Where it is and how it is, such as "here, always; to be sent". */
export function folderState({ kind, cached, pinned, sync, behind }: FolderRow): string {
  const words = TEXT.files;
  const parts: string[] = [];
  if (kind === 'file') parts.push(cached ? words.here : words.away);
  if (kind === 'symlink') parts.push(words.link);
  if (pinned) parts.push(words.always);
  if (sync !== 'committed') parts.push(words.sync(sync));
  else if (behind) parts.push(words.behind);
  return parts.join(', ');
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
