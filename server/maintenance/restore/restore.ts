/**
 * A backup becomes the data folder of a server again (rule I1): it is copied beside what is there, read, begins a new epoch, and takes its
 * place when all that is done. Until then nothing that was there has been touched.
 */
import { existsSync, rmdirSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Digest } from '../../../shared/model/vnode.ts';
import type { WallTime } from '../../../shared/model/time.ts';
import type { Host } from '../../../shared/ports/host.ts';
import type { Identity } from '../../../shared/ports/transport.ts';
import { diskError } from '../../../shared/system/disk-error.ts';
import { makeFolder } from '../../../shared/system/make-folder.ts';
import { SystemRandom } from '../../../shared/system/system-random.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { beginEpoch } from './begin-epoch.ts';
import { checkContents } from '../check/check-contents.ts';
import { acceptRows, checkWritten } from '../check/check-rows.ts';
import { nodeBackupFiles, type BackupFiles } from '../backup/backup-files.ts';
import { bytesOf, copyFilesBack, copyMetadataBack, copyPacksBack } from './copy-back.ts';
import { readMetadata } from '../backup/copy-metadata.ts';
import type { CopyParts } from '../backup/copy-packs.ts';
import { readManifest, type Snapshot } from '../backup/manifest.ts';
import { dataIn, finishRestore, isUnfinished, newFolder, putInPlace } from './put-in-place.ts';
import { lockTarget, refuseNested, refuseWithoutRoom } from '../backup/target.ts';
import { PackedContentStore } from '../../adapters/content-packs/content-packs.ts';
import { withServerDatabase } from '../../adapters/meta-sqlite/server-database.ts';
import type { RestoredRow } from '../accounts/accounts.ts';
import { dataFolder, type DataFolder, lockData, mustStop, unusable } from '../../data-folder.ts';
import { readIdentity, writeIdentity } from '../../identity-file.ts';
import { NO_LOG } from '../no-log.ts';

export interface RestoreRequest {
  readonly backup: string;
  /** What is in the data folder moves aside. */
  readonly replace: boolean;
  /** Also where contents are missing or damaged that the backup once had. */
  readonly force: boolean;
  readonly progress?: (done: number, total: number) => void;
  /** For tests that watch the disk. */
  readonly files?: BackupFiles;
}

export interface RestoreReport {
  readonly volumes: readonly RestoredRow[];
  /** As of when the backup is, ISO 8601; null: a restore that was broken off has been ended. */
  readonly made: string | null;
  /** Where the data of before have gone. */
  readonly aside: string | null;
  /** Contents that versions name, and that the backup has not. */
  readonly lacking: readonly Digest[];
  /** What is wrong with rows that are not as they were written, and were taken as they are. */
  readonly accepted: readonly string[];
}

/**
 * Throws GodwitError `folder-unusable`, `folder-nested`, `data-there`, `already-running`, `not-a-backup`, `damaged-backup`,
 * `upkeep-running`, `newer-database`, `disk-full`.
 */
export async function restoreServer(
  dataDir: string,
  request: RestoreRequest,
  host: Host,
): Promise<RestoreReport> {
  const folder = dataFolder(dataDir);
  const backup = resolve(request.backup);
  const snapshot = snapshotOf(backup);
  refuseNested(backup, folder.path);
  const taken = takeFolder(folder, host);
  const locks = [taken.lock];
  try {
    if (isUnfinished(folder.path)) {
      const aside = finishRestore(folder.path, nameOfNow(), host);
      if (!request.replace) return { volumes: [], made: null, aside, lacking: [], accepted: [] };
    }
    if (!request.replace && dataIn(folder.path).length > 0) {
      throw new GodwitError('data-there', `${folder.path} is not empty`);
    }
    locks.push(...lockedBackup(backup, host));
    return await restoreInto(folder, backup, snapshot, request, host);
  } catch (error) {
    taken.undo();
    throw diskError(folder.path, error);
  } finally {
    for (const lock of locks.reverse()) lock.release();
  }
}

async function restoreInto(
  folder: DataFolder,
  backup: string,
  snapshot: Snapshot,
  request: RestoreRequest,
  host: Host,
): Promise<RestoreReport> {
  const files = request.files ?? nodeBackupFiles;
  const made = dataFolder(newFolder(folder.path));
  await files.remove(made.path);
  const total = bytesOf(snapshot);
  await refuseWithoutRoom(folder.path, total);
  let done = 0;
  const copied = (bytes: number): Promise<void> => {
    done += bytes;
    request.progress?.(done, Math.max(done, total));
    return Promise.resolve();
  };
  try {
    await files.makeFolder(made.path);
    const at: CopyParts = { source: backup, target: made.path, files, host, copied };
    const lacking = await copyAndRead(at, snapshot, made, request.force);
    const accepted = acceptOrRefuse(made, backup, request.force);
    const volumes = newEpoch(made);
    await files.syncFolder(made.path);
    const aside = putInPlace(folder.path, nameOfNow(), host);
    return { volumes, made: snapshot.made, aside, lacking, accepted };
  } catch (error) {
    await files.remove(made.path).catch(() => undefined);
    throw error;
  }
}

function keyIn(source: string): Identity {
  let identity;
  try {
    identity = readIdentity(dataFolder(source));
  } catch (error) {
    if (!(error instanceof GodwitError) || error.code !== 'damaged-database') throw error;
    throw new GodwitError('damaged-backup', error.message);
  }
  if (identity !== null) return identity;
  throw new GodwitError('damaged-backup', `${source} has no identity`);
}

/** Gives the contents that the restored server will not have. */
async function copyAndRead(
  at: CopyParts,
  snapshot: Snapshot,
  made: DataFolder,
  force: boolean,
): Promise<readonly Digest[]> {
  const identity = keyIn(at.source);
  await copyMetadataBack(at, snapshot, 'server.db');
  const { wanted, stored } = readMetadata(made.database, Date.now() as WallTime, true);
  await copyPacksBack(at, snapshot);
  await copyFilesBack(at, stored);
  writeIdentity(made, identity, at.host);
  await (await PackedContentStore.open(made.path, { log: NO_LOG, wall: Date.now })).close();
  const named = new Map([...wanted].map((digest) => [digest, 'live' as const]));
  const found = await checkContents({
    ...{ folder: made.path, host: at.host, named, before: 0 },
    pace: () => Promise.resolve(),
  });
  const lacking = [...found.missing, ...found.damaged].sort();
  const known = new Set(snapshot.lacking);
  const lost = lacking.filter((digest) => !known.has(digest));
  if (lost.length === 0 || force) return lacking;
  throw new GodwitError(
    'damaged-backup',
    `${at.source} has lost ${lost.length} of its contents (the first is ${lost[0]})`,
  );
}

/** A backup of before rows were looked at may have been made of a server on which some were altered. */
function acceptOrRefuse(made: DataFolder, backup: string, force: boolean): string[] {
  return withServerDatabase(made.database, (database) => {
    try {
      if (force) return acceptRows(database);
      checkWritten(database, 'its server.db');
      return [];
    } catch (error) {
      if (!(error instanceof GodwitError) || error.code !== 'damaged-database') throw error;
      throw new GodwitError('damaged-backup', `${backup}: ${error.message}`);
    }
  });
}

function newEpoch(made: DataFolder): RestoredRow[] {
  return withServerDatabase(made.database, (database) => {
    const { volumes } = beginEpoch(database, Date.now() as WallTime, new SystemRandom());
    return volumes.map(({ name, last }) => ({ volume: name, lastCommit: last }));
  });
}

function snapshotOf(backup: string): Snapshot {
  const manifest = readManifest(backup);
  if (manifest === null) {
    const what = existsSync(backup) ? 'is no backup of a server' : 'there is no such folder';
    throw new GodwitError('not-a-backup', `${backup}: ${what}`);
  }
  if (manifest.snapshot !== null) return manifest.snapshot;
  throw new GodwitError('not-a-backup', `${backup}: no backup was ever ended there`);
}

/** One on a disk that can't be written has nobody who writes to it. */
function lockedBackup(backup: string, host: Host): Array<{ release(): void }> {
  try {
    return [lockTarget(backup, host)];
  } catch (error) {
    if (['EROFS', 'EACCES'].includes(String((error as { code?: unknown }).code))) return [];
    throw error;
  }
}

interface Taken {
  readonly lock: { release(): void };
  /** Takes back what was made for it. The lock is still held: nobody has it but us. */
  undo(): void;
}

function takeFolder(folder: DataFolder, host: Host): Taken {
  let made: readonly string[] = [];
  try {
    made = makeFolder(folder.path, 0o700);
    const isNew = !existsSync(folder.lock);
    const lock = lockData(folder, host);
    if (lock !== null) {
      const undo = (): void => {
        if (isNew) rmSync(folder.lock, { force: true });
        removeEmpty(made);
      };
      return { lock, undo };
    }
  } catch (error) {
    removeEmpty(made);
    throw unusable(folder.path, error);
  }
  throw mustStop(`a server runs on ${folder.path}`);
}

function removeEmpty(folders: readonly string[]): void {
  for (const path of folders) {
    try {
      rmdirSync(path);
    } catch {
      // Something is in it: then it is not ours to remove.
    }
  }
}

/** For the name of a folder: to the second, without colons. */
export const nameOfNow = (): string => new Date().toISOString().slice(0, 19).replaceAll(':', '-');
