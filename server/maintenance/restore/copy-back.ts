/** From a backup to a data folder that is being made: what the manifest names, each held against what the manifest says of it. */
import { dirname, join } from 'node:path';
import type { Digest } from '../../../shared/model/vnode.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { contentFolder, contentPath } from '../../adapters/content-disk/content-disk.ts';
import { packFolder, packPath } from '../../adapters/content-packs/pack-name.ts';
import type { CopyParts } from '../backup/copy-packs.ts';
import type { Snapshot } from '../backup/manifest.ts';

/** Of packs and metadata; files are counted as they come. */
export function bytesOf({ packs, metadata }: Snapshot): number {
  return packs.reduce((sum, { length }) => sum + length, metadata.bytes);
}

/** Throws GodwitError `damaged-backup`. `to`: the name of the database in the data folder. */
export async function copyMetadataBack(
  { source, target, files, host, copied }: CopyParts,
  { metadata }: Snapshot,
  to: string,
): Promise<void> {
  const from = join(source, metadata.file);
  if ((await files.length(from)) !== metadata.bytes) throw damaged(from);
  await files.copyPart(from, join(target, to), { start: 0, end: metadata.bytes }, copied);
  const { digest } = await host.digestFile(join(target, to));
  if (digest !== metadata.digest) throw damaged(from);
}

/** A pack that is damaged is copied as it is: contents in it are whole or not, one by one. Nothing where it is gone. */
export async function copyPacksBack(at: CopyParts, { packs }: Snapshot): Promise<void> {
  const { source, target, files, copied } = at;
  if (packs.length === 0) return;
  await files.makeFolder(packFolder(target));
  for (const pack of packs) {
    const from = packPath(source, pack);
    const end = Math.min((await files.length(from)) ?? 0, pack.length);
    if (end > 0) await files.copyPart(from, packPath(target, pack), { start: 0, end }, copied);
  }
  await files.syncFolder(packFolder(target));
}

/** Contents that are files, of those that belong to the snapshot. */
export async function copyFilesBack(at: CopyParts, stored: ReadonlySet<Digest>): Promise<void> {
  const { source, target, files, copied } = at;
  const made = new Set<string>();
  for (const digest of stored) {
    const from = contentPath(source, digest);
    const end = await files.length(from);
    if (end === null) continue;
    const folder = contentFolder(target, digest);
    if (!made.has(folder)) {
      await files.makeFolder(dirname(folder));
      await files.makeFolder(folder);
      made.add(folder);
    }
    await files.copyPart(from, contentPath(target, digest), { start: 0, end }, copied);
  }
  for (const folder of made) await files.syncFolder(folder);
  if (made.size > 0) await files.syncFolder(join(target, 'contents'));
}

const damaged = (path: string): GodwitError =>
  new GodwitError('damaged-backup', `${path} is missing or not what it was`);
