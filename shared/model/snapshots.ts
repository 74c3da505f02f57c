/**
 * Snapshots: named points in the history of a volume. One is the number of a commit (rule H1): the volume as it was then can be
 * listed and read until it is removed, whatever retention says.
 */
import type { WallTime } from './time.ts';
import type { CommitNumber } from './vnode.ts';

export interface NamedSnapshot {
  readonly name: string;
  /** It shows the volume as of this commit. */
  readonly at: CommitNumber;
  /** Of the server that made it: another server, put back from a backup, may use the number again (rule H3). */
  readonly epoch: string;
  readonly made: WallTime;
}

/** In characters, each of one byte. */
export const MAX_SNAPSHOT_NAME = 64;

/** Of one volume. A year of days fits; a laptop is told of all at once. */
export const MAX_SNAPSHOTS = 400;

/** It begins with a letter: so none is taken for a time, for a flag or for a number. */
const NAME = /^[A-Za-z][A-Za-z0-9._-]*$/;

/** Whether a snapshot may be called so. */
export function isSnapshotName(name: string): boolean {
  return name.length <= MAX_SNAPSHOT_NAME && NAME.test(name);
}
