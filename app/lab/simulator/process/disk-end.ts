/** Whether a process ended, or did not come up, for what its disk did: the next start may do. Any other end is a bug. */
import { DiskError } from '../disk/memory-disk.ts';
import { GodwitError } from '../../../../shared/wire/error-codes.ts';
import type { ErrorCode } from '../../../../shared/wire/error-codes.ts';

const CODES: readonly ErrorCode[] = ['disk-failing', 'disk-full', 'server-full'];

/** Tells whether an error comes from the disk, so that a process may end by it. */
export function isOfDisk(error: unknown): boolean {
  if (error instanceof DiskError) return true;
  return error instanceof GodwitError && CODES.includes(error.code);
}
