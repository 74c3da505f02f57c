/** Puts the folder's parts together; each knows only what it is given. */
import { Mutex } from '../../../shared/concurrency/mutex.ts';
import { Background } from './background.ts';
import type { Disk } from './disk/disk.ts';
import { OwnDirectories } from './disk/own-directories.ts';
import { FileAttributes } from './disk/file-attributes.ts';
import type { FolderDisk } from './disk/folder-disk.ts';
import { FolderDisks } from './disk/folder-disks.ts';
import { InDirectory } from './disk/in-directory.ts';
import { LostAndFound } from './disk/lost-and-found.ts';
import { TornFiles } from './disk/torn-files.ts';
import { MountAnswers } from './disk/mount-answers.ts';
import { TOO_LONG } from './disk/path-errors.ts';
import type { RootGuard } from './disk/root-guard.ts';
import { RootPresence } from './disk/root-presence.ts';
import type { SafeRoot } from './disk/safe-root.ts';
import { ErrorBoard } from './error-board.ts';
import { FolderEvents } from './folder-events.ts';
import type { FolderLimits } from './folder-limits.ts';
import type { FolderSettings, FolderWorld } from './folder-options.ts';
import { DiskLook } from './local/disk-look.ts';
import { FailedChanges } from './local/failed-changes.ts';
import { ForgottenNames } from './local/forgotten-names.ts';
import { IgnoreRules } from './local/ignore-rules.ts';
import { LocalChanges } from './local/local-changes.ts';
import { LookSchedule } from './local/look-schedule.ts';
import { MountGuard } from './local/mount-guard.ts';
import { PowerLoss } from './local/power-loss.ts';
import { Unfinished } from './local/unfinished.ts';
import { FolderContents } from './placeholders/kept-contents.ts';
import { PlaceholderLook } from './placeholders/placeholder-look.ts';
import { Placeholders } from './placeholders/placeholders.ts';
import { TidyPlaceholders } from './placeholders/tidy-placeholders.ts';
import { ExcludedPlaces, NOT_KEPT } from './records/excluded-places.ts';
import { MountPoints } from './records/mount-points.ts';
import { OwnCopies } from './records/own-copies.ts';
import type { KeptRecords, Loaded } from './records/record-store.ts';
import { SaveRecords } from './records/save-records.ts';
import type { UpdateNotes } from './records/update-notes.ts';
import { AbsentXattrs } from './remote/absent-xattrs.ts';
import { AcrossDisks } from './remote/across-disks.ts';
import { nearestPlaced } from './remote/kept-out.ts';
import { ApplyPlan } from './remote/apply-plan.ts';
import { Audit } from './remote/audit.ts';
import { CatchUp } from './remote/catch-up.ts';
import { ContentsAhead } from './remote/contents-ahead.ts';
import { LocalCopies } from './remote/local-copies.ts';
import { PutInPlace } from './remote/put-in-place.ts';
import { RemoteCommits } from './remote/remote-commits.ts';
import { RepairDisk } from './remote/repair-disk.ts';
import { ReplacedFiles } from './remote/replaced-files.ts';
import { TakeOut } from './remote/take-out.ts';
import { Unplaced } from './remote/unplaced.ts';
import { DirtyPaths } from './watch/dirty-paths.ts';
import { OutsideLinks } from './watch/outside-links.ts';
import { Watching } from './watch/watching.ts';

/** What a folder is made of that was there before it: the world, and what was opened. */
export interface FolderDependencies extends Omit<FolderSettings, 'root' | 'limits'>, FolderWorld {
  readonly root: SafeRoot;
  /** All that is done to files, as far as the disk of the root goes. */
  readonly files: Disk;
  /** The same, whatever that disk makes of it. */
  readonly rawFiles: Disk;
  readonly limits: FolderLimits;
  readonly store: KeptRecords;
  readonly guard: RootGuard;
  readonly loaded: Loaded;
  /** What to say of records that were damaged; null: nothing. */
  readonly lost: string | null;
  readonly notes: UpdateNotes;
  /** The disk that the root is on. */
  readonly ownDisk: FolderDisk;
  /** Before paths of a volume that is mounted in a folder: `NAME:`; else nothing. */
  readonly ofVolume: string;
}

const IN_ANOTHER = 'it is in a volume that is mounted above it';

export type FolderComponents = ReturnType<typeof buildFolder>;

/** Builds every part of a folder; nothing has begun. */
export function buildFolder(given: FolderDependencies) {
  const base = buildBase(given);
  const disk = buildDisk(base);
  const looking = buildLooking(disk);
  const placing = buildPlacing(looking);
  const remote = buildRemote(placing);
  return buildCourse(remote);
}

/** What all the others stand on. */
function buildBase(given: FolderDependencies) {
  const { records, held } = given.loaded;
  const events = new FolderEvents();
  const background = new Background(given.timers, (error) => events.emit('workFailed', error));
  const board = new ErrorBoard(
    () => events.emit('statusChanged'),
    () => events.emit('diskFilled'),
  );
  const ownCopies = new OwnCopies(given);
  events.on('copyNamed', (place, lost) => ownCopies.gives(place, lost));
  const mountPoints = new MountPoints(records, given.keeper ?? null);
  const excluded = new ExcludedPlaces({ ...given, records, held });
  const parts = { events, background, board, mutex: new Mutex(), ownCopies, mountPoints, excluded };
  return { ...given, records, held, heldRows: held, ...parts };
}

/** The way to the disk, and what is mounted there. */
function buildDisk(base: ReturnType<typeof buildBase>) {
  const { root, records, guard, ownDisk, limits } = base;
  const dirty = new DirtyPaths(limits);
  const isOthers = (dir: readonly string[]): boolean => base.mountPoints.isOthers(dir);
  const directories = new InDirectory(root, records, base.files, isOthers);
  const forgotten = new ForgottenNames(base);
  const mounts = new MountGuard({ ...base, dirty, forgotten, table: base.mounts });
  const { own, token } = guard;
  const rooms = new OwnDirectories({ ...base, own, directories, mounts, token });
  const disks = new FolderDisks({ ...base, disk: ownDisk, rooms });
  const answers = new MountAnswers({
    ...{ ...base, path: root.path, mounts, limit: limits.mountAnswer, ask: base.askMount },
  });
  root.isSilent = (path) => answers.isSilent(path);
  const presence = new RootPresence({ ...base, answers });
  const isElsewhere = (path: readonly string[]): boolean => base.mountPoints.isBeneath(path);
  const lostAndFound = new LostAndFound({ ...base, directories, rooms, isElsewhere });
  const tornFiles = new TornFiles({ root, directories, files: base.files });
  const found = { forgotten, lostAndFound, tornFiles, isElsewhere };
  return { ...base, ...found, dirty, directories, mounts, rooms, disks, answers, presence };
}

/** What looks at the disk, and what knows placeholders there. */
function buildLooking(disk: ReturnType<typeof buildDisk>) {
  const { root, records, files, board, directories, events, isElsewhere } = disk;
  const isSilent = (path: readonly string[]): boolean => root.isSilent(path);
  const notOurs = (path: readonly string[]): string | null => {
    if (isElsewhere(path)) return IN_ANOTHER;
    return disk.excluded.hasLeft(path) ? NOT_KEPT : null;
  };
  const ignored = new IgnoreRules(root.path, files, board, isSilent, notOurs);
  ignored.volume = disk.ofVolume;
  const outside = new OutsideLinks(disk);
  const found = new PlaceholderLook(records, directories, files);
  const look = new DiskLook({ ...disk, ignored, placeholders: found });
  const replaced = new ReplacedFiles(disk);
  events.on('diskFilled', () => replaced.giveWay());
  const placeholders = new Placeholders({ ...disk, replaced });
  const tidy = new TidyPlaceholders({ ...disk, placeholders });
  const failures = new FailedChanges(disk);
  return { ...disk, ignored, outside, found, look, replaced, placeholders, tidy, failures };
}

/** What changes the disk. */
function buildPlacing(looking: ReturnType<typeof buildLooking>) {
  const { root, mounts, board } = looking;
  const attributes = new FileAttributes(looking);
  const across = new AcrossDisks({ ...looking, attributes });
  const save = new SaveRecords({ ...looking, across });
  const put = new PutInPlace({ ...looking, attributes, across });
  const absentXattrs = new AbsentXattrs({ ...looking, put });
  const unplaced = new Unplaced();
  /** Nothing can be put there: its disk is not there, or no program could open it. */
  const isAway = (path: readonly string[]): boolean => {
    if (mounts.isAway(path) || root.isSilent(path)) return true;
    if (!root.isTooLong(path)) return false;
    board.set('name-unusable', path.join('/'), TOO_LONG);
    return true;
  };
  return { ...looking, attributes, across, save, put, absentXattrs, unplaced, isAway };
}

/** What others commit, and which contents are kept here. */
function buildRemote(placing: ReturnType<typeof buildPlacing>) {
  const { feed, files, limits, background, volume, disks } = placing;
  const { signal } = background;
  const kept: FolderContents = new FolderContents({
    ...placing,
    place: (fid) => {
      apply.forgiveOne(fid);
      return remote.placeOne(fid);
    },
    failure: (fid) => apply.failureOf(fid),
    listedAs: ({ dir, name }) => disks.at(nearestPlaced(dir, placing)).listedAs(name),
  });
  const ahead = new ContentsAhead({ feed, files, limits, signal });
  const apply: ApplyPlan = new ApplyPlan({ ...placing, volume: volume.id, ahead, contents: kept });
  const remote: RemoteCommits = new RemoteCommits({ ...placing, ahead, apply });
  const repair = new RepairDisk(placing);
  const takeOut = new TakeOut(placing);
  const unfinished = new Unfinished(placing);
  return { ...placing, kept, ahead, apply, remote, repair, unfinished, takeOut };
}

/** When what is done. */
function buildCourse(parts: ReturnType<typeof buildRemote>) {
  const powerLoss = new PowerLoss({ ...parts, boot: parts.boot ?? null });
  const local = new LocalChanges({
    ...{ ...parts, powerLoss, placeholders: parts.found },
    heard: () => watching.heard(),
  });
  const looks = new LookSchedule({ ...parts, local });
  const audit = new Audit({ ...parts, local });
  const watching: Watching = new Watching({ ...parts, looks });
  const catchUp = new CatchUp({ ...parts, looks, audit });
  const copies = new LocalCopies(parts);
  return { ...parts, powerLoss, local, looks, audit, watching, catchUp, copies };
}
