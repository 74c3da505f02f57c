/**
 * What goes wrong with simulated disks, as plain data: it stands in a plan, and a failing plan is shortened by taking faults away. Each begins, and ends
 * when who began it says so.
 */
import type { SeededRandom } from '../../../../shared/util/seeded-random.ts';
import type { WatchTroubles } from './directory-watches.ts';
import type { FileSystemSwitches } from './file-system-switches.ts';
import type { Inode } from './inode.ts';
import type { Kernel, KernelCall } from './kernel.ts';
import type { ErrorName } from './kernel-error.ts';
import type { Mount, MountState, Place } from './mount.ts';
import { mount, unmount } from './mounting.ts';
import { PathWalk } from './path-walk.ts';

export type KernelFault =
  /** Calls on what is at or below a path fail, each by that chance. `calls` null: all of them. */
  | {
      readonly kind: 'refused';
      readonly path: string;
      readonly calls: readonly KernelCall[] | null;
      readonly code: ErrorName;
      readonly chance: number;
    }
  /** So many blocks or inodes are free, and no more come. */
  | { readonly kind: 'full' | 'inode-full'; readonly mount: string; readonly free: number }
  | {
      readonly kind: 'quota';
      readonly mount: string;
      readonly uid: number;
      readonly free: number;
    }
  | { readonly kind: 'read-only'; readonly mount: string }
  | { readonly kind: 'state'; readonly mount: string; readonly state: MountState }
  /** It is mounted again at the end. */
  | { readonly kind: 'away'; readonly mount: string }
  /** An empty file system lies over a directory until the end. */
  | { readonly kind: 'covered'; readonly path: string; readonly by: FileSystemSwitches }
  | { readonly kind: 'immutable'; readonly path: string }
  | { readonly kind: 'watches'; readonly troubles: Partial<WatchTroubles> };

const ROOT = { uid: 0, gid: 0, groups: [] };
const NOTHING = (): void => undefined;

/** Begins a fault. Gives how to end it; nothing happens where what it is about is not there. */
export function beginFault(kernel: Kernel, watches: WatchTroubles, fault: KernelFault): () => void {
  switch (fault.kind) {
    case 'refused':
      return refuse(kernel, fault);
    case 'immutable':
      return makeImmutable(kernel, fault.path);
    case 'covered': {
      if (placeOf(kernel, fault.path) === null) return NOTHING;
      const over = mount(kernel, fault.path, kernel.makeFileSystem(fault.by));
      return () => {
        if (kernel.mounts.includes(over)) unmount(kernel, over);
      };
    }
    case 'watches': {
      const before = { ...watches };
      Object.assign(watches, fault.troubles);
      return () => void Object.assign(watches, before);
    }
    case 'full':
    case 'inode-full':
    case 'quota':
    case 'read-only':
    case 'state':
    case 'away': {
      const on = kernel.mountAt(fault.mount);
      return on === null ? NOTHING : beginOn(kernel, on, fault);
    }
  }
}

type MountFault = Extract<KernelFault, { readonly mount: string }>;

function beginOn(kernel: Kernel, on: Mount, fault: MountFault): () => void {
  const { fs } = on;
  switch (fault.kind) {
    case 'full': {
      const before = fs.blocks;
      fs.blocks = fs.taken + fault.free;
      return () => {
        fs.blocks = before;
      };
    }
    case 'inode-full': {
      const before = fs.inodes;
      fs.inodes = fs.count + fault.free;
      return () => {
        fs.inodes = before;
      };
    }
    case 'quota':
      fs.quotas.set(fault.uid, (fs.takenBy.get(fault.uid) ?? 0) + fault.free);
      return () => void fs.quotas.delete(fault.uid);
    case 'read-only':
      on.isReadOnly = true;
      return () => {
        on.isReadOnly = false;
      };
    case 'state':
      on.state = fault.state;
      return () => {
        on.state = 'alive';
      };
    case 'away': {
      if (on.at === null) return NOTHING;
      unmount(kernel, on);
      return () => {
        if (placeOf(kernel, on.path) !== null) mount(kernel, on.path, fs, on.root);
      };
    }
  }
}

function placeOf(kernel: Kernel, path: string): Place | null {
  try {
    return new PathWalk(kernel, kernel.process(ROOT)).place(path, true);
  } catch {
    return null;
  }
}

function refuse(
  kernel: Kernel,
  { path, calls, code, chance }: Extract<KernelFault, { kind: 'refused' }>,
): () => void {
  const top = placeOf(kernel, path)?.inode;
  if (top === undefined) return NOTHING;
  return kernel.troubles.add((call, place) => {
    if (calls !== null && !calls.includes(call)) return null;
    return isBelow(place, top) && kernel.random.chance(chance) ? code : null;
  });
}

function isBelow({ inode, by }: Place, top: Inode): boolean {
  if (inode === top) return true;
  for (let at = inode.parent ?? by?.directory ?? null; at !== null; at = at.parent) {
    if (at === top) return true;
    if (at.parent === at) return false;
  }
  return false;
}

function makeImmutable(kernel: Kernel, path: string): () => void {
  const inode = placeOf(kernel, path)?.inode;
  if (inode === undefined || inode.isImmutable) return NOTHING;
  inode.isImmutable = true;
  return () => {
    inode.isImmutable = false;
  };
}

export interface FaultSubjects {
  /** What may fail, or be immutable. */
  readonly paths: readonly string[];
  /** Directories that something may be mounted over. */
  readonly directories: readonly string[];
  readonly mounts: readonly string[];
  readonly uid: number;
  readonly by: readonly FileSystemSwitches[];
}

const CODES: readonly ErrorName[] = ['EIO', 'EIO', 'EACCES', 'ENOSPC', 'EDQUOT', 'EROFS', 'ESTALE'];
const CALLS: readonly (readonly KernelCall[] | null)[] = [
  null,
  ...(['stat', 'open', 'read', 'write', 'sync', 'list', 'rename', 'xattr'] as const).map((call) => [
    call,
  ]),
  ['make', 'link', 'rename', 'remove'],
];

type Drawn = (random: SeededRandom, subjects: FaultSubjects) => KernelFault;

const DRAWS: readonly Drawn[] = [
  (random, { paths }) => ({
    kind: 'refused',
    path: random.pick(paths),
    calls: random.pick(CALLS),
    code: random.pick(CODES),
    chance: random.pick([1, 0.5, 0.1]),
  }),
  (random, { mounts }) => ({ kind: 'full', mount: random.pick(mounts), free: random.below(20) }),
  (random, { mounts }) => ({
    kind: 'inode-full',
    mount: random.pick(mounts),
    free: random.below(5),
  }),
  (random, { mounts, uid }) => ({
    kind: 'quota',
    mount: random.pick(mounts),
    uid,
    free: random.below(20),
  }),
  (random, { mounts }) => ({ kind: 'read-only', mount: random.pick(mounts) }),
  (random, { mounts }) => ({
    kind: 'state',
    mount: random.pick(mounts),
    state: random.pick(['dead', 'silent'] as const),
  }),
  (random, { mounts }) => ({ kind: 'away', mount: random.pick(mounts) }),
  (random, { directories, by }) => ({
    kind: 'covered',
    path: random.pick(directories),
    by: random.pick(by),
  }),
  (random, { paths }) => ({ kind: 'immutable', path: random.pick(paths) }),
  (random) => ({ kind: 'watches', troubles: drawWatchTroubles(random) }),
];

function drawWatchTroubles(random: SeededRandom): Partial<WatchTroubles> {
  return random.pick<() => Partial<WatchTroubles>>([
    () => ({ mostDelay: random.between(100, 20_000) }),
    () => ({ isReordered: true, mostDelay: 2_000 }),
    () => ({ mostQueued: random.between(1, 10), isLossTold: true, mostDelay: 1_000 }),
    () => ({ mostQueued: random.between(1, 10), isLossTold: false, mostDelay: 1_000 }),
    () => ({ lossChance: random.pick([0.05, 0.5, 1]) }),
    () => ({ mostWatches: random.below(20) }),
    () => ({ mostSets: 0 }),
  ])();
}

/** One fault, of what there is in a world. */
export function drawFault(random: SeededRandom, subjects: FaultSubjects): KernelFault {
  return random.pick(DRAWS)(random, subjects);
}

/** As `switches`, with some lacks more. */
export function drawLacks(random: SeededRandom, switches: FileSystemSwitches): FileSystemSwitches {
  const lack = random.pick(['EINVAL', 'ENOSYS', 'ENOTSUP'] as const);
  const maybe = random.chance(0.3);
  const none = { user: false, acl: false, others: false, mostValue: 0, mostBytes: 0 };
  return {
    ...switches,
    renameNoReplace: random.chance(0.3) ? lack : switches.renameNoReplace,
    exchange: random.chance(0.3) ? lack : switches.exchange,
    links: random.chance(0.15) ? 'EPERM' : switches.links,
    symlinks: random.chance(0.1) ? 'EPERM' : switches.symlinks,
    temporaryFiles: random.chance(0.3) ? 'ENOTSUP' : switches.temporaryFiles,
    reflink: random.chance(0.2) ? !switches.reflink : switches.reflink,
    xattrs: random.chance(0.15) ? none : switches.xattrs,
    birth: maybe ? false : switches.birth,
    leases: random.chance(0.3) ? random.pick(['unknown', 'always']) : switches.leases,
    order: random.pick(['hashed', 'oldest first', 'newest first']),
    numbers: random.pick(['lowest free', 'last freed', 'growing']),
    writesOutOnReplace: random.chance(0.5),
    mappedTimes: random.pick(['first', 'at sync']),
    watches: random.chance(0.15) ? 'of this machine' : switches.watches,
    times: { ...switches.times, step: random.pick([1, 1, 1, 100, 10_000_000, 2_000_000_000]) },
  };
}
