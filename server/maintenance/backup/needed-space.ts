/** How much a backup will write, told before it begins: a disk that is too small is known at once, and not after an hour. */
import { contentPath, DiskContentStore } from '../../adapters/content-disk/content-disk.ts';
import { indexFile } from '../../adapters/content-packs/content-packs.ts';
import { PackIndex } from '../../adapters/content-packs/pack-index.ts';
import { packPath } from '../../adapters/content-packs/pack-name.ts';
import type { BackupFiles } from './backup-files.ts';

export interface NeededSpace {
  /** Of contents. */
  readonly contents: number;
  readonly all: number;
}

/** `folder`: the data folder. Files that no version names any more are counted with the others: there are few. */
export async function neededSpace(
  folder: { readonly path: string; readonly database: string },
  target: string,
  files: BackupFiles,
): Promise<NeededSpace> {
  let contents = 0;
  const index = PackIndex.open(indexFile(folder.path), null);
  try {
    for (const pack of index.packs()) {
      const there = (await files.length(packPath(target, pack))) ?? 0;
      contents += Math.max(0, pack.length - there);
    }
  } finally {
    index.close();
  }
  for await (const { digest, length } of new DiskContentStore(folder.path).list()) {
    if ((await files.length(contentPath(target, digest))) === null) contents += length;
  }
  const metadata =
    ((await files.length(folder.database)) ?? 0) +
    ((await files.length(`${folder.database}-wal`)) ?? 0);
  return { contents, all: contents + metadata };
}
