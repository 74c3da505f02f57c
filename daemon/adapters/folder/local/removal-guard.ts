/**
 * Promise 5: a folder that was emptied by accident must not empty the volume.
 *
 * Removals that the watcher saw happen are meant. Those that a look only finds are believed as long as they are few; a
 * whole tenth of the folder missing at once may as well be a disk that was not there. Pure.
 */
export interface RemovalVerdict<T> {
  readonly allowed: readonly T[];
  readonly held: readonly T[];
}

export function judgeRemovals<T>(
  removals: readonly T[],
  isLive: (removal: T) => boolean,
  recorded: number,
  limits: { readonly massRemovalFiles: number; readonly massRemovalShare: number },
): RemovalVerdict<T> {
  const found = removals.filter((removal) => !isLive(removal));
  const isMany =
    found.length > limits.massRemovalFiles && found.length > recorded * limits.massRemovalShare;
  if (!isMany) return { allowed: removals, held: [] };
  return { allowed: removals.filter(isLive), held: found };
}
