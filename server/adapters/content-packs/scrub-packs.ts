/**
 * Reads packs from end to end, while they may be written and with a window of memory: which contents are there and what their names
 * say, and which of the index are missing. Records that are appended meanwhile are not read.
 */
import type { Digest } from '../../../shared/model/vnode.ts';
import type { Host } from '../../../shared/ports/host.ts';
import { unlessMissing } from '../content-disk/content-files.ts';
import { nodePackFiles, type PackFile } from './pack-files.ts';
import type { IndexedPack, PackIndex } from './pack-index.ts';
import { markBytes, packPath } from './pack-name.ts';
import { readRecords } from './read-records.ts';

/** The contents found. One may be reported damaged at one place and good at another. */
export interface Scrubbed {
  readonly good: Digest[];
  readonly damaged: Digest[];
  /** Bytes that are no record. */
  strayBytes: number;
  /** Wanted contents that they were, as far as that can be read. */
  readonly unreadable: Digest[];
}

export interface ScrubOptions {
  readonly folder: string;
  readonly index: PackIndex;
  readonly host: Host;
  /** Contents that are to be read; the others are not. */
  readonly isWanted: (digest: Digest) => boolean;
  /** Called after so many bytes were read. */
  readonly pace: (bytes: number) => Promise<void>;
}

/** `expected`: how many contents the index has in it. */
export async function scrubPack(
  options: ScrubOptions,
  pack: IndexedPack,
  expected: number,
): Promise<Scrubbed> {
  const found: Scrubbed = { good: [], damaged: [], strayBytes: 0, unreadable: [] };
  const file = await unlessMissing(nodePackFiles.open(packPath(options.folder, pack)));
  try {
    const whole = file === null ? null : await scrubFile(options, pack, found, file);
    // Records that are not whole were not met. Without the file: it is lost, or has been written anew meanwhile.
    if (whole?.size !== expected) tellRest(options, pack, whole, found);
    return found;
  } finally {
    await file?.close();
  }
}

/** Gives where the contents lie that are whole. */
async function scrubFile(
  options: ScrubOptions,
  pack: IndexedPack,
  found: Scrubbed,
  file: PackFile,
): Promise<Set<number>> {
  const { folder, index, host, isWanted, pace } = options;
  const path = packPath(folder, pack);
  const whole = new Set<number>();
  const end = Math.min(pack.length, await file.length());
  for await (const piece of readRecords(file, markBytes(pack), 0, end)) {
    if (piece.kind === 'stray') {
      found.strayBytes += piece.bytes;
      if (piece.digest !== null && isWanted(piece.digest)) found.unreadable.push(piece.digest);
      continue;
    }
    const { kind, digest, offset, length } = piece.record;
    if (kind !== 'content' || !isThere(index, pack, digest, offset)) continue;
    whole.add(offset);
    if (!isWanted(digest)) continue;
    const read = await unlessMissing(host.digestPart(path, offset, length));
    if (read !== null) (read.digest === digest ? found.good : found.damaged).push(digest);
    await pace(length);
  }
  return whole;
}

function tellRest(
  { index, isWanted }: ScrubOptions,
  pack: IndexedPack,
  whole: ReadonlySet<number> | null,
  found: Scrubbed,
): void {
  for (const { digest, offset } of index.digestsIn(pack.number)) {
    const isRead = offset < pack.length && isWanted(digest) && whole?.has(offset) !== true;
    if (isRead && isThere(index, pack, digest, offset)) found.damaged.push(digest);
  }
}

function isThere(index: PackIndex, pack: IndexedPack, digest: Digest, offset: number): boolean {
  const place = index.get(digest);
  return place?.pack === pack.number && place.offset === offset;
}
