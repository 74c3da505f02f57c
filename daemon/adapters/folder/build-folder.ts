/** Puts the folder's parts together; each knows only what it is given. */
import type { Duration } from '../../../shared/model/time.ts';
import { FileAttributes } from './disk/file-attributes.ts';
import { AcrossDisks } from './remote/across-disks.ts';
import { RepairDisk } from './remote/repair-disk.ts';
import type { AdoptLogged } from './local/adopt-logged.ts';
import { ApplyPlan } from './remote/apply-plan.ts';
import { Audit } from './remote/audit.ts';
import { ContentsAhead } from './remote/contents-ahead.ts';
import { DirtyPaths } from './watch/dirty-paths.ts';
import { DiskLook } from './local/disk-look.ts';
import { DiskRooms } from './disk/disk-rooms.ts';
import { ErrorBoard } from './error-board.ts';
import type { FolderDisk } from './disk/folder-disk.ts';
import { FolderDisks } from './disk/folder-disks.ts';
import type { FolderLimits } from './folder-limits.ts';
import type { FolderOptions } from './folder-options.ts';
import { IgnoreRules } from './local/ignore-rules.ts';
import { InDirectory } from './disk/in-directory.ts';
import { FolderContents } from './placeholders/kept-contents.ts';
import { ReplacedFiles } from './remote/replaced-files.ts';
import type { LocalChangesParts } from './local/local-changes-parts.ts';
import { LocalChanges } from './local/local-changes.ts';
import { LogContents } from './local/log-contents.ts';
import { MountAnswers } from './disk/mount-answers.ts';
import { MountGuard } from './local/mount-guard.ts';
import { systemMounts } from './disk/mount-table.ts';
import { OutsideLinks } from './watch/outside-links.ts';
import { TOO_LONG } from './disk/path-errors.ts';
import { PlaceholderLook } from './placeholders/placeholder-look.ts';
import { Placeholders } from './placeholders/placeholders.ts';
import { PutInPlace } from './remote/put-in-place.ts';
import type { Loaded, RecordStore } from './records/record-store.ts';
import { RemoteCommits } from './remote/remote-commits.ts';
import type { RootGuard } from './disk/root-guard.ts';
import type { SafeRoot } from './disk/safe-root.ts';
import { TidyPlaceholders } from './placeholders/tidy-placeholders.ts';
import type { ToldNotes } from './records/told-notes.ts';
import { Mutex } from '../../../shared/concurrency/mutex.ts';
import { Unfinished } from './local/unfinished.ts';

export interface FolderParts extends Omit<FolderOptions, 'root' | 'limits'> {
  readonly root: SafeRoot;
  readonly limits: FolderLimits;
  readonly store: RecordStore;
  readonly guard: RootGuard;
  readonly loaded: Loaded;
  /** What to say of records that were damaged; null: nothing. */
  readonly lost: string | null;
  readonly hasXattrs: boolean;
  readonly notes: ToldNotes;
  readonly disk: FolderDisk;
}

/** What the parts ask of the one who drives them. */
export interface FolderDriver {
  readonly signal: AbortSignal;
  readonly delay: (length: Duration) => Promise<void>;
  readonly adopt: () => AdoptLogged | null;
  readonly execute: LocalChangesParts['execute'];
  readonly failed: (path: readonly string[], error: unknown) => void;
  readonly unsettled: (path: readonly string[]) => void;
  readonly hint: (path: string) => void;
  readonly retry: () => void;
  readonly rulesChanged: () => void;
  readonly mountsChanged: () => void;
  readonly usable: () => Promise<void>;
  readonly save: () => Promise<void>;
  readonly changed: () => void;
  /** Runs what nobody waits for, until the folder ends. */
  readonly run: (work: Promise<void>) => void;
  /** A failure of ours. */
  readonly broken: (error: unknown) => void;
}

export type FolderRooms = ReturnType<typeof buildFolder>;

export function buildFolder(parts: FolderParts, driver: FolderDriver) {
  const { root, limits, host, clock, log, feed, fileSystem, volume, deviceName, hasXattrs } = parts;
  const { records, held } = parts.loaded;
  const { signal, adopt, execute, unsettled, hint, retry, rulesChanged, usable, save, delay, run } =
    driver;

  const mutex = new Mutex();
  const seen = buildLook(parts, driver);
  const { board, ignored, dirty, look, directories, replaced, placeholders, mounts } = seen;
  const { rooms, disks } = seen;
  const kept: FolderContents = new FolderContents({
    ...{ root, records, held, feed, fileSystem, placeholders, mutex, clock, limits, signal, save },
    diskRoom: parts.diskRoom,
    place: (fid) => {
      apply.forgiveOne(fid);
      return remote.placeOne(fid);
    },
    failure: (fid) => apply.failureOf(fid),
  });
  const contents = new LogContents({
    ...{ fileSystem, host, records, root, hasXattrs, board, disks },
    ...{ adopt, unsettled, notes: parts.notes },
  });
  let logging = 0;
  const local = new LocalChanges({
    ...{ root, records, dirty, look, ignored, board, limits, clock, log, host, mounts },
    ...{ tidy: seen.tidy, outside: seen.outside },
    isLeftOver: (inode) => apply.unplaced.isLeftOver(inode),
    mountsChanged: driver.mountsChanged,
    load: () => parts.store.state('held-removals'),
    save: (text) => parts.store.setState('held-removals', text),
    ...{ rulesChanged, takeFindings: () => seen.placeholderLook.takeFindings() },
    forgotten: () => audit.want(),
    // Counted when it begins and when it ends: a reader knows whether any of it happened meanwhile.
    execute: (...planned) => {
      logging += 1;
      return execute(...planned).finally(() => (logging += 1));
    },
  });
  const { attributes, across, put } = buildPlacing(parts, seen);
  const ahead = new ContentsAhead({ feed, host, limits, signal });
  const apply: ApplyPlan = new ApplyPlan({
    ...{ records, held, ahead, put, feed, host, root, ignored, board, contents: kept },
    ...{ volume: volume.id, hint, retry, clock, limits, isDirty: (path) => dirty.has(path) },
    ...{ isAway: seen.isOut, disks, rooms, across },
  });
  const remote: RemoteCommits = new RemoteCommits(
    {
      ...{ volume, feed, records, held, ahead, across, apply, mutex, limits, clock, log },
      ...{ signal, usable, save, delay, changed: driver.changed, run, failed: driver.broken },
    },
    parts.loaded.position,
  );
  const repair = new RepairDisk({
    ...{ feed, fileSystem, records, held, directories, replaced, attributes, host, mutex, log },
    ...{ clock, deviceName, signal, save, hint, disks, rooms, across },
  });
  const audit: Audit = new Audit({
    ...{ volume, fileSystem, feed, records, held, mutex, log, signal, delay },
    position: () => remote.position,
    reached: (commit) => remote.reached(commit),
    unlogged: () => dirty.size,
    logging: () => logging,
  });
  const unfinished = new Unfinished({
    ...{ feed, fileSystem, records, held, directories, mutex, log },
  });
  const work = { audit, mutex, contents, local, apply, remote, repair, kept, unfinished };
  return { ...seen, ...work, across };
}

/** What changes the disk. */
function buildPlacing(parts: FolderParts, seen: ReturnType<typeof buildLook>) {
  const { root, host, clock, log, hasXattrs } = parts;
  const { records } = parts.loaded;
  const { board, directories, rooms, disks, replaced, placeholders } = seen;
  const attributes = new FileAttributes({ host, hasXattrs, board, log });
  const across = new AcrossDisks({
    ...{ root, records, directories, rooms, host, replaced, attributes, clock, log },
    load: () => parts.store.state('across'),
    save: (text) => parts.store.setState('across', text),
  });
  const put = new PutInPlace({
    ...{ directories, records, rooms, host, replaced, placeholders, clock, disks },
    ...{ attributes, across },
  });
  return { attributes, across, put };
}

/** What looks at the disk, and what knows placeholders there. */
function buildLook(parts: FolderParts, driver: FolderDriver) {
  const { changed, hint } = driver;
  const { root, limits, host, clock, log, feed, deviceName } = parts;
  const { records } = parts.loaded;
  const { own } = parts.guard;
  const board = new ErrorBoard(changed, () => replaced.giveWay());
  const ignored = new IgnoreRules(root.path, board, (path) => root.isSilent(path));
  const dirty = new DirtyPaths(limits);
  const directories = new InDirectory(root, records, host);
  const outside = new OutsideLinks({ root, records, hint });
  const placeholderLook = new PlaceholderLook(records, directories);
  const mounts = new MountGuard({
    ...{ root, records, board, table: parts.mounts ?? systemMounts },
    isLive: (path) => dirty.isLive(path),
    load: () => parts.store.state('mounts'),
    save: (text) => parts.store.setState('mounts', text),
  });
  const { token } = parts.guard;
  const rooms = new DiskRooms({ root, own, records, directories, mounts, token });
  const disks = new FolderDisks({ disk: parts.disk, host, records, rooms, root, board });
  const answers = new MountAnswers({
    ...{ path: root.path, mounts, board, limit: limits.mountAnswer, delay: driver.delay },
    changed: driver.mountsChanged,
    ...(parts.askMount === undefined ? {} : { ask: parts.askMount }),
  });
  root.isSilent = (path) => answers.isSilent(path);
  const look = new DiskLook({
    ...{ root, records, ignored, board, mounts, placeholders: placeholderLook, disks },
  });
  const replaced = new ReplacedFiles({
    root,
    rooms,
    records,
    host,
    clock,
    limits,
    log,
    deviceName,
    hint,
  });
  const placeholders = new Placeholders({
    directories,
    records,
    rooms,
    host,
    replaced,
    feed,
    hint,
  });
  const tidy = new TidyPlaceholders({
    ...{ records, directories, placeholders, host, clock, deviceName, board, log, hint },
  });
  /** Nothing can be put there: its disk is not there, or no program could open it. */
  const isOut = (path: readonly string[]): boolean => {
    if (mounts.isAway(path) || root.isSilent(path)) return true;
    if (!root.isTooLong(path)) return false;
    board.set('name-unusable', path.join('/'), TOO_LONG);
    return true;
  };
  const looks = { look, placeholderLook, outside, mounts, isOut, rooms, disks, answers };
  return { ...looks, board, ignored, dirty, directories, replaced, placeholders, tidy };
}
