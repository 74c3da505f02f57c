/** What the adapters of this machine's disk share: a folder's sync, and the errors of the world as coded ones. */
import { unlink } from 'node:fs/promises';
import type { Host } from '../../../shared/ports/host.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';

/** As fsync of a folder may take as long as the disk likes, it runs beside JavaScript where the system lets us. */
export async function syncFolder(path: string, host: Host): Promise<void> {
  if (process.platform === 'win32') return host.syncDirectory(path);
  await host.syncPath(path);
}

/** Nothing where there is none. One call: Node's `rm` looks twice before. */
export async function removeFile(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
}

/**
 * Rejects with a GodwitError instead of the disk's error, where the disk's error has a meaning for
 * users.
 */
export async function coded<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const { message } = error as Error;
    switch (codeOf(error)) {
      case 'ENOENT':
        throw new GodwitError('not-found', message);
      case 'ENOSPC':
      case 'EDQUOT':
        throw new GodwitError('disk-full', message);
      case 'EIO':
      case 'EROFS':
        throw new GodwitError('disk-failing', message);
      default:
        throw error;
    }
  }
}

export function codeOf(error: unknown): unknown {
  return (error as { code?: unknown }).code;
}
