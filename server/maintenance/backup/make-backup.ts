/**
 * A backup of a server that may run meanwhile, into a folder that may have an earlier one.
 *
 * 1. The metadata are copied first, as of one commit: contents are put before the commit that names them, and nothing
 *    removes any while the caller keeps collections and repairs out. So all that the copy names is there to be copied after it.
 * 2. Then packs and files (copy-packs.ts, copy-files.ts): each up to what is durable on the server. Where a content has changed its
 *    place meanwhile (it was damaged, and somebody put it again) another round finds it.
 * 3. What was written is read again, and each content held against its digest.
 * 4. The manifest takes the place of the one before, and what only that one named goes.
 *
 * A crash leaves the manifest of before, and beside what that names something that the next backup uses or removes.
 * A content that the server itself has lost is no reason to have no backup: it is reported, and the copy of an earlier backup stays.
 */
import { join } from 'node:path';
import type { WallTime } from '../../../shared/model/time.ts';
import type { Digest } from '../../../shared/model/vnode.ts';
import type { Sqlite } from '../../../shared/sqlite/database.ts';
import { indexFile } from '../../adapters/content-packs/content-packs.ts';
import { PackIndex, type Place } from '../../adapters/content-packs/pack-index.ts';
import { FileCopier } from './copy-files.ts';
import {
  checkCopy,
  copyMetadata,
  ofOriginal,
  readMetadata,
  type CopiedMetadata,
} from './copy-metadata.ts';
import { copyPacks, nameOf, type CopyParts } from './copy-packs.ts';
import {
  FORMAT,
  readManifest,
  writeManifest,
  type Manifest,
  type PackCopy,
  type Snapshot,
} from './manifest.ts';
import { readAgain, type PlacedContent } from './read-again.ts';
import { removeLeftovers, removeUnnamed } from './tidy-backup.ts';

export interface BackupOptions extends CopyParts {
  readonly database: Sqlite;
  /** What the folder had before, of this server. */
  readonly before: Manifest;
  readonly now: WallTime;
  /** A word for file names that no backup before had. */
  readonly word: string;
  /** All that is in the backup is read, and not only what is new. */
  readonly verify: boolean;
}

export interface MadeBackup {
  readonly snapshot: Snapshot;
  /** Contents that versions name and that are not whole in the backup, because they are not on the server. */
  readonly missing: readonly Digest[];
  readonly damaged: readonly Digest[];
}

/** More than one is rare: contents change their place only where one was damaged. */
const ROUNDS = 3;
/** Files that are copied at a time: each waits for its sync. */
const COPIERS = 8;

/**
 * Makes a backup into `target`; the caller holds the lock of maintenance. Resolves with the
 * snapshot, and with the contents that are missing or damaged on the server. On an error the backup
 * before stays whole.
 */
export async function makeBackup(options: BackupOptions): Promise<MadeBackup> {
  const { target, files, before } = options;
  await removeLeftovers(target, before, files);
  const file = `metadata-${options.word}.db`;
  const path = join(target, file);
  try {
    copyMetadata(options.database, path);
    await files.syncFile(path);
    const metadata = readCopy(path, options);
    const { digest, length } = await options.host.digestFile(path);
    const copied = await copyContents(options, metadata);
    const snapshot: Snapshot = {
      made: new Date(options.now).toISOString(),
      epoch: metadata.epoch,
      volumes: metadata.volumes,
      metadata: { file, bytes: length, digest },
      contents: copied.use,
      packs: copied.packs,
      lacking: [...copied.missing, ...copied.damaged].sort(),
    };
    await writeManifest(target, { format: FORMAT, server: before.server, snapshot }, files);
    await removeUnnamed(target, snapshot, metadata.stored, files);
    return { snapshot, missing: copied.missing, damaged: copied.damaged };
  } catch (error) {
    // It may be the room for it that is lacking.
    if (!isNamed(target, file)) await files.remove(path).catch(() => undefined);
    throw error;
  }
}

function readCopy(path: string, { database, now, verify }: BackupOptions): CopiedMetadata {
  try {
    const copied = readMetadata(path, now, verify);
    // What is damaged takes the place of no backup that is whole.
    checkCopy(path);
    return copied;
  } catch (error) {
    throw ofOriginal(error, database);
  }
}

/** True also where that can't be seen: the manifest may have been written before the disk failed. */
function isNamed(target: string, file: string): boolean {
  try {
    return readManifest(target)?.snapshot?.metadata.file === file;
  } catch {
    return true;
  }
}

interface CopiedContents {
  readonly packs: readonly PackCopy[];
  readonly missing: readonly Digest[];
  readonly damaged: readonly Digest[];
  readonly use: { readonly count: number; readonly bytes: number };
}

async function copyContents(
  options: BackupOptions,
  metadata: CopiedMetadata,
): Promise<CopiedContents> {
  const index = PackIndex.open(indexFile(options.source), null);
  try {
    const { snapshot } = options.before;
    const before = {
      packs: new Map((snapshot?.packs ?? []).map((pack) => [nameOf(pack), pack])),
      isSameEpoch: snapshot?.epoch === metadata.epoch,
      verify: options.verify,
    };
    const newFrom = new Map<number, number>();
    for (let round = 1; ; round++) {
      const packs = await copyPacks(options, index.packs(), before);
      for (const [pack, from] of packs.written) {
        newFrom.set(pack, Math.min(from, newFrom.get(pack) ?? from));
      }
      const isNew = ({ pack, offset }: Place): boolean =>
        options.verify || offset >= (newFrom.get(pack) ?? Infinity);
      const found = await copyFiles(options, metadata, index, packs.copies, isNew);
      if (found.gone.length > 0 && round < ROUNDS) continue;
      const damaged = await readAgain(options.target, options.host, found.toRead);
      const missing = found.gone;
      const kept = missing.length + damaged.length > 0 ? keptPacks(before.packs, packs.copies) : [];
      const { count, bytes } = found;
      return {
        packs: [...packs.copies, ...kept],
        missing: [...missing].sort(),
        damaged: [...new Set([...found.damaged, ...damaged])].sort(),
        use: { count, bytes },
      };
    }
  } finally {
    index.close();
  }
}

/** Packs that the server has no more may have what it lacks. */
function keptPacks(before: ReadonlyMap<string, PackCopy>, now: readonly PackCopy[]): PackCopy[] {
  const there = new Set(now.map(({ number }) => number));
  return [...before.values()].filter(({ number }) => !there.has(number));
}

interface CopiedFiles {
  /** In packs, of versions that are kept, and new. */
  readonly toRead: PlacedContent[];
  readonly gone: Digest[];
  readonly damaged: Digest[];
  count: number;
  bytes: number;
}

/** Of each content that was put: it is in a pack that was copied, or becomes a file. */
async function copyFiles(
  options: BackupOptions,
  { wanted, stored }: CopiedMetadata,
  index: PackIndex,
  copies: readonly PackCopy[],
  isNew: (place: Place) => boolean,
): Promise<CopiedFiles> {
  const lengths = new Map(copies.map(({ number, length }) => [number, length]));
  const found: CopiedFiles = { toRead: [], gone: [], damaged: [], count: 0, bytes: 0 };
  const count = (digest: Digest, bytes: number): void => {
    if (!wanted.has(digest)) return;
    found.count++;
    found.bytes += bytes;
  };
  const files: Digest[] = [];
  for (const digest of stored) {
    const place = index.get(digest);
    const isPacked =
      place !== null && place.offset + place.length <= (lengths.get(place.pack) ?? 0);
    if (!isPacked) {
      files.push(digest);
      continue;
    }
    count(digest, place.length);
    if (wanted.has(digest) && isNew(place)) found.toRead.push({ digest, place });
  }
  const copier = new FileCopier(options, options.verify);
  const rest = files.values();
  const work = async (): Promise<void> => {
    for (const digest of rest) {
      const { what, length } = await copier.copy(digest);
      if (what === 'copied' || what === 'there') count(digest, length);
      // What no version names that is kept is no loss.
      else if (wanted.has(digest)) found[what].push(digest);
    }
  };
  await Promise.all(Array.from({ length: COPIERS }, work));
  await copier.sync();
  return found;
}
