/** What does not belong to a backup goes: before one, what another left that was not ended; after it, what only the one before named. */
import { join } from 'node:path';
import type { Digest } from '../../../shared/model/vnode.ts';
import { packFolder, packPath, packsAmong } from '../../adapters/content-packs/pack-name.ts';
import type { BackupFiles } from './backup-files.ts';
import type { Manifest, Snapshot } from './manifest.ts';

const METADATA = /^metadata-[0-9a-z]+\.db(-journal|-wal|-shm)?$/;

/** Packs and files that were copied are of use to the next one. */
export async function removeLeftovers(
  folder: string,
  { snapshot }: Manifest,
  files: BackupFiles,
): Promise<void> {
  for (const name of await files.list(folder)) {
    const isLeft = METADATA.test(name) && name !== snapshot?.metadata.file;
    if (isLeft || name.endsWith('.new')) await files.remove(join(folder, name));
  }
}

/**
 * Removes the packs that the snapshot does not name, the files of contents that are not in
 * `stored`, and leftovers. Rejects with what the disk says.
 */
export async function removeUnnamed(
  folder: string,
  snapshot: Snapshot,
  stored: ReadonlySet<Digest>,
  files: BackupFiles,
): Promise<void> {
  await removeLeftovers(folder, { format: 0, server: '', snapshot }, files);
  const named = new Set(snapshot.packs.map((pack) => packPath(folder, pack)));
  const packs = packFolder(folder);
  for (const name of await files.list(packs)) {
    const [pack] = packsAmong([name]);
    const path = pack === undefined ? null : packPath(folder, pack);
    const isOurs = path !== null || name.endsWith('.pack.new');
    if (isOurs && (path === null || !named.has(path))) await files.remove(join(packs, name));
  }
  const contents = join(folder, 'contents');
  for (const below of await files.list(contents)) {
    for (const name of await files.list(join(contents, below))) {
      if (!stored.has(name as Digest)) await files.remove(join(contents, below, name));
    }
  }
}
