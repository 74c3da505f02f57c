/**
 * Checker: what is out of sight is not removed. A disk that is away, dead or covered, a folder that may not be entered, a call that fails: what
 * vanished so comes back, and nobody removed it.
 *
 * It shows in the volume when a laptop takes a file for removed and finds it again: the same bytes are made anew under the same path by the same device,
 * though no program gave them up. It allows what a program moves away and back, if the bytes were written over since.
 */
import type { ChangeSet, DeviceId } from '../../../../../shared/model/change.ts';
import type { Fid } from '../../../../../shared/model/fid.ts';
import type { Digest } from '../../../../../shared/model/vnode.ts';
import type { Ledger } from '../ledger.ts';
import type { CheckedRun } from './checked-run.ts';

const CHECKER = 'what is out of sight is not removed';

interface Place {
  readonly dir: Fid;
  readonly name: string;
}

/** Looks through all commits for files that a laptop removed and made again. */
export function lookForVanished(
  { find, ledger }: { readonly find: CheckedRun['find']; readonly ledger: Pick<Ledger, 'of'> },
  commits: readonly ChangeSet[],
): void {
  const names = new Map<Fid, Place>();
  const contents = new Map<Fid, Digest | null>();
  const removed = new Map<string, number>();
  for (const { commit, device, vnodes, entries } of commits) {
    const pathOf = (fid: Fid): string => shownPath(names, fid);
    const gone = vnodes.filter(({ fid, links }) => links === 0 && contents.has(fid));
    for (const { fid } of gone) {
      const digest = contents.get(fid) ?? null;
      if (digest !== null) removed.set(keyOf(device, pathOf(fid), digest), commit);
      contents.delete(fid);
    }
    for (const { dir, name, fid } of entries) if (fid !== null) names.set(fid, { dir, name });
    for (const { fid, digest, links } of vnodes) {
      if (links === 0 || digest === null) continue;
      const isNew = contents.get(fid) !== digest;
      contents.set(fid, digest);
      const before = isNew ? removed.get(keyOf(device, pathOf(fid), digest)) : undefined;
      const known = ledger.of(digest);
      if (before === undefined || known === null || known.givenUp !== null) continue;
      find(
        CHECKER,
        `${pathOf(fid)} (${known.begins}) went in commit ${before}, and came in ${commit}`,
      );
    }
  }
}

function keyOf(device: DeviceId, path: string, digest: Digest): string {
  return `${device} ${digest} ${path}`;
}

function shownPath(names: ReadonlyMap<Fid, Place>, fid: Fid): string {
  const path: string[] = [];
  for (let at = names.get(fid); at !== undefined; at = names.get(at.dir)) path.unshift(at.name);
  return path.join('/');
}
