/**
 * Space comes back by compaction: what is alive in a pack is appended again, and the pack is removed.
 *
 * The order is what makes it safe: the copies are synced and in the index before the file goes, and the file goes before the index
 * forgets it. A crash in between leaves a pack too many, or one that the index knows and that is gone; both are taken in
 * order by the next who opens the packs.
 *
 * Nobody puts or removes meanwhile: a removal that is carried on would else count after a put that came later.
 */
import type { PackFiles } from './pack-files.ts';
import type { PackIndex } from './pack-index.ts';
import { markBytes, packFolder, packPath, type PackId } from './pack-name.ts';
import type { PackWriter } from './pack-writer.ts';
import { scanRecords, type Found } from './record.ts';

export interface PackParts {
  readonly folder: string;
  readonly files: PackFiles;
  readonly index: PackIndex;
  readonly writer: PackWriter;
}

/** False: a content that is alive in it is damaged, and so it stays. The pack is none that is written to. */
export async function compactPack(at: PackParts, pack: PackId): Promise<boolean> {
  const { folder, files, index, writer } = at;
  const path = packPath(folder, pack);
  const bytes = await readPack(files, path);
  const { records } = scanRecords(bytes, markBytes(pack), 0);
  const copies = records
    .filter((record) => isNeeded(index, pack, record))
    .map(({ kind, digest, when, offset, length }) =>
      writer.append({ kind, digest, when, bytes: bytes.subarray(offset, offset + length) }),
    );
  // All of them, before one that failed is told.
  await Promise.allSettled(copies);
  await Promise.all(copies);
  if (index.digestsIn(pack.number).length > 0) return false;
  await files.remove(path);
  await files.syncFolder(packFolder(folder));
  index.forget(pack.number);
  return true;
}

export async function readPack(files: PackFiles, path: string): Promise<Buffer> {
  const file = await files.open(path);
  try {
    return await file.read(0, await file.length());
  } finally {
    await file.close();
  }
}

function isNeeded(index: PackIndex, pack: PackId, { kind, digest, offset }: Found): boolean {
  const place = index.get(digest);
  if (kind === 'removal') return place === null && index.isBuriedOutside(digest, pack.number);
  return place?.pack === pack.number && place.offset === offset;
}
