/** The past of one path, from all pages that it takes. */
import type { Fid, VolumeId } from '../../../shared/model/fid.ts';
import type { Moment, OwnCommit, PastName, PastVersion } from '../../../shared/model/history.ts';
import type { WallTime } from '../../../shared/model/time.ts';
import type { CommitNumber } from '../../../shared/model/vnode.ts';
import type { Attributes, FileSystem } from '../../../shared/ports/file-system.ts';
import type { History } from '../../../shared/ports/history.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { nullIfAbsent } from '../../../shared/wire/null-if-absent.ts';
import { MAX_PAST_ITEMS, MOST_FOLDERS_BEFORE } from '../../limits.ts';

export const shownPath = (names: readonly string[]): string => `/${names.join('/')}`;

/** What is said of a path that has no past. `present`: what is there now, which the server has never had then; null: nothing. */
export function neverThere(shown: string, present: unknown): GodwitError {
  if (present === null) return new GodwitError('not-found', `${shown}: never was there`);
  const remedy = '`godwit queue` says what becomes of it';
  return new GodwitError('not-found', `${shown}: the server has never had it`, remedy);
}

/** The directory of the last name of a path, and the directories above that no longer exist. */
export interface Located {
  /** Live, or one that has ended. */
  readonly dir: Fid;
  /** Directories with the path of `dir` that ended before, the newest first: a folder may be made again. */
  readonly before: readonly Fid[];
  readonly name: string;
  /** From the first that has ended down to `dir`; empty: all are there. */
  readonly gone: ReadonlyArray<{ readonly parent: Fid; readonly entry: PastName }>;
}

/** Goes down from the root; where a directory is gone, by what its name stood for last. Throws `not-found`. */
export async function locate(
  fs: FileSystem,
  history: History,
  root: Fid,
  names: readonly string[],
): Promise<Located> {
  const name = names.at(-1);
  if (name === undefined) throw new GodwitError('usage', 'name a file or folder inside the volume');
  let dir = root;
  let before: readonly Fid[] = [];
  const gone: Array<{ parent: Fid; entry: PastName }> = [];
  for (const [index, each] of names.slice(0, -1).entries()) {
    const live = gone.length > 0 ? null : await lookup(fs, dir, each);
    const past = await directoriesNamed(history, [dir, ...before], each);
    if (live?.kind === 'directory') dir = live.fid;
    else {
      const entry = past[0];
      if (entry === undefined) {
        const shown = shownPath(names.slice(0, index + 1));
        throw new GodwitError('not-found', `${shown}: there is no such folder, and never was`);
      }
      gone.push({ parent: dir, entry });
      dir = entry.fid;
    }
    before = endedBut(dir, past);
  }
  return { dir, before, name, gone };
}

/** The directories that a name stood for in these, of which the newest is the first; the newest first. */
export async function directoriesNamed(
  history: History,
  dirs: readonly Fid[],
  name: string,
): Promise<PastName[]> {
  const found: PastName[] = [];
  for (const dir of dirs) {
    const names = await allNames(history, dir, name);
    found.push(...names.filter(({ status }) => status.kind === 'directory').reverse());
  }
  return found;
}

/** Those that have ended, but for that one. What was moved away has its past where it is. */
export function endedBut(dir: Fid, past: readonly PastName[]): Fid[] {
  const ended = past.filter((each) => each.ended && each.fid !== dir).map(({ fid }) => fid);
  return [...new Set(ended)].slice(0, MOST_FOLDERS_BEFORE);
}

/**
 * Whether a name was taken off a file that lives on by other names. A rename frees a name too, but gives the file another in the same
 * commit; where that one cannot be told, a name too many is better than one that is missing.
 */
export async function isUnlinked(
  fs: FileSystem,
  history: History,
  { fid, until, ended, status }: PastName,
): Promise<boolean> {
  if (until === null || ended || status.kind === 'directory' || status.links < 2) return false;
  const now = await fs.getattr(fid).catch(nullIfAbsent);
  if (now === null || now.links < status.links) return true;
  for (const { dir, name } of history.placesOf(fid)) {
    const newest = (await allNames(history, dir, name)).at(-1);
    if (newest?.fid === fid && newest.since.commit === until.commit) return false;
  }
  return true;
}

/** Null: nothing has that name. */
export async function lookup(fs: FileSystem, dir: Fid, name: string): Promise<Attributes | null> {
  return fs.lookup(dir, name).catch(nullIfAbsent);
}

/** What is cut short would be taken for all there was: of names the newest come last, and a folder would come back in part. */
export function refuseMore(found: readonly unknown[], more: boolean, what: string): void {
  if (!more || found.length < MAX_PAST_ITEMS) return;
  throw new GodwitError(
    'usage',
    `${what} has more than ${MAX_PAST_ITEMS} entries in its past, and not all of them are read at once`,
    'name a file or folder in it',
  );
}

/** What a name stood for (null: every name of the directory), the oldest first. Rejects `usage` where there is too much. */
export async function allNames(
  history: History,
  dir: Fid,
  name: string | null,
): Promise<PastName[]> {
  const found: PastName[] = [];
  for (let more = true; more && found.length < MAX_PAST_ITEMS;) {
    const last = found.at(-1);
    const after = last === undefined ? null : { name: last.name, commit: last.since.commit };
    const page = await history.names(dir, name, after);
    found.push(...page.names);
    more = page.more && page.names.length > 0;
    refuseMore(found, more, name === null ? 'this folder' : name);
  }
  return found;
}

/** The versions of a file, newest first, read page by page as they are taken. */
export async function* eachVersion(history: History, fid: Fid): AsyncGenerator<PastVersion> {
  let last: PastVersion | undefined;
  for (let more = true; more;) {
    const page = await history.versions(fid, last?.status.version ?? null);
    yield* page.versions;
    last = page.versions.at(-1);
    more = page.more && page.versions.length > 0;
  }
}

/** The newest version of those that are wanted; null: there is none. */
export async function newestVersion(
  history: History,
  fid: Fid,
  isWanted: (version: PastVersion) => boolean,
): Promise<PastVersion | null> {
  for await (const version of eachVersion(history, fid)) if (isWanted(version)) return version;
  return null;
}

/** The versions of a file, newest first; `isCut`: there are more, which are older. */
export async function allVersions(
  history: History,
  fid: Fid,
): Promise<{ readonly versions: PastVersion[]; readonly isCut: boolean }> {
  const versions: PastVersion[] = [];
  for await (const version of eachVersion(history, fid)) {
    if (versions.length === MAX_PAST_ITEMS) return { versions, isCut: true };
    versions.push(version);
  }
  return { versions, isCut: false };
}

/** Own commits, newest first, as long as they are wanted. Rejects `usage` where there are too many. */
export async function ownCommitsWhile(
  history: History,
  volume: VolumeId,
  isWanted: (sofar: readonly OwnCommit[]) => boolean,
): Promise<OwnCommit[]> {
  const found: OwnCommit[] = [];
  for (let more = true; more && found.length < MAX_PAST_ITEMS && isWanted(found);) {
    const page = await history.ownCommits(volume, found.at(-1)?.commit ?? null);
    found.push(...page.commits);
    more = page.more && page.commits.length > 0;
    if (found.length >= MAX_PAST_ITEMS) refuseMore(found, more && isWanted(found), 'this laptop');
  }
  return found;
}

/** A point of the past: a commit, which a snapshot is, or a time. */
export type PastPoint = { readonly commit: CommitNumber } | { readonly when: WallTime };

/** Whether the commit of that moment had been made by then. */
export function isBy(moment: Moment, point: PastPoint): boolean {
  return 'commit' in point ? moment.commit <= point.commit : moment.when <= point.when;
}

/** Whether a name stood for this at that point. */
export function stoodAt({ since, until }: PastName, point: PastPoint): boolean {
  return isBy(since, point) && (until === null || !isBy(until, point));
}

/** What a path stood for at a point, by the names of then; null: nothing. The path is not empty. */
export async function walkThen(
  history: History,
  root: Fid,
  path: readonly string[],
  point: PastPoint,
): Promise<PastName | null> {
  let dir = root;
  let last: PastName | null = null;
  for (const name of path) {
    if (last !== null && last.status.kind !== 'directory') return null;
    last = (await allNames(history, dir, name)).find((each) => stoodAt(each, point)) ?? null;
    if (last === null) return null;
    dir = last.fid;
  }
  return last;
}
