/** What a disk in memory throws, as the stores on it say it. */
import { GodwitError } from '../../../../shared/wire/error-codes.ts';
import { DiskError } from '../disk/memory-disk.ts';

/**
 * Turns an error of a disk in memory into the GodwitError that a store throws. Other errors stay as
 * they are.
 */
export function asStoreError(error: unknown): Error {
  if (!(error instanceof DiskError)) return error as Error;
  if (error.code === 'ENOENT') return new GodwitError('not-found', error.message);
  if (error.code === 'ENOSPC') return new GodwitError('disk-full', error.message);
  if (error.code === 'EIO') return new GodwitError('disk-failing', error.message);
  return error;
}
