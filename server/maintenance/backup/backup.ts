/** What an administrator has done for the day on which the disk of a server dies: backups, beside a running server or without one. */
import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Digest } from '../../../shared/model/vnode.ts';
import type { WallTime } from '../../../shared/model/time.ts';
import type { Host } from '../../../shared/ports/host.ts';
import { diskError } from '../../../shared/system/disk-error.ts';
import { nodeBackupFiles, type BackupFiles } from './backup-files.ts';
import { makeBackup } from './make-backup.ts';
import { neededSpace } from './needed-space.ts';
import { lockTarget, prepareTarget, refuseNested, refuseWithoutRoom } from './target.ts';
import { PackedContentStore } from '../../adapters/content-packs/content-packs.ts';
import { openServerDatabase } from '../../adapters/meta-sqlite/server-database.ts';
import {
  dataFolder,
  lockData,
  lockMaintenance,
  neverStarted,
  startedFolder,
  type DataFolder,
} from '../../data-folder.ts';
import { readIdentity, writeIdentity } from '../../identity-file.ts';
import { NO_LOG } from '../no-log.ts';

export interface BackupRequest {
  readonly target: string;
  /** All of the backup is read, and not only what is new in it. */
  readonly verify: boolean;
  /** Bytes that are copied in a second, at most. */
  readonly rate: number | null;
  /** Told what is copied, and of how much. */
  readonly progress?: (done: number, total: number) => void;
  /** For tests that watch the disk. */
  readonly files?: BackupFiles;
}

export interface BackupReport {
  readonly backup: string;
  /** ISO 8601: as of when it is. */
  readonly made: string;
  readonly volumes: ReadonlyArray<{ readonly name: string; readonly head: number }>;
  readonly contents: { readonly count: number; readonly bytes: number };
  readonly metadataBytes: number;
  /** Bytes of contents that this backup had to copy. */
  readonly copiedBytes: number;
  /** Contents that the server itself has not, or not whole. */
  readonly missing: readonly Digest[];
  readonly damaged: readonly Digest[];
}

/**
 * Throws GodwitError `no-server`, `in-the-way`, `folder-unusable`, `folder-nested`, `not-a-backup`, `other-backup`, `damaged-backup`, `upkeep-running`, `disk-full`,
 * `damaged-database`, `newer-database`.
 */
export async function backupServer(
  dataDir: string,
  request: BackupRequest,
  host: Host,
): Promise<BackupReport> {
  const folder = startedFolder(dataDir);
  const target = resolve(request.target);
  const identity = readIdentity(folder);
  if (identity === null) throw neverStarted(folder);
  refuseNested(target, folder.path);
  const files = request.files ?? nodeBackupFiles;
  const maintenance = lockMaintenance(folder, host);
  const locks = [maintenance];
  try {
    const before = await prepareTarget(target, identity.fingerprint, files);
    locks.push(lockTarget(target, host));
    await recoverStopped(folder, host);
    writeIdentity(dataFolder(target), identity, host);
    const database = openServerDatabase(folder.database);
    try {
      const total = await neededSpace(folder, target, files);
      await refuseWithoutRoom(target, total.all);
      const meter = new Meter(request, total.contents);
      const made = await makeBackup({
        source: folder.path,
        target,
        files,
        host,
        database,
        before,
        copied: (bytes) => meter.copied(bytes),
        now: Date.now() as WallTime,
        word: `${Date.now().toString(36)}${randomBytes(4).toString('hex')}`,
        verify: request.verify,
      });
      const { snapshot, missing, damaged } = made;
      return {
        backup: target,
        made: snapshot.made,
        volumes: snapshot.volumes,
        contents: snapshot.contents,
        metadataBytes: snapshot.metadata.bytes,
        copiedBytes: meter.bytes,
        missing,
        damaged,
      };
    } finally {
      database.close();
    }
  } catch (error) {
    throw diskError(target, error);
  } finally {
    for (const lock of locks.reverse()) lock.release();
  }
}

/** As the next start would: what was put last may not be in the index yet. A server that runs has done it. */
async function recoverStopped(folder: DataFolder, host: Host): Promise<void> {
  const lock = lockData(folder, host);
  if (lock === null) return;
  try {
    const options = { log: NO_LOG, wall: Date.now };
    await (await PackedContentStore.open(folder.path, options)).close();
  } finally {
    lock.release();
  }
}

/** Counts, tells, and holds back what is ahead of the rate. */
class Meter {
  bytes = 0;
  readonly #request: BackupRequest;
  readonly #total: number;
  readonly #began = performance.now();

  constructor(request: BackupRequest, total: number) {
    this.#request = request;
    this.#total = total;
  }

  async copied(bytes: number): Promise<void> {
    const { rate, progress } = this.#request;
    this.bytes += bytes;
    progress?.(this.bytes, Math.max(this.bytes, this.#total));
    if (rate === null) return;
    const ahead = (this.bytes / rate) * 1000 - (performance.now() - this.#began);
    if (ahead > 1) await wait(ahead);
  }
}
