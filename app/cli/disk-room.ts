/**
 * Errors of a start that failed for its disk: which folder lacks room, on which disk, and how much; or else which call the disk refused.
 */
import { diskError } from '../../shared/system/disk-error.ts';
import { mountOf, noRoomIn, freeSpaceOn } from '../../shared/system/free-disk.ts';
import { GodwitError } from '../../shared/wire/error-codes.ts';
import { codedError } from './errors.ts';

/** Databases and logs of a daemon or a server that begins. */
const START_BYTES = 4_000_000;
/** Free bytes below which a program that ended without an error is taken to have ended for want of room: its error needs room too. */
const SPEECHLESS_BYTES = 64_000;

/** Runs it. `folders`: what it writes to, its own first. */
export async function namingDisk<T>(
  folders: readonly string[],
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw named(folders, error);
  }
}

function named(folders: readonly string[], thrown: unknown): unknown {
  const error = diskError(folders[0] ?? null, thrown);
  const coded = codedError(error);
  const [fullest] = folders
    .map((folder) => ({ folder, free: freeFor(folder) }))
    .sort((a, b) => a.free - b.free);
  if (fullest === undefined || isToldBy(coded)) return error;
  const isFull = coded?.code === 'disk-full' || isSpeechless(coded, fullest.free);
  return isFull ? new GodwitError('disk-full', noRoomIn(fullest.folder, START_BYTES)) : error;
}

function isSpeechless(coded: GodwitError | null, free: number): boolean {
  return (coded === null || coded.code === 'internal') && free < SPEECHLESS_BYTES;
}

/** By another process of ours. */
const isToldBy = (coded: GodwitError | null): boolean =>
  coded?.code === 'disk-full' && coded.message.startsWith('no room in ');

function freeFor(folder: string): number {
  try {
    return freeSpaceOn(mountOf(folder)).free;
  } catch {
    return Infinity;
  }
}
