/**
 * What is done before packs are written to again. The index may be behind the packs (it is not synced), or lost; the last pack may
 * end with a group that was being written when the power went.
 *
 * 1. Records behind the length that the index knows are read into it. In the last pack, what is behind the last whole record
 *    is cut off: no answer was given for it.
 * 2. An index that does not fit the packs (another mark, a pack that is shorter than it knows) is made again from all of them.
 * 3. Contents of a pack that is gone are lost: they are not located any more, and it is said.
 */
import type { Log } from '../../../shared/ports/log.ts';
import { PACK_BYTES } from '../../limits.ts';
import type { PackFile, PackFiles } from './pack-files.ts';
import type { PackIndex } from './pack-index.ts';
import { markBytes, packFolder, packPath, packsAmong, type PackId } from './pack-name.ts';
import type { ActivePack } from './pack-writer.ts';
import { scanRecords } from './record.ts';

export interface Recovered {
  /** The last pack, open for more. */
  readonly active: ActivePack | null;
  readonly last: number;
}

interface Place {
  readonly folder: string;
  readonly files: PackFiles;
  readonly index: PackIndex;
  readonly log: Log;
  readonly packBytes?: number;
}

export async function recoverPacks(at: Place): Promise<Recovered> {
  const { folder, files, index, log } = at;
  const packs = packsAmong(await files.list(packFolder(folder)));
  const known = new Map(index.packs().map((pack) => [pack.number, pack]));
  if (await isOther(at, packs)) {
    log.warn('the index of the packs is not that of these packs: it is made again', {});
    index.clear();
    known.clear();
  }
  let active: ActivePack | null = null;
  for (const [position, pack] of packs.entries()) {
    const file = await files.open(packPath(folder, pack));
    const isLast = position === packs.length - 1;
    const indexed = known.get(pack.number)?.length ?? null;
    const length = await catchUp(at, pack, file, indexed, isLast).catch(async (error: unknown) => {
      await file.close();
      throw error;
    });
    known.delete(pack.number);
    if (isLast && length < (at.packBytes ?? PACK_BYTES)) active = { ...pack, file, length };
    else await file.close();
  }
  const highest = Math.max(0, ...known.keys(), ...packs.map(({ number }) => number));
  for (const { number } of known.values()) {
    const lost = index.forget(number);
    if (lost > 0) log.error('a pack is gone, and contents with it', { pack: number, lost });
  }
  return { active, last: highest };
}

async function isOther(
  { folder, files, index }: Place,
  packs: readonly PackId[],
): Promise<boolean> {
  const known = new Map(index.packs().map((pack) => [pack.number, pack]));
  for (const pack of packs) {
    const before = known.get(pack.number);
    if (before === undefined) continue;
    if (before.mark !== pack.mark) return true;
    const file = await files.open(packPath(folder, pack));
    const length = await file.length();
    await file.close();
    if (length < before.length) return true;
  }
  return false;
}

/** How far the pack is good, and in the index. */
async function catchUp(
  { index, log }: Place,
  pack: PackId,
  file: PackFile,
  indexed: number | null,
  isLast: boolean,
): Promise<number> {
  const length = await file.length();
  const from = indexed ?? 0;
  if (length === from && indexed !== null) return length;
  const scan = scanRecords(await file.read(from, length - from), markBytes(pack), from);
  if (scan.strayBytes > 0) {
    log.error('a pack has damaged records', { pack: pack.number, bytes: scan.strayBytes });
  }
  const end = isLast ? Math.max(scan.end, from) : length;
  if (end < length) {
    log.info('a write that was not ended is cut off', { pack: pack.number, bytes: length - end });
    await file.truncate(end);
    await file.sync();
  }
  index.apply(pack, end, scan.records);
  return end;
}
