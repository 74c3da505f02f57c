/**
 * Space comes back by compaction: what is alive in a pack is appended again, and the pack is removed.
 *
 * The order is what makes it safe: the copies are synced and in the index before the file goes, and the file goes before the index
 * forgets it. A crash in between leaves a pack too many, or one that the index knows and that is gone; both are taken in
 * order by the next who opens the packs.
 *
 * Others put and remove meanwhile. Whether a record is carried on is decided in the step that appends it, and only while nothing of
 * its digest is on its way: a copy never counts after a put or a removal that was asked for later. Records are read one at a time.
 *
 * Nothing damaged is thrown away: a pack with bytes that may be part of a live content is moved aside whole.
 */
import type { Digest } from '../../../shared/model/vnode.ts';
import { MAX_GROUP_BYTES } from '../../limits.ts';
import type { PackFile, PackFiles } from './pack-files.ts';
import type { IndexedPack, PackIndex } from './pack-index.ts';
import { asidePath, markBytes, packFolder, packPath, quarantineFolder } from './pack-name.ts';
import type { PackWriter } from './pack-writer.ts';
import { readRecords, type Stray } from './read-records.ts';
import { HEADER_BYTES, type Found } from './record.ts';

export interface PackParts {
  readonly folder: string;
  readonly files: PackFiles;
  readonly index: PackIndex;
  readonly writer: PackWriter;
  /** Who located a content before it was copied has opened its file when this resolves. */
  readonly readersAreIn: () => Promise<void>;
}

/** `kept`: a content that is alive in it is damaged, and so it stays. */
export type Compacted = 'removed' | 'aside' | 'kept';

/** The pack is none that is written to. Rejects GodwitError `server-full`, or as the disk does. */
export async function compactPack(at: PackParts, pack: IndexedPack): Promise<Compacted> {
  const { folder, files, index } = at;
  const path = packPath(folder, pack);
  const isDamaged = await copyAlive(at, pack, path);
  if (index.liveCountIn(pack.number) > 0) return 'kept';
  await at.readersAreIn();
  if (isDamaged) {
    await files.makeFolder(quarantineFolder(folder));
    await files.rename(path, asidePath(folder, pack));
    await files.syncFolder(quarantineFolder(folder));
  } else {
    await files.remove(path);
  }
  await files.syncFolder(packFolder(folder));
  index.forget(pack.number);
  return isDamaged ? 'aside' : 'removed';
}

/** True: something in it is damaged that is not known to be dead. */
async function copyAlive(at: PackParts, pack: IndexedPack, path: string): Promise<boolean> {
  const file = await at.files.open(path);
  const copies = new Copies();
  let isDamaged = false;
  try {
    // What lies behind was never answered for.
    for await (const piece of readRecords(file, markBytes(pack), 0, pack.length)) {
      if (piece.kind === 'record') await copies.take(await carryOn(at, pack, file, piece.record));
      else isDamaged ||= !isKnownDead(at.index, pack, piece);
    }
    await copies.settled();
  } finally {
    await copies.ended();
    await file.close();
  }
  return isDamaged;
}

/** Null: it is not needed. */
async function carryOn(
  { index, writer }: PackParts,
  pack: IndexedPack,
  file: PackFile,
  record: Found,
): Promise<Copy | null> {
  const { kind, digest, when, offset, length } = record;
  if (!isNeeded(index, pack, record) && !writer.isPending(digest)) return null;
  const bytes = await file.read(offset, length);
  while (writer.isPending(digest)) await writer.groupEnd();
  if (!isNeeded(index, pack, record)) return null;
  return { bytes: HEADER_BYTES + length, done: writer.append({ kind, digest, when, bytes }) };
}

function isNeeded(index: PackIndex, pack: IndexedPack, { kind, digest, offset }: Found): boolean {
  const place = index.get(digest);
  if (kind === 'removal') return place === null && index.isBuriedOutside(digest, pack.number);
  return place?.pack === pack.number && place.offset === offset;
}

function isKnownDead(index: PackIndex, pack: IndexedPack, { digest, at }: Stray): boolean {
  return digest !== null && isElsewhere(index, pack, digest, at + HEADER_BYTES);
}

function isElsewhere(
  index: PackIndex,
  { number }: IndexedPack,
  digest: Digest,
  offset: number,
): boolean {
  const place = index.get(digest);
  if (place !== null) return place.pack !== number || place.offset !== offset;
  return index.isBuried(digest, number, offset);
}

interface Copy {
  readonly bytes: number;
  readonly done: Promise<void>;
}

/** Copies on their way: as many as share a write well. */
class Copies {
  #bytes = 0;
  readonly #underWay: Array<Promise<void>> = [];

  async take(copy: Copy | null): Promise<void> {
    if (copy === null) return;
    // `settled` rejects with its failure.
    copy.done.catch(() => undefined);
    this.#underWay.push(copy.done);
    this.#bytes += copy.bytes;
    if (this.#bytes >= MAX_GROUP_BYTES) await this.settled();
  }

  /** All of them end before a failure is thrown. */
  async settled(): Promise<void> {
    this.#bytes = 0;
    const all = this.#underWay.splice(0);
    await Promise.allSettled(all);
    await Promise.all(all);
  }

  async ended(): Promise<void> {
    await Promise.allSettled(this.#underWay);
  }
}
