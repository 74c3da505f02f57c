/**
 * What is known here of the lost part by its status and contents, but not by a name: a laptop without a folder makes a file in a
 * directory that it has not listed (or not since), and knows the file for as long as it has it, but not the directory. It is offered
 * under the root in a name of its own: that nothing is lost counts more than where it is; who knows its name moves it there. Pure.
 *
 * What was removed is not among it: its status goes with its last name, or the log has the removal.
 */
import { compareNames } from '../../../shared/model/names.ts';
import type { Fid } from '../../../shared/model/fid.ts';
import type { VnodeStatus } from '../../../shared/model/vnode.ts';
import type { Tree } from './tree.ts';

export interface NamelessInput {
  readonly then: Tree;
  readonly now: Tree;
  /** The contents of this status are here. */
  readonly has: (status: VnodeStatus) => boolean;
  /** It was made in the lost part, and the log says nothing of its name or contents. */
  readonly isNameless: (status: VnodeStatus) => boolean;
}

export interface Nameless {
  /** To be made under the root: files with contents, and directories with such in them. */
  readonly recovered: readonly VnodeStatus[];
  /** Directories that the restored server has, somewhere: what is in them is known, where they are now is not. */
  readonly outOfSight: readonly Fid[];
}

/** `reached`: everything that has a name, down from the root. */
export function nameless(input: NamelessInput, reached: ReadonlySet<Fid>): Nameless {
  const { then, now, has, isNameless } = input;
  const outOfSight = [...now.entries.keys()]
    .filter((dir) => then.statuses.has(dir) && !reached.has(dir))
    .sort(compareNames);
  const hidden = [...now.statuses.values()]
    .filter(({ fid, links }) => links > 0 && !then.statuses.has(fid) && !reached.has(fid))
    .filter(isNameless);
  const isWorth = (status: VnodeStatus, above: ReadonlySet<Fid>): boolean => {
    if (status.kind === 'file') return status.digest !== null && has(status);
    if (status.kind !== 'directory' || above.has(status.fid)) return false;
    const names = now.entries.get(status.fid)?.values() ?? [];
    const through = new Set([...above, status.fid]);
    return [...names].some((fid) => {
      const inside = now.statuses.get(fid);
      return inside !== undefined && isWorth(inside, through);
    });
  };
  const worth = hidden.filter((status) => isWorth(status, new Set()));
  const directories = [
    ...outOfSight,
    ...worth.filter(({ kind }) => kind === 'directory').map(({ fid }) => fid),
  ];
  const named = new Set(directories.flatMap((dir) => [...(now.entries.get(dir)?.values() ?? [])]));
  const recovered = worth
    .filter(({ fid }) => !named.has(fid))
    .sort((a, b) => compareNames(a.fid, b.fid));
  return { recovered, outOfSight };
}
