/**
 * The front end `folder`: a plain directory kept as a full replica of a volume.
 *
 * Three trees: *local* (the disk), *remote* (the feed), *synced* (the records: what was last equal on both). Local changes
 * are the disk against the records, remote ones the feed against them; each side is planned by pure functions and
 * executed with the folder to itself. This file puts the parts together; `Folder` drives them.
 */
import { resolve } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { DataVersion } from '../../../shared/model/vnode.ts';
import { SystemRandom } from '../../../shared/system/system-random.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { startupFailure } from '../../../shared/control/startup-failure.ts';
import { askInShell } from './disk/ask-in-shell.ts';
import { stampOf } from './disk/disk-facts.ts';
import { FolderDisk } from './disk/folder-disk.ts';
import { isOfDisk } from './error-words.ts';
import { FOLDER_LIMITS } from './folder-limits.ts';
import type { FolderFrontEnd, FolderOptions, FolderWorld } from './folder-options.ts';
import type { FolderRecords } from './records/folder-records.ts';
import { Folder } from './folder.ts';
import { openRecords } from './records/record-store.ts';
import { RecordUpdates } from './records/record-updates.ts';
import { RootGuard } from './disk/root-guard.ts';
import { SafeRoot } from './disk/safe-root.ts';
import { systemMounts } from './disk/system-mounts.ts';
import { UpdateNotes } from './records/update-notes.ts';

/**
 * Throws `folder-unusable`, `folder-taken`, `in-the-way`, `folder-nested`, `disk-full` and `disk-failing`. A folder that was synced before and is away is no failure: it is said
 * in `status`, and everything waits for it.
 */
export function openFolder(options: FolderOptions): Promise<FolderFrontEnd> {
  const { disk, ...settings } = options;
  const { volume, dataDir, deviceName } = settings;
  const world = worldOf(options);
  const limits = { ...FOLDER_LIMITS, ...options.limits };
  const path = resolve(options.root);
  disk.makeDirectories(dataDir, 0o700);
  const { store, loaded, lost } = world.openRecords(volume.root);
  let guard: RootGuard | null = null;
  try {
    const known = store.state('volume');
    if (known !== null && known !== String(volume.id)) {
      throw new GodwitError('folder-unusable', `${dataDir} belongs to volume ${known}`);
    }
    const token = store.state('token');
    guard = new RootGuard({
      ...{ ...world, root: path, dataDir, volume, deviceName, token },
      ...{ files: disk, nestedLook: limits.nestedLook, mounted: options.mounted === true },
    });
    // A disk that is away must not be taken for a folder that is empty.
    if (loaded.anew && token === null && guard.own.readMarker() === null) {
      const why = `${path} is not there, or not the folder that was synced`;
      throw new GodwitError('folder-unusable', `its records were damaged, and ${why}`);
    }
    const isThere = guard.open();
    store.setState('volume', String(volume.id));
    store.setState('token', guard.token);
    store.setState('clean', '0');
    const root = new SafeRoot(path, disk);
    if (isThere) recordRoot(loaded.records, root);
    const { records, held } = loaded;
    const notes = new UpdateNotes({
      ...{ feed: options.feed, volume: volume.id, token: guard.token },
      covered: store.state('told'),
    });
    const isAnew = loaded.anew && held.merged === null;
    notes.again(isAnew ? null : new RecordUpdates(records, held));
    const ownDisk = new FolderDisk(disk, guard.own, store);
    if (isThere) ownDisk.look();
    const folder = new Folder({
      ...{
        ...settings,
        ...world,
        files: ownDisk.files,
        rawFiles: disk,
        root,
        limits,
        store,
        guard,
        loaded,
        ownDisk,
        notes,
      },
      lost,
      ofVolume: options.mounted === true ? `${volume.name}:` : '',
    });
    folder.start();
    return Promise.resolve(folder);
  } catch (error) {
    guard?.release();
    store.close();
    throw isOfDisk(error) ? startupFailure(error, { path, code: 'folder-unusable' }) : error;
  }
}

function worldOf(given: FolderOptions): FolderWorld {
  return {
    random: given.random ?? new SystemRandom(),
    letOthersRun: given.letOthersRun ?? (() => setImmediate()),
    mounts: given.mounts ?? systemMounts,
    askMount: given.askMount ?? askInShell,
    openRecords: given.openRecords ?? ((root) => openRecords(given.dataDir, root)),
  };
}

/** The root's own record: known without asking, so that there is always a place to begin. */
function recordRoot(records: FolderRecords, root: SafeRoot): void {
  const facts = root.factsAt(`${root.path}/.`);
  if (facts === null) return;
  const known = records.get(records.root);
  if (known !== null) {
    const disk = known.disk ?? stampOf(facts);
    records.update(records.root, { disk: { ...disk, inode: facts.inode } });
    return;
  }
  records.put({
    fid: records.root,
    kind: 'directory',
    version: 0 as DataVersion,
    digest: null,
    size: 0,
    mode: facts.mode,
    mtime: facts.mtime,
    target: null,
    xattrs: [],
    disk: stampOf(facts),
  });
}
