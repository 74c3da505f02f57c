/** The newest lines of a log file, for `godwit log`. */
import { open } from 'node:fs/promises';

/** Lines are short; this much of the end of a file holds enough of them. */
const MOST_BYTES = 4 * 1024 * 1024;

/**
 * Reads the last `count` lines of a log file that are not empty, from its last MOST_BYTES at most.
 * Gives none if the file can not be opened; rejects if it can not be read.
 */
export async function newestLines(file: string, count: number): Promise<string[]> {
  const opened = await open(file, 'r').catch(() => null);
  if (opened === null) return [];
  try {
    const { size } = await opened.stat();
    const length = Math.min(size, MOST_BYTES);
    const { buffer, bytesRead } = await opened.read(Buffer.alloc(length), 0, length, size - length);
    const lines = buffer.subarray(0, bytesRead).toString('utf8').split('\n');
    // The first one may be the end of a line.
    const whole = length < size ? lines.slice(1) : lines;
    return whole.filter((line) => line !== '').slice(-count);
  } finally {
    await opened.close();
  }
}
