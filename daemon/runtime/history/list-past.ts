/** `godwit versions`: the versions of a path, and what was removed from a folder. */
import type { Fid } from '../../../shared/model/fid.ts';
import type { PastName, PastVersion } from '../../../shared/model/history.ts';
import type { FileSystem } from '../../../shared/ports/file-system.ts';
import type { History } from '../../../shared/ports/history.ts';
import type { RemovedReport, VersionRow, VersionsReport } from '../../../shared/control/history.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { allNames, allVersions, locate, lookup, shownPath } from './past.ts';

/** All that a path showed: editors save by putting a new file in the place of the old one, so several files may have had a name. */
export interface PathPast {
  /** The oldest first. */
  readonly names: readonly PastName[];
  /** The newest first, of all files that had the name. */
  readonly versions: readonly PastVersion[];
}

/**
 * All past versions of the files that had this name in `dir`, newest first, and every vnode that
 * had the name.
 */
export async function pastOfPath(history: History, dir: Fid, name: string): Promise<PathPast> {
  const names = await allNames(history, dir, name);
  const fids = new Set(names.filter(({ status }) => status.kind === 'file').map(({ fid }) => fid));
  const versions: PastVersion[] = [];
  for (const fid of fids) versions.push(...(await allVersions(history, fid)));
  versions.sort((a, b) => b.since.commit - a.since.commit);
  return { names, versions };
}

/** The report of `godwit versions` for one path. Rejects `not-found` if the path never existed. */
export async function listVersions(
  fs: FileSystem,
  history: History,
  root: Fid,
  path: readonly string[],
): Promise<VersionsReport> {
  const shown = shownPath(path);
  const { dir, name, gone } = await locate(fs, history, root, path);
  const { names, versions } = await pastOfPath(history, dir, name);
  const last = names.at(-1);
  if (last === undefined) throw new GodwitError('not-found', `${shown}: never was there`);
  if (last.status.kind === 'directory' && versions.length === 0) {
    throw new GodwitError(
      'is-a-directory',
      `${shown}: that is a folder; its removed files: godwit versions --removed`,
    );
  }
  const present = gone.length > 0 ? null : await lookup(fs, dir, name);
  const rows = versions.map(({ status, since, kept }): VersionRow => {
    const isPresent = status.fid === present?.fid && status.version === present.version;
    const { commit: number, deviceName: by } = since;
    return { number, when: since.when, by, size: status.size, present: isPresent, kept };
  });
  const { until } = last;
  const removed = until === null ? null : { when: until.when, by: until.deviceName };
  return { path: shown, removed, versions: rows };
}

/** What had a name in a folder, has none anywhere any more, and whose name nothing else has. The newest first. */
export async function listRemoved(
  fs: FileSystem,
  history: History,
  root: Fid,
  path: readonly string[],
): Promise<RemovedReport> {
  const names = await allNames(history, await folderAt(fs, history, root, path), null);
  const removed = lastOfEach(names).filter(isRemoved);
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

/** Also one that has ended. */
async function folderAt(
  fs: FileSystem,
  history: History,
  root: Fid,
  path: readonly string[],
): Promise<Fid> {
  if (path.length === 0) return root;
  const { dir, name, gone } = await locate(fs, history, root, path);
  const live = gone.length > 0 ? null : await lookup(fs, dir, name);
  if (live?.kind === 'directory') return live.fid;
  const past = (await allNames(history, dir, name)).findLast(
    ({ status }) => status.kind === 'directory',
  );
  if (past !== undefined) return past.fid;
  throw new GodwitError('not-found', `${shownPath(path)}: there is no such folder, and never was`);
}
