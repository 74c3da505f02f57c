/**
 * Reads packs from end to end, beside whoever writes to them: which contents are there and what their names say, and which the index
 * tells of and are not. What somebody appends meanwhile is not looked at.
 */
import type { Digest } from '../../../shared/model/vnode.ts';
import type { Host } from '../../../shared/ports/host.ts';
import { readPack } from './compact-pack.ts';
import { isMissing } from '../content-disk/content-files.ts';
import { nodePackFiles } from './pack-files.ts';
import type { IndexedPack, PackIndex } from './pack-index.ts';
import { markBytes, packPath } from './pack-name.ts';
import { scanRecords } from './record.ts';

export interface Scrubbed {
  readonly good: Digest[];
  readonly damaged: Digest[];
  /** Bytes that are no record, though something was written behind them. */
  readonly strayBytes: number;
}

export interface ScrubOptions {
  readonly folder: string;
  readonly index: PackIndex;
  readonly host: Host;
  /** Contents that are to be read; the others are not. */
  readonly isWanted: (digest: Digest) => boolean;
  /** Told after so many bytes were read. */
  readonly pace: (bytes: number) => Promise<void>;
}

/** `expected`: how many contents the index has in it. */
export async function scrubPack(
  { folder, index, host, isWanted, pace }: ScrubOptions,
  pack: IndexedPack,
  expected: number,
): Promise<Scrubbed> {
  const path = packPath(folder, pack);
  const bytes = await readPack(nodePackFiles, path).catch((error: unknown) => {
    if (isMissing(error)) return Buffer.alloc(0);
    throw error;
  });
  const scan = scanRecords(bytes.subarray(0, pack.length), markBytes(pack), 0);
  const good: Digest[] = [];
  const damaged: Digest[] = [];
  const isThere = (digest: Digest, offset: number): boolean => {
    const place = index.get(digest);
    return place?.pack === pack.number && place.offset === offset;
  };
  const whole = new Set<number>();
  for (const { kind, digest, offset, length } of scan.records) {
    if (kind !== 'content' || !isThere(digest, offset)) continue;
    whole.add(offset);
    if (!isWanted(digest)) continue;
    const read = await host.digestPart(path, offset, length);
    (read.digest === digest ? good : damaged).push(digest);
  }
  // Records that are not whole were not found above.
  const rest = whole.size === expected ? [] : index.digestsIn(pack.number);
  for (const { digest, offset } of rest) {
    const isRead = offset < pack.length && isWanted(digest) && !whole.has(offset);
    if (isRead && isThere(digest, offset)) damaged.push(digest);
  }
  await pace(bytes.length);
  return { good, damaged, strayBytes: scan.strayBytes };
}
