/**
 * What must be so when faults have stopped, programs have ended and everything has settled. Each checker says what it allows.
 *
 * - *Nothing is lost*: what a program finished writing and no program removed is in the volume, in some folder, or in lost+found.
 * - *Nothing is removed by itself*: if it was ever committed, the volume still shows it.
 * - *All are the same*: each folder shows what the volume has, with its mode, its time and its user attributes. What differs is told, with a reason that
 *   can be one, by the daemon of that folder.
 * - *The status is true*: it is "synced" only where nothing differs, and what it says otherwise has its reason (status-check.ts).
 * - *What is not synced is kept*: owner, group, access list, flags and attributes of others, over changes from elsewhere (unsynced-kept.ts).
 * - *Nothing is torn*: what was committed, and what folders show, was the whole of a file at some moment.
 * - *Nothing goes back*: no version of a file has bytes that those of the version before it were written over.
 * - *Names*: no file is called `unnamed`; and where there is one laptop, none is a conflict copy.
 * - *Nothing outside*: beside the folder lies what programs left there.
 * - *Work is bounded*: calls of a disk go with what programs did, what was committed, and the time.
 * - *Nothing is left over*: no temporary file, and after a while no replaced one.
 */
import { lostNameOf } from '../../../../../shared/model/conflict-name.ts';
import type { Digest } from '../../../../../shared/model/vnode.ts';
import type { FolderMachine } from '../folder-machine.ts';
import type { CheckedRun } from './checked-run.ts';
import { FOLDER_LIMITS } from '../../../../../daemon/adapters/folder/folder-limits.ts';
import { lookForVanished } from './out-of-sight.ts';
import { diskTree, filesIn, isPlaceholderName } from '../trees.ts';
import type { Tree, VolumeState } from '../trees.ts';
import { OF_MOUNTED } from '../mount-above.ts';
import { expectedTree, lookAtMounted, volumesNow, type VolumeNow } from './mounted-kept.ts';
import { lookForOther } from './same-as-volume.ts';
import { lookAtStatus } from './status-check.ts';

const MOST_TOLD = 6;
/** Far more than any run has taken: what grows with the square of a folder takes more at once. */
const CALLS_AT_ALL = 1500;
const CALLS_FOR_A_CHANGE = 50;
const CALLS_IN_A_SECOND = 10;
/** A directory takes the most: its way is walked, it is listed, and its rules are read. */
const CALLS_FOR_A_LOOK = 7;
/** Said where everything is looked at every so often, since nobody tells of all changes there. */
const LOOKED_AT: ReadonlySet<string> = new Set(['looked-at', 'not-watched']);
/** Said of the text of a placeholder that stands for nothing where it is. */
const COPIED = 'placeholder-copied';
/** What a disk refuses for a while is tried again. */
const TRIES = 2;

/** Looks at everything, and reports what must not be. */
export async function checkAtRest(run: CheckedRun): Promise<void> {
  const { cluster, machines } = run;
  const volumes = await volumesNow(run);
  const digestAt = (fid: string, version: number): Digest | null =>
    volumes.map(({ state }) => state.digestAt(fid, version)).find((each) => each !== null) ?? null;
  run.ledger.settleBehind(digestAt);
  const shown = machines.map((machine) => ({
    machine,
    tree: diskTree(machine.observer, machine.root),
  }));
  lookForLost(run, volumes, shown);
  lookForTorn(run, volumes, shown);
  for (const { state, commits } of volumes) {
    lookForOlder(run, state);
    lookForVanished(run, commits);
  }
  lookAtMounted(run, volumes);
  const steps = machines.reduce((sum, { programs }) => sum + programs.steps, 0);
  const changes = steps + volumes.reduce((sum, { commits }) => sum + commits.length, 0);
  for (const { machine, tree: own } of shown) {
    const { name, calls, troubles, folder } = machine;
    const isPolled = folder?.status().errors.some(({ code }) => LOOKED_AT.has(code)) === true;
    const tries = troubles.wereAny ? TRIES : 1;
    lookForWork(run, {
      name,
      calls,
      changes: tries * changes,
      seconds: cluster.world.time.now() / 1000,
      polled: isPolled ? own.size + 1 : 0,
    });
  }
  for (const { tree } of volumes) lookAtNames(run, tree);
  for (const { machine, tree: own } of shown) {
    const volume = expectedTree(volumes, machine, own);
    const differs = lookForOther(run, machine, { volume, own });
    lookAtStatus(run, machine, differs);
    machine.unsynced.atRest();
    lookOutside(run, machine);
    lookForLeftOver(run, machine);
  }
}

interface ShownBy {
  readonly machine: FolderMachine;
  readonly tree: Tree;
}

function lookForLost(
  { ledger, find, plan }: CheckedRun,
  volumes: readonly VolumeNow[],
  shown: readonly ShownBy[],
): void {
  const inVolume = digestsOf(volumes.map(({ tree }) => tree));
  const inFolders = digestsOf(shown.map((each) => each.tree));
  // A second name outside of the folder keeps what was removed in it.
  for (const { machine } of shown) {
    const outside = filesIn(machine.observer, machine.outside);
    for (const { digest } of outside.values()) inFolders.add(digest);
    // What is written to a replaced file is found when it has been kept for long enough.
    if (!plan.settings.isLong) for (const digest of machine.late()) inFolders.add(digest);
  }
  const lost = digestsOf([]);
  for (const { machine } of shown) for (const digest of machine.lost()) lost.add(digest);
  for (const finished of ledger.wanted()) {
    const { digest, begins, path, laptop } = finished;
    if (inVolume.has(digest) || lost.has(digest)) continue;
    const what = `${begins} (${path} on ${laptop})`;
    if (inFolders.has(digest)) continue;
    const isOld = volumes.some(({ state }) => state.digests.has(digest));
    if (isOld) find('nothing is removed by itself', `${what} is an old version only`);
    else if (!ledger.isMissing(digest)) find('nothing is lost', `${what} is nowhere`);
  }
}

function digestsOf(trees: readonly Tree[]): Set<Digest> {
  const found = new Set<Digest>();
  for (const tree of trees) {
    for (const { digest } of tree.values()) if (digest !== null) found.add(digest);
  }
  return found;
}

function lookForTorn(
  { ledger, find }: CheckedRun,
  volumes: readonly VolumeNow[],
  shown: readonly ShownBy[],
): void {
  for (const digest of volumes.flatMap(({ state }) => [...state.digests])) {
    if (!ledger.hasSeen(digest))
      find('nothing is torn', `the volume has ${digest}, which no file was`);
  }
  for (const { machine, tree } of shown) {
    const copies = saidToBeCopies(machine);
    for (const [path, { digest }] of tree) {
      if (digest === null || isPlaceholderName(path) || ledger.hasSeen(digest)) continue;
      if (copies.has(path)) continue;
      find('nothing is torn', `${machine.name} shows in ${path} what no file was: ${digest}`);
    }
  }
}

/** A placeholder that a program has carried off under any name: its text is no file, which its daemon says. */
function saidToBeCopies({ folder }: FolderMachine): Set<string | null> {
  const errors = folder?.status().errors ?? [];
  return new Set(errors.filter(({ code }) => code === COPIED).map(({ path }) => path));
}

function lookForOlder({ ledger, find }: CheckedRun, { stores }: VolumeState): void {
  for (const { before, after, fid, version } of stores) {
    if (!ledger.isOlder(after, before)) continue;
    const [one, other] = [ledger.of(before)?.begins, ledger.of(after)?.begins];
    find('nothing goes back', `version ${version} of ${fid} is ${other}, after ${one}`);
  }
}

/** What one daemon, and those before it on that laptop, did on its disk. */
export interface Work {
  readonly name: string;
  readonly calls: number;
  /** Steps of programs and commits, of all laptops. */
  readonly changes: number;
  readonly seconds: number;
  /** Names in its folder, where everything is looked at every so often (the engine's limit `poll`); 0: it is not. */
  readonly polled: number;
}

/** Reports a laptop whose engine made more calls than what happened is worth. */
export function lookForWork({ find }: Pick<CheckedRun, 'find'>, work: Work): void {
  const { name, calls, changes, seconds, polled } = work;
  const looks = (seconds * 1000) / FOLDER_LIMITS.poll;
  const most =
    CALLS_AT_ALL +
    CALLS_FOR_A_CHANGE * changes +
    CALLS_IN_A_SECOND * seconds +
    CALLS_FOR_A_LOOK * polled * looks;
  if (calls <= most) return;
  find('work is bounded', `${name} made ${calls} calls; ${Math.round(most)} are enough`);
}

/** No file is called after nothing, and who is alone has no conflicts with others. */
export function lookAtNames({ find, plan }: Pick<CheckedRun, 'find' | 'plan'>, volume: Tree): void {
  for (const path of volume.keys()) {
    const name = path.slice(path.lastIndexOf('/') + 1);
    if (/^unnamed\b/.test(name)) find('no file is called unnamed', `the volume has ${path}`);
    // A person may call a file nearly so.
    if (plan.settings.laptops > 1 || lostNameOf(name) === null) continue;
    find('who is alone has no conflicts', `the volume has ${path}`);
  }
}

function lookOutside({ ledger, find }: CheckedRun, machine: FolderMachine): void {
  const left = ledger.outside.of(machine.name);
  const found = filesIn(machine.observer, machine.outside);
  // What a program has moved out with the directory of a mounted volume is its engine's own.
  for (const path of found.keys()) if (OF_MOUNTED.test(path)) found.delete(path);
  for (const [path, { digest }] of left) {
    const now = found.get(path);
    if (now === undefined)
      find('nothing outside is touched', `${machine.name} has ${path} no more`);
    else if (now.digest !== digest)
      find('nothing outside is touched', `${machine.name}'s ${path} has other bytes`);
  }
  for (const path of found.keys()) {
    if (left.has(path)) continue;
    find('nothing outside is touched', `${machine.name} has ${path}, which no program made`);
  }
}

function lookForLeftOver({ find, plan }: CheckedRun, machine: FolderMachine): void {
  // Contents of what is said not to be in place are kept for the next try.
  const waits = (machine.folder?.waiting().length ?? 0) > 0;
  const isKept = (path: string): boolean =>
    (!plan.settings.isLong && path.includes('/late/')) || (waits && path.includes('/tmp/'));
  const left = machine.leftOver().filter((path) => !isKept(path));
  if (left.length === 0) return;
  const some = left.slice(0, MOST_TOLD).join(', ');
  find('nothing is left over', `${machine.name} keeps ${left.length} files of its own: ${some}`);
}
