/**
 * Packs only grow, so of one that the backup has the end is copied, and of one that has not grown nothing.
 *
 * Before an end is added the beginnings are compared; they may differ for three reasons:
 *   the backup's is not what its manifest says      it is copied anew
 *   the server's is not, in the epoch of the backup it is damaged: the good copy is kept
 *   the server's is not, in another epoch           it was put back from another backup and has gone on since: that is refused
 *
 * What a backup that was broken off left behind the length of the manifest goes on being used where it fits.
 */
import { basename } from 'node:path';
import type { Host } from '../../../shared/ports/host.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { packFolder, packPath, type PackId } from '../../adapters/content-packs/pack-name.ts';
import type { IndexedPack } from '../../adapters/content-packs/pack-index.ts';
import type { BackupFiles, Copied } from './backup-files.ts';
import type { PackCopy } from './manifest.ts';

export interface CopyParts {
  /** The data folder, and that of the backup. */
  readonly source: string;
  readonly target: string;
  readonly files: BackupFiles;
  readonly host: Host;
  readonly copied: Copied;
}

export interface PacksBefore {
  /** By name (`nameOf`). */
  readonly packs: ReadonlyMap<string, PackCopy>;
  /** The server has begun no other epoch since. */
  readonly isSameEpoch: boolean;
  /** What has not grown is compared as well. */
  readonly verify: boolean;
}

/** A number may come again, under another mark, where the last packs were lost. */
export const nameOf = (pack: PackId): string => basename(packPath('', pack));

/** Gives the packs as they are in the backup now, and from where on those are new that were written to. */
export async function copyPacks(
  at: CopyParts,
  packs: readonly IndexedPack[],
  before: PacksBefore,
): Promise<{ readonly copies: PackCopy[]; readonly written: Map<number, number> }> {
  const copies: PackCopy[] = [];
  const written = new Map<number, number>();
  const full = packs.filter(({ length }) => length > 0);
  if (full.length > 0) await at.files.makeFolder(packFolder(at.target));
  for (const pack of full) {
    const known = before.packs.get(nameOf(pack)) ?? null;
    if (known !== null && known.length > pack.length) throw otherHistory(at.target);
    const isHere = known?.length === pack.length && before.isSameEpoch && !before.verify;
    if (known !== null && isHere && (await lengthOf(at, pack)) >= known.length) {
      copies.push(known);
      continue;
    }
    const from = await copyPack(at, pack, known, before.isSameEpoch);
    if (from < pack.length) written.set(pack.number, from);
    const { digest } = await at.host.digestPart(packPath(at.target, pack), 0, pack.length);
    copies.push({ number: pack.number, mark: pack.mark, length: pack.length, digest });
  }
  if (full.length > 0) {
    await at.files.syncFolder(packFolder(at.target));
    await at.files.syncFolder(at.target);
  }
  return { copies, written };
}

/** Gives from where on it is new: its length, where nothing is. */
async function copyPack(
  at: CopyParts,
  pack: IndexedPack,
  known: PackCopy | null,
  isSameEpoch: boolean,
): Promise<number> {
  const [from, to] = [packPath(at.source, pack), packPath(at.target, pack)];
  const keep = await goodBeginning(at, pack, known, isSameEpoch);
  const part = { start: keep, end: pack.length };
  if (keep === 0 && known !== null) {
    // Where it is, the manifest needs what is left of it.
    await at.files.remove(`${to}.new`);
    await at.files.copyPart(from, `${to}.new`, part, at.copied);
    await at.files.rename(`${to}.new`, to);
    return 0;
  }
  if ((await lengthOf(at, pack)) > keep) await at.files.truncate(to, keep);
  if (keep < pack.length) await at.files.copyPart(from, to, part, at.copied);
  // What a backup left that was not ended was not read again.
  return Math.min(keep, known?.length ?? 0);
}

/** How much of the backup's pack can stay. */
async function goodBeginning(
  { host, source, target, files }: CopyParts,
  pack: IndexedPack,
  known: PackCopy | null,
  isSameEpoch: boolean,
): Promise<number> {
  const [from, to] = [packPath(source, pack), packPath(target, pack)];
  const have = Math.min((await files.length(to)) ?? 0, pack.length);
  const digest = async (path: string, length: number): Promise<string> =>
    (await host.digestPart(path, 0, length)).digest;
  const isSame = have > 0 && (await digest(from, have)) === (await digest(to, have));
  if (known === null) return isSame ? have : 0;
  const isGood = have >= known.length && (await digest(to, known.length)) === known.digest;
  if (isGood) {
    if (isSame) return have;
    const isSource = (await digest(from, known.length)) === known.digest;
    if (!isSource && !isSameEpoch) throw otherHistory(target);
    return known.length;
  }
  if ((await digest(from, known.length)) === known.digest) return 0;
  if (!isSameEpoch) throw otherHistory(target);
  throw new GodwitError(
    'damaged-backup',
    `${to} is damaged, and so is that of the server: keep the backup, and begin another in an empty folder`,
  );
}

async function lengthOf({ files, target }: CopyParts, pack: IndexedPack): Promise<number> {
  return (await files.length(packPath(target, pack))) ?? 0;
}

function otherHistory(target: string): GodwitError {
  return new GodwitError(
    'other-backup',
    `${target} has contents that the server has not: it was put back from another backup since`,
  );
}
