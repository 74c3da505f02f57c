/**
 * Which versions of a file collection keeps: those of the retention policy (rule D4), and those that a snapshot shows (rule H2). The database of a
 * server and the simulated one ask here.
 */
import { retained, type RetentionPolicy, type VersionLife } from './retention.ts';
import type { WallTime } from './time.ts';

/** One data version of a file: the commit that made it, and the one that ended it; null: it is the present one. */
export interface VersionSpan extends VersionLife {
  readonly first: number;
  readonly last: number | null;
}

/** Of the versions of one file, newest first: which are kept. `snapshots`: the commits that snapshots of its volume show. */
export function keptVersions(
  versions: readonly VersionSpan[],
  snapshots: readonly number[],
  policy: RetentionPolicy,
  now: WallTime,
): boolean[] {
  const kept = retained(versions, policy, now);
  return versions.map((version, index) => kept[index] === true || isShown(version, snapshots));
}

/** Whether a snapshot of one of these commits shows the version: it was the present one then. */
export function isShown({ first, last }: VersionSpan, snapshots: readonly number[]): boolean {
  return snapshots.some((number) => first <= number && (last === null || number < last));
}
