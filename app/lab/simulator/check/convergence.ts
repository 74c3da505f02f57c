/**
 * Checker: when faults have stopped everything settles within a bound of simulated time (settle-bound.ts), and then all laptops
 * of a volume show the same, in their file systems and in their replicas.
 *
 * Allowed: a laptop that may only read shows a vnode as somebody changed it there all the same, for that change stays
 * there, blocked, and is told (W7); a folder that somebody changed an entry of likewise. What was moved there, with all that is below it, is where it was moved to; where that folder
 * is gone by now, nothing shows it. And a name that such a blocked change takes away or gives there says nothing of what others
 * have under it by now, nor what is below.
 */
import { rootOf } from '../../../../shared/model/fid.ts';
import { isMountPoint } from '../../../../shared/model/mount-point.ts';
import type { Fid, VolumeId } from '../../../../shared/model/fid.ts';
import type { Update } from '../../../../shared/model/update.ts';
import { lacksContents } from '../../../../shared/model/vnode.ts';
import type { VnodeStatus } from '../../../../shared/model/vnode.ts';
import type { Place } from '../../../../shared/ports/file-system.ts';
import type { ClientNode } from '../cluster/client-node.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { CheckerKind, Report } from './checker.ts';

/** What somebody shows: path to status, in order of paths. */
export interface Shown {
  readonly by: string;
  readonly tree: ReadonlyMap<string, VnodeStatus>;
  /** What it shows of these is its own affair. */
  readonly own?: ReadonlySet<Fid>;
  /** And of these and all that is below them: it has them elsewhere. */
  readonly moved?: ReadonlySet<Fid>;
  /** And of these names, each as its path. */
  readonly names?: ReadonlySet<string>;
}

const MOST_DIFFERENCES = 10;

export const convergence: CheckerKind = {
  name: 'all laptops show the same',
  make: (report) => ({
    hear: (observation) => {
      if (observation.kind !== 'settled') return;
      const { tookMs, boundMs } = observation;
      if (tookMs <= boundMs) return;
      report(`it takes ${Math.round(tookMs)} ms to settle, and may take ${Math.round(boundMs)}`);
    },
    atRest: async (cluster) => {
      const shown = new Map<VolumeId, Shown[]>();
      for (const client of cluster.clients) {
        const here = shown.get(client.volume) ?? [];
        here.push(...(await shownBy(cluster, client)));
        shown.set(client.volume, here);
      }
      for (const all of shown.values()) compare(all, report);
    },
  }),
};

async function shownBy(cluster: Cluster, client: ClientNode): Promise<Shown[]> {
  const before = changesOf(client);
  const all = await cluster.at(client, (files) => files.walk());
  const changes = new Set([...before, ...changesOf(client)]);
  // Where a daemon died between its create and its store there is a name that a folder does not show (rule W2).
  const tree = new Map([...all].filter(([, status]) => !lacksContents(status)));
  const own = new Set([...concernedBy(before), ...changedHere(client, tree)]);
  const view = { tree, own, moved: movedBy(changes), names: namesOf(client, changes, tree) };
  const shown = { by: `${client.name}'s file system`, ...view };
  if (client.frontEnd === 'none') return [shown];
  const replica = [...client.replica.tree()].flatMap(([path, { status }]) =>
    isMountPoint(status) ? [] : [[path, status] as const],
  );
  return [shown, { ...view, by: `${client.name}'s replica`, tree: new Map(replica) }];
}

/**
 * What a reader has changed for himself. It may be dealt with while somebody looks, for then the cache is filled: what was shown first had it, so it is
 * asked before and after a look.
 */
function changesOf({ daemon, rights }: ClientNode): Update[] {
  return rights === 'read' ? [...daemon.inside.log.all()].map(({ update }) => update) : [];
}

function concernedBy(changes: readonly Update[]): Fid[] {
  return changes.flatMap((update) => [update.fid, ...placesOf(update).map(({ dir }) => dir)]);
}

function changedHere({ daemon, rights }: ClientNode, tree: Shown['tree']): Fid[] {
  if (rights !== 'read') return [];
  const { index } = daemon.inside.log;
  const isChanged = (fid: Fid): boolean =>
    daemon.feed.pendingVnode(fid) || index.directoryChange(fid) !== null;
  return [...tree.values()].map(({ fid }) => fid).filter(isChanged);
}

function movedBy(changes: ReadonlySet<Update>): Set<Fid> {
  return new Set([...changes].filter(({ op }) => op === 'rename').map(({ fid }) => fid));
}

function namesOf(
  { volume }: ClientNode,
  changes: ReadonlySet<Update>,
  tree: Shown['tree'],
): Set<string> {
  const paths = new Map<Fid, string>([[rootOf(volume), '']]);
  for (const [path, { fid }] of tree) paths.set(fid, path);
  const places = [...changes].flatMap(placesOf);
  return new Set(places.map(({ dir, name }) => `${paths.get(dir) ?? '(gone)'}/${name}`));
}

function placesOf(update: Update): Place[] {
  switch (update.op) {
    case 'rename':
      return [
        { dir: update.fromDir, name: update.fromName },
        { dir: update.toDir, name: update.toName },
      ];
    case 'store':
    case 'setattr':
      return [];
    default:
      return [{ dir: update.dir, name: update.name }];
  }
}

/**
 * Compares what all laptops show with the first one, and reports the first `MOST_DIFFERENCES`
 * differences.
 */
export function compare([first, ...others]: readonly Shown[], report: Report): void {
  if (first === undefined) return;
  const found = others.flatMap((other) => differences(first, other));
  for (const text of found.slice(0, MOST_DIFFERENCES)) report(text);
}

function differences(one: Shown, other: Shown): string[] {
  const paths = new Set([...one.tree.keys(), ...other.tree.keys()]);
  const own = new Set([...(one.own ?? []), ...(other.own ?? [])]);
  const moved = new Set([...(one.moved ?? []), ...(other.moved ?? [])]);
  const names = new Set([...(one.names ?? []), ...(other.names ?? [])]);
  const isOwn = ({ tree }: Shown, path: string): boolean => {
    const places = placesAbove(path);
    if (places.some((place) => names.has(place))) return true;
    const above = places.map((place) => tree.get(place)?.fid as Fid);
    return own.has(tree.get(path)?.fid as Fid) || above.some((fid) => moved.has(fid));
  };
  const found: string[] = [];
  for (const path of [...paths].sort()) {
    const [left, right] = [one, other].map(({ tree }) => described(tree.get(path)));
    if (left === right || isOwn(one, path) || isOwn(other, path)) continue;
    found.push(`${path}: ${one.by} has ${left}, ${other.by} has ${right}`);
  }
  return found;
}

/** A path and those of the folders it is in. */
function placesAbove(path: string): string[] {
  const names = path.split('/');
  return names.map((_, index) => names.slice(0, index + 1).join('/'));
}

function described(status: VnodeStatus | undefined): string {
  if (status === undefined) return 'nothing';
  const { fid, kind, mode, mtime, size, version, digest, target, links, xattrs } = status;
  return JSON.stringify([fid, kind, mode, mtime, size, version, digest, target, links, xattrs]);
}
