/**
 * What is done before packs are written to again. The index may be behind the packs (it is not synced), or lost; the last pack may
 * end with a group that was being written when the power went.
 *
 * 1. Records behind the length that the index knows are read into it, one at a time. In the last pack, what is behind the last
 *    whole record is cut off: no answer was given for it.
 * 2. An index that does not fit the packs (another mark, a pack that is shorter than it knows) is made again from all of them. Then
 *    it is unknown how far the last pack was good: nothing is cut off, and nothing is appended to it.
 * 3. Contents of a pack that is gone are lost: they are not located any more, and that is logged.
 * 4. A damaged record stays where it is and is logged once: from then on the index is past it.
 */
import type { Digest } from '../../../shared/model/vnode.ts';
import type { Log } from '../../../shared/ports/log.ts';
import { PACK_BYTES } from '../../limits.ts';
import type { PackFile, PackFiles } from './pack-files.ts';
import type { PackIndex } from './pack-index.ts';
import { markBytes, packFolder, packPath, packsAmong, type PackId } from './pack-name.ts';
import type { ActivePack } from './pack-writer.ts';
import { readRecords, type Stray } from './read-records.ts';
import type { Found } from './record.ts';

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

/** Records that reach the index at a time. */
const BATCH = 2000;
/** Damaged contents that a line of the log names. */
const NAMED = 10;

/**
 * Brings the index up to date with the packs and cuts off an incomplete last group. Rejects as the
 * disk does.
 */
export async function recoverPacks(at: Place): Promise<Recovered> {
  const { folder, files, index, log } = at;
  const packs = packsAmong(await files.list(packFolder(folder)));
  const known = new Map(index.packs().map((pack) => [pack.number, pack]));
  if (await isOther(at, packs)) {
    log.warn('the index of the packs is not that of these packs: it is made again', {});
    index.clear();
    known.clear();
  }
  const isAnew = known.size === 0;
  let active: ActivePack | null = null;
  for (const [position, pack] of packs.entries()) {
    const file = await files.open(packPath(folder, pack));
    const indexed = known.get(pack.number)?.length ?? null;
    const isLast = position === packs.length - 1;
    const { length, mayGrow } = await catchUp(at, pack, file, {
      ...{ indexed, isAnew, isLast },
    }).catch(async (error: unknown) => {
      await file.close();
      throw error;
    });
    known.delete(pack.number);
    const hasRoom = length < (at.packBytes ?? PACK_BYTES);
    if (isLast && mayGrow && hasRoom) active = { ...pack, file, length };
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
    const length = await file.length().finally(() => file.close());
    if (length < before.length) return true;
  }
  return false;
}

/** Afterwards the pack is good, and in the index, up to `length`. */
async function catchUp(
  at: Place,
  pack: PackId,
  file: PackFile,
  { indexed, isAnew, isLast }: { indexed: number | null; isAnew: boolean; isLast: boolean },
): Promise<{ length: number; mayGrow: boolean }> {
  const { index, log } = at;
  const length = await file.length();
  const from = indexed ?? 0;
  if (length === from && indexed !== null) return { length, mayGrow: true };
  const read = await readInto(index, pack, file, from, length);
  read.damage.tell(log, pack);
  const isCut = read.end < length;
  if (isCut && isLast && !isAnew) {
    log.info('a write that was not ended is cut off', {
      ...{ pack: pack.number, bytes: length - read.end },
    });
    await file.truncate(read.end);
    await file.sync();
    return { length: read.end, mayGrow: true };
  }
  if (isCut) {
    log.info('the end of a pack is no record, and is left as it is', {
      ...{ pack: pack.number, bytes: length - read.end },
    });
  }
  index.apply(pack, length, []);
  return { length, mayGrow: !isCut };
}

async function readInto(
  index: PackIndex,
  pack: PackId,
  file: PackFile,
  from: number,
  length: number,
): Promise<{ end: number; damage: Damage }> {
  const damage = new Damage();
  const records: Found[] = [];
  let end = from;
  for await (const piece of readRecords(file, markBytes(pack), from, length)) {
    if (piece.kind === 'stray') {
      damage.meet(piece);
      continue;
    }
    damage.isFollowed();
    end = piece.record.offset + piece.record.length;
    if (records.push(piece.record) >= BATCH) index.apply(pack, end, records.splice(0));
  }
  index.apply(pack, end, records);
  return { end, damage };
}

/** What was damaged before some whole record: that had been written to its end. */
class Damage {
  #bytes = 0;
  #contents: Digest[] = [];
  #open: { bytes: number; contents: Digest[] } = { bytes: 0, contents: [] };

  meet({ bytes, digest }: Stray): void {
    this.#open.bytes += bytes;
    if (digest !== null && this.#open.contents.length < NAMED) this.#open.contents.push(digest);
  }

  isFollowed(): void {
    if (this.#open.bytes === 0) return;
    this.#bytes += this.#open.bytes;
    this.#contents = [...this.#contents, ...this.#open.contents].slice(0, NAMED);
    this.#open = { bytes: 0, contents: [] };
  }

  tell(log: Log, { number }: PackId): void {
    if (this.#bytes === 0) return;
    const contents = this.#contents.join(' ');
    log.error('a pack has damaged records', { pack: number, bytes: this.#bytes, contents });
  }
}
