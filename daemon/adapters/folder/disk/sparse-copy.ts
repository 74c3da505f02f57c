/**
 * Makes long runs of zeros holes of the file system, so that a sparse file takes no more room here than where it was made.
 *
 * Contents arrive as bytes, holes and all. Node can not punch holes into a file that is there, so one that looks as if it had many
 * zeros is copied without them. Whether it does is found by looking at a few places: what is missed takes its room, and no more.
 */
import { open, rm, type FileHandle } from 'node:fs/promises';

/** Smaller files are not worth a look. */
const LEAST_BYTES = 1024 * 1024;
/** Zeros of this length, at a multiple of it, become a hole: smaller ones save little, and cost a call each. */
const HOLE = 64 * 1024;
/** Places looked at: with a twentieth of zeros, one in 25 files is missed, and the room of that twentieth. */
const SAMPLES = 64;
const SAMPLE_BYTES = 4096;
/** Read at once: few calls, and the main thread is not kept by comparing it. */
const PIECE = 1024 * 1024;

const ZEROS = Buffer.alloc(HOLE);

/** Copies to a new file, synced to the disk. False, and nothing is there: it has no holes, or has them already. */
export async function sparseCopy(from: string, to: string): Promise<boolean> {
  const source = await open(from, 'r');
  try {
    const { size, blocks } = await source.stat();
    const hasHoles = blocks * 512 + LEAST_BYTES <= size;
    if (size < LEAST_BYTES || hasHoles || !(await looksSparse(source, size))) return false;
    await copy(source, to, size);
    return true;
  } finally {
    await source.close();
  }
}

async function looksSparse(file: FileHandle, size: number): Promise<boolean> {
  const block = Buffer.allocUnsafe(HOLE);
  const isZeroAt = async (at: number, length: number): Promise<boolean> => {
    const { bytesRead } = await file.read(block, 0, length, at);
    return isZero(block.subarray(0, bytesRead)) && bytesRead === length;
  };
  const count = Math.min(SAMPLES, Math.floor(size / HOLE));
  for (let sample = 0; sample < count; sample++) {
    const at = Math.floor((Math.floor(size / HOLE) * sample) / count) * HOLE;
    if ((await isZeroAt(at, SAMPLE_BYTES)) && (await isZeroAt(at, HOLE))) return true;
  }
  return false;
}

async function copy(source: FileHandle, to: string, size: number): Promise<void> {
  const target = await open(to, 'wx', 0o600);
  try {
    // First: to a file that grows XFS gives room ahead, which stays where a hole was to be.
    await target.truncate(size);
    const piece = Buffer.allocUnsafe(PIECE);
    for (let at = 0; at < size;) {
      const { bytesRead } = await source.read(piece, 0, PIECE, at);
      if (bytesRead === 0) break;
      await writeData(target, piece.subarray(0, bytesRead), at);
      at += bytesRead;
    }
    await target.sync();
  } catch (error) {
    await rm(to, { force: true });
    throw error;
  } finally {
    await target.close();
  }
}

/** What lies between two holes is written at once. */
async function writeData(target: FileHandle, piece: Buffer, start: number): Promise<void> {
  let from = 0;
  for (let at = 0; at <= piece.length; at += HOLE) {
    const block = piece.subarray(at, at + HOLE);
    if (block.length > 0 && !isZero(block)) continue;
    if (at > from) await writeAll(target, piece.subarray(from, at), start + from);
    from = at + HOLE;
  }
  if (from < piece.length) await writeAll(target, piece.subarray(from), start + from);
}

async function writeAll(target: FileHandle, bytes: Buffer, at: number): Promise<void> {
  for (let done = 0; done < bytes.length;) {
    const { bytesWritten } = await target.write(bytes, done, bytes.length - done, at + done);
    done += bytesWritten;
  }
}

function isZero(block: Buffer): boolean {
  return block.equals(ZEROS.subarray(0, block.length));
}
