/**
 * Checkers of volumes that are mounted in the folders of a run.
 *
 * - *Nothing goes from a mounted volume by itself*: what a program finished there, and what was committed to it, is in that volume until a program
 *   gives it up or moves it out. Wherever else the same bytes are: whoever sees the volume misses them there.
 * - *A mounted volume is shown*: each laptop keeps it at a mount point of the folder's volume, or says why not.
 */
import type { ChangeSet } from '../../../../../shared/model/change.ts';
import type { VolumeId } from '../../../../../shared/model/fid.ts';
import { isMountPoint, mountedVolume } from '../../../../../shared/model/mount-point.ts';
import type { Digest } from '../../../../../shared/model/vnode.ts';
import { HOME } from '../../cluster/cluster.ts';
import type { FolderMachine } from '../folder-machine.ts';
import type { Ledger } from '../ledger.ts';
import { mountedIn } from '../mounted-faults.ts';
import { VolumeState, type Shown, type Tree } from '../trees.ts';
import type { CheckedRun } from './checked-run.ts';

/** What one volume of a run has, with all that was ever committed. */
export interface VolumeNow {
  readonly volume: VolumeId;
  readonly commits: readonly ChangeSet[];
  readonly state: VolumeState;
  readonly tree: Tree;
}

/** All volumes of a run; the folder's own comes first. */
export async function volumesNow({ cluster, plan }: CheckedRun): Promise<VolumeNow[]> {
  const all: VolumeNow[] = [];
  for (const volume of [HOME, ...mountedIn(plan.settings)]) {
    const commits = await cluster.run(cluster.server.history(volume));
    const state = new VolumeState(volume, commits);
    all.push({ volume, commits, state, tree: state.tree() });
  }
  return all;
}

/** What a laptop's folder is to show: the folder's volume, and beneath its mount points those that are kept there. */
export function expectedTree(
  volumes: readonly Pick<VolumeNow, 'volume' | 'tree'>[],
  machine: Pick<FolderMachine, 'mounted'>,
  own: Tree,
): Tree {
  const [home] = volumes;
  if (home === undefined || volumes.length === 1) return home?.tree ?? new Map<string, Shown>();
  const expected = new Map<string, Shown>();
  for (const [path, shown] of home.tree) {
    // Its attributes are those of the volume that it shows.
    const here = isMountPoint(shown) ? own.get(path) : undefined;
    expected.set(path, here?.kind === 'directory' ? here : shown);
  }
  for (const { volume, path } of machine.mounted()) {
    const inner = volumes.find((each) => each.volume === volume);
    for (const [below, shown] of inner?.tree ?? []) expected.set(`${path}/${below}`, shown);
  }
  return new Map([...expected].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Reports what is gone from mounted volumes though no program took it from there, and volumes that are not shown. */
export function lookAtMounted(
  { find, ledger, machines }: Pick<CheckedRun, 'find' | 'ledger' | 'machines'>,
  volumes: readonly VolumeNow[],
): void {
  const [home, ...others] = volumes;
  for (const each of others) lookForGone({ find, ledger }, each);
  for (const [path, shown] of home?.tree ?? []) {
    if (!isMountPoint(shown)) continue;
    for (const machine of machines) lookForHidden({ find }, machine, path, mountedVolume(shown));
  }
}

/** Reports files of a volume that went without anybody's doing. */
export function lookForGone(
  {
    find,
    ledger,
  }: { readonly find: CheckedRun['find']; readonly ledger: Pick<Ledger, 'of' | 'wasMovedOut'> },
  { volume, commits, tree }: Pick<VolumeNow, 'volume' | 'commits' | 'tree'>,
): void {
  const here = new Set<Digest | null>([...tree.values()].map(({ digest }) => digest));
  const last = new Map<string, Digest>();
  for (const { vnodes, commit } of commits) {
    for (const { fid, digest, links } of vnodes) {
      const before = last.get(fid);
      if (links > 0 && digest !== null) last.set(fid, digest);
      if (links > 0 || before === undefined || here.has(before)) continue;
      const known = ledger.of(before);
      if (known === null || known.givenUp !== null || ledger.wasMovedOut(before)) continue;
      const what = `${known.begins} (${known.path} on ${known.laptop})`;
      find(
        'nothing goes from a mounted volume by itself',
        `${what} went from volume ${volume} in commit ${commit}`,
      );
    }
  }
}

function lookForHidden(
  { find }: Pick<CheckedRun, 'find'>,
  machine: FolderMachine,
  path: string,
  volume: VolumeId | null,
): void {
  if (machine.mounted().some((each) => each.volume === volume)) return;
  if (machine.saidOf(path).length > 0) return;
  find(
    'a mounted volume is shown',
    `${machine.name} does not show volume ${volume}, which is mounted at ${path}`,
  );
}
