/** The past of one path, from all pages that it takes. */
import type { Fid, VolumeId } from '../../../shared/model/fid.ts';
import type { OwnCommit, PastName, PastVersion } from '../../../shared/model/history.ts';
import type { WallTime } from '../../../shared/model/time.ts';
import type { Attributes, FileSystem } from '../../../shared/ports/file-system.ts';
import type { History } from '../../../shared/ports/history.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { MAX_PAST_ITEMS } from '../../limits.ts';

export const shownPath = (names: readonly string[]): string => `/${names.join('/')}`;

/** The directory of the last name of a path, and the directories above that no longer exist. */
export interface Located {
  /** Live, or one that has ended. */
  readonly dir: Fid;
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
  const gone: Array<{ parent: Fid; entry: PastName }> = [];
  for (const [index, each] of names.slice(0, -1).entries()) {
    const live = gone.length > 0 ? null : await lookup(fs, dir, each);
    if (live?.kind === 'directory') {
      dir = live.fid;
      continue;
    }
    const past = await allNames(history, dir, each);
    const entry = past.findLast(({ status }) => status.kind === 'directory');
    if (entry === undefined) {
      const shown = shownPath(names.slice(0, index + 1));
      throw new GodwitError('not-found', `${shown}: there is no such folder, and never was`);
    }
    gone.push({ parent: dir, entry });
    dir = entry.fid;
  }
  return { dir, name, gone };
}

/** Null: nothing has that name. */
export async function lookup(fs: FileSystem, dir: Fid, name: string): Promise<Attributes | null> {
  return orNull(fs.lookup(dir, name));
}

/**
 * Resolves to null where the call rejects with `not-found` or `not-a-directory`. Other errors pass
 * through.
 */
export async function orNull(call: Promise<Attributes>): Promise<Attributes | null> {
  try {
    return await call;
  } catch (error) {
    const isAbsent =
      error instanceof GodwitError &&
      (error.code === 'not-found' || error.code === 'not-a-directory');
    if (isAbsent) return null;
    throw error;
  }
}

/** What a name stood for (null: every name of the directory), the oldest first. */
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
  }
  return found;
}

/** The versions of a file, newest first. */
export async function allVersions(history: History, fid: Fid): Promise<PastVersion[]> {
  const found: PastVersion[] = [];
  for (let more = true; more && found.length < MAX_PAST_ITEMS;) {
    const page = await history.versions(fid, found.at(-1)?.status.version ?? null);
    found.push(...page.versions);
    more = page.more && page.versions.length > 0;
  }
  return found;
}

/** Own commits, newest first, as long as they are wanted. */
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
  }
  return found;
}

/** Whether a name stood for this at that time. */
export function stoodAt({ since, until }: PastName, time: WallTime): boolean {
  return since.when <= time && (until === null || until.when > time);
}
