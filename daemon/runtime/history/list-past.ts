/** `godwit versions`: the versions of a path, and what was removed from a folder. */
import type { Fid } from '../../../shared/model/fid.ts';
import type { PastName, PastVersion } from '../../../shared/model/history.ts';
import type { FileSystem } from '../../../shared/ports/file-system.ts';
import type { History } from '../../../shared/ports/history.ts';
import type { RemovedReport, VersionRow, VersionsReport } from '../../../shared/control/history.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import {
  neverThere,
  allNames,
  allVersions,
  directoriesNamed,
  endedBut,
  isBy,
  isUnlinked,
  locate,
  lookup,
  shownPath,
  stoodAt,
  type PastPoint,
} from './past.ts';

/** All that a path showed: editors save by putting a new file in the place of the old one, so several files may have had a name. */
export interface PathPast {
  /** The oldest first. */
  readonly names: readonly PastName[];
  /** The newest first, of all files that had the name. */
  readonly versions: readonly PastVersion[];
  /** There are older ones, which are not in it. */
  readonly isCut: boolean;
}

/**
 * All past versions of the files that had this name in these directories (the newest of them first), newest first, and every
 * vnode that had the name.
 */
export async function pastOfPath(
  history: History,
  dirs: readonly Fid[],
  name: string,
): Promise<PathPast> {
  const names: PastName[] = [];
  for (const dir of dirs.toReversed()) names.push(...(await allNames(history, dir, name)));
  const fids = new Set(names.filter(({ status }) => status.kind === 'file').map(({ fid }) => fid));
  const versions: PastVersion[] = [];
  let isCut = false;
  for (const fid of fids) {
    const read = await allVersions(history, fid);
    versions.push(...read.versions);
    isCut ||= read.isCut;
  }
  versions.sort((a, b) => b.since.commit - a.since.commit);
  return { names, versions, isCut };
}

/** The one version that the path showed at that point; none: it was not there, or had no contents. */
function versionAt(
  names: readonly PastName[],
  versions: readonly PastVersion[],
  point: PastPoint,
): PastVersion[] {
  const then = names.find((each) => stoodAt(each, point));
  const found = versions.find(
    ({ status, since }) => status.fid === then?.fid && isBy(since, point),
  );
  return found === undefined ? [] : [found];
}

/**
 * The report of `godwit versions` for one path; `point`: only what it showed then. Rejects
 * `not-found` if the path never existed.
 */
export async function listVersions(
  fs: FileSystem,
  history: History,
  root: Fid,
  path: readonly string[],
  point: PastPoint | null = null,
): Promise<VersionsReport> {
  const shown = shownPath(path);
  const { dir, before, name, gone } = await locate(fs, history, root, path);
  const { names, versions, isCut } = await pastOfPath(history, [dir, ...before], name);
  const last = names.at(-1);
  const present = gone.length > 0 ? null : await lookup(fs, dir, name);
  if (last === undefined) throw neverThere(shown, present);
  if (last.status.kind === 'directory' && versions.length === 0) {
    throw new GodwitError('is-a-directory', `${shown}: that is a folder`);
  }
  const meant = point === null ? versions : versionAt(names, versions, point);
  const rows = meant.map(({ status, since, kept }): VersionRow => {
    const isPresent = status.fid === present?.fid && status.version === present.version;
    const { commit: number, deviceName: by } = since;
    return { number, when: since.when, by, size: status.size, present: isPresent, kept };
  });
  const { until } = last;
  const removed = until === null ? null : { when: until.when, by: until.deviceName };
  return { path: shown, removed, versions: rows, ...(isCut ? { isCut } : {}) };
}

/**
 * What had a name in a folder and was removed, and whose name nothing else has. The newest first. A file that lives on by
 * another name counts, one that was moved does not.
 */
export async function listRemoved(
  fs: FileSystem,
  history: History,
  root: Fid,
  path: readonly string[],
): Promise<RemovedReport> {
  const last = new Map<string, PastName>();
  for (const dir of (await foldersAt(fs, history, root, path)).toReversed()) {
    for (const each of await allNames(history, dir, null)) last.set(each.name, each);
  }
  const removed: PastName[] = [];
  for (const each of last.values()) {
    if (isRemoved(each) || (await isUnlinked(fs, history, each))) removed.push(each);
  }
  removed.sort((a, b) => (b.until?.commit ?? 0) - (a.until?.commit ?? 0));
  return {
    path: shownPath(path),
    removed: removed.flatMap(({ name, status, until }) => {
      if (until === null) return [];
      const { kind, size } = status;
      return [
        { path: shownPath([...path, name]), kind, size, when: until.when, by: until.deviceName },
      ];
    }),
  };
}

export const isRemoved = ({ until, ended }: PastName): boolean => until !== null && ended;

/** Of the names of a directory, in their order: what each stood for last. */
export function lastOfEach(names: readonly PastName[]): PastName[] {
  return names.filter((each, index) => names[index + 1]?.name !== each.name);
}

/** The folder at a path and those that ended there before, the newest first; all may have ended. */
async function foldersAt(
  fs: FileSystem,
  history: History,
  root: Fid,
  path: readonly string[],
): Promise<Fid[]> {
  if (path.length === 0) return [root];
  const { dir, before, name, gone } = await locate(fs, history, root, path);
  const live = gone.length > 0 ? null : await lookup(fs, dir, name);
  if (live !== null && live.kind !== 'directory') {
    const shown = shownPath(path);
    const remedy = `\`godwit versions ${shown}\` lists its versions`;
    throw new GodwitError('not-a-directory', `${shown}: that is no folder`, remedy);
  }
  const past = await directoriesNamed(history, [dir, ...before], name);
  const last = live?.fid ?? past[0]?.fid;
  if (last !== undefined) return [last, ...endedBut(last, past)];
  throw new GodwitError('not-found', `${shownPath(path)}: there is no such folder, and never was`);
}
